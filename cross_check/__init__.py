"""Holds the two derivations, engines and users' code against each other."""
