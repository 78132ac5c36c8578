"""The adapter to Newton."""
