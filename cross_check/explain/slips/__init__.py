"""Slips of the pen: single edits of a formulation's source, and what code with one of them answers."""
