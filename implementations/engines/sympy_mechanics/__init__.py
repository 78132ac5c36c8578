"""The adapters to SymPy's Lagrange's and Kane's methods."""
