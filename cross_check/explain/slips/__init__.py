"""Slips of the pen: single edits of a formulation's source, and the answers of code that has one."""
