"""The adapter to MuJoCo."""
