"""What is compared, at which states, with which truth, and how large the error is."""
