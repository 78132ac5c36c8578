"""URDF: what is read, and what is written."""
