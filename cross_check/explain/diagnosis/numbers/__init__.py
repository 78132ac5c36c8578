"""Numbers of the mechanism that the code has otherwise: measured, fitted, and read."""
