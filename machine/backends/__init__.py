"""What executes programs: NumPy, and code that LLVM compiles."""
