"""The adapter to frax, and its reader."""
