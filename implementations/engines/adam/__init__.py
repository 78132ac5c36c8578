"""The adapter to adam."""
