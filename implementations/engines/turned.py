"""Rotates frames, exactly, until a joint's axis is their z axis: for engines whose joints have the axes x, y and z only.

If a body's frame is rotated together with its joint's frame, then q, v, a, τ and M do not change, since the joint's axes stay
where they are in the body. A velocity in the body's own frame is given along the joint's triad (:mod:`mechanisms.joint`). It
does not change either if the triad becomes x, y, z.
"""

from __future__ import annotations

from mechanisms import Placement
from mechanisms.geometry import smallest_turn
from mechanisms.numbers import Vector


def turn_to(axis: Vector) -> Placement:
    """The rotation that takes x, y, z to e₁, e₂, e₃ of a joint with this ``axis``."""
    return Placement(smallest_turn(axis))
