"""The adapter to Brax."""
