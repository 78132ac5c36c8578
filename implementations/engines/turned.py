"""Frames turned until an axis is their z, exactly: for engines that have a joint about or along x, y and z alone.

A body's frame may be turned together with its joint's without any change of q, v, a, τ or M: what counts is where the
joint's axes lie in the body. Velocities in the body's own frame are given along the joint's triad (:mod:`mechanisms.joint`),
and so are not changed either, if it is the triad that becomes x, y, z.
"""

from __future__ import annotations

from mechanisms import Placement
from mechanisms.geometry import smallest_turn
from mechanisms.numbers import Vector


def turn_to(axis: Vector) -> Placement:
    """The turn that takes x, y, z to e₁, e₂, e₃ of a joint with this ``axis``."""
    return Placement(smallest_turn(axis))
