"""The adapter to Pinocchio."""
