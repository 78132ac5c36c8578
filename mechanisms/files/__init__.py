"""Mechanisms in files: URDF and what it cannot say, read and written; and what is true of all files of others."""
