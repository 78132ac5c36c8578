"""Dynamics by spatial vectors: the recursive algorithms of R. Featherstone, over any number field."""
