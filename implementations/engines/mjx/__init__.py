"""The adapter to MJX."""
