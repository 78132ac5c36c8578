"""Compares the two derivations, engines and users' code with each other."""
