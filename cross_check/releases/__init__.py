"""Releases of one package: what moved from each to the next, and in which one a verdict changed."""
