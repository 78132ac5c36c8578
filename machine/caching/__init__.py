"""Caches programs, in memory and in the user's cache folder."""
