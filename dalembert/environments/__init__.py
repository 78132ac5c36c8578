"""Environments with released packages, isolated from everything else that is installed, and kept in the user's cache."""
