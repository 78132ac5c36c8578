"""Equivalent files: the same mechanism written differently, to try the reader of code that reads files itself."""
