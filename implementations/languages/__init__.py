"""Code in other languages: programs that speak a protocol over standard input and output, and shared libraries."""
