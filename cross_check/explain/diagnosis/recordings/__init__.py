"""Defects of recordings: rows, columns and units of a file, examined before the code that wrote its answers is accused."""
