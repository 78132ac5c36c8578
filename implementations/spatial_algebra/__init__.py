"""Dynamics with spatial vectors: the recursive algorithms of R. Featherstone, over any number field."""
