"""The arithmetic of float64 and of double-double as recipes, which NumPy and LLVM carry out."""
