"""Algorithms recorded once per mechanism and then executed as straight-line programs."""
