"""Proofs in exact arithmetic: statements, bounds on their degrees, fields, random mechanisms, and certificates."""
