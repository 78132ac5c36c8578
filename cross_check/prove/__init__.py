"""Proofs that both derivations are the same functions: certificates, lemmas about every tree, the identities of the texts."""
