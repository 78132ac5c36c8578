"""The adapter to DART."""
