"""Asks code under test again, and finds out whether its answers depend on what was called before."""
