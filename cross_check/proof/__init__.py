"""Proofs in exact arithmetic: what is stated, how its degree is bounded, where it is evaluated, and the certificates."""
