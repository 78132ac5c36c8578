"""Whose code a built-in implementation is; every other implementation is a user's."""

from __future__ import annotations

from implementations.plugins.registry import ENGINE_NAMES, OURS

__all__ = ["ENGINE_NAMES", "OWN"]

OWN = tuple(OURS)
"""Implementations that are part of dalembert."""
