"""Compiles recipes, and functions of whole numbers in Python, with LLVM."""
