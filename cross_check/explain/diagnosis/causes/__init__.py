"""Causes: what a run, a diagnosis, and experiments with files have found, in words."""
