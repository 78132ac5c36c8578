"""What a run can see: wrong variants of the reference, and which of them its mechanisms, states and quantities show."""
