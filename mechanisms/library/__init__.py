"""Mechanisms by name: of textbooks, real robots, drawn from a seed, and read from files."""
