"""Numbers: exact ones, correctly rounded functions, the precisions of code, and SI units."""
