"""Newton-Euler by screws: products of exponentials, adjoints and wrenches."""
