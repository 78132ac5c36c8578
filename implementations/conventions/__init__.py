"""Conventions of coordinates other than ours: what code with them reads, and what it answers."""
