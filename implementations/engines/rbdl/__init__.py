"""The adapter to RBDL."""
