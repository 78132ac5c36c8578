"""Algorithms recorded once for a mechanism, then run as straight-line programs."""
