"""The adapter to PyBullet."""
