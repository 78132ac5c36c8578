"""The Euler-Lagrange equations as polynomials in normal form."""
