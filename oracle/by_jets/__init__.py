"""The Euler-Lagrange equations of mechanisms of any size, evaluated by Taylor series in time."""
