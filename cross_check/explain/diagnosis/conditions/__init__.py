"""The states in which answers are wrong, and what separates them from the others."""
