"""Where bodies and joints are, exactly, from the numbers that a mechanism was given.

Nothing here calls the functions of :mod:`mechanisms` that turn, place or weld, because the truth is computed with them: what is
wrong there must not be wrong in the engine's model, too. :class:`mechanisms.Rotation` and others only hold numbers here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from implementations.protocol import Array
from mechanisms import Inertia, Mechanism, Placement, Rotation


class Place(NamedTuple):
    """Where a frame is in another one: x' = R x + p; R (3, 3), p (3,) in metres.

    The entries are fractions, so that welds whose turns cancel leave no rounding where a zero should be.
    """

    R: Array
    p: Array

    def of(self, inner: Place) -> Place:
        """Where the frame ``inner`` of this frame is in the other one."""
        return Place(self.R @ inner.R, self.R @ inner.p + self.p)


HERE = Place(np.eye(3, dtype=object), np.array([0, 0, 0], dtype=object))


class Welded(NamedTuple):
    """A body that does not move on its joint's frame: its inertia, and where its frame is."""

    inertia: Inertia
    place: Place


class Carried(NamedTuple):
    """A joint's frame in the frame of the moving body before it, and every body that it carries, its own first."""

    parent: str
    """The name of the moving body before it; the root's, if there is none."""
    place: Place
    bodies: list[Welded]


def carried(mechanism: Mechanism) -> dict[str, Carried]:
    """By the name of its body, what every joint that moves carries, from the bodies as they were before they were welded."""
    holder = {mechanism.root: (mechanism.root, HERE)}
    joints: dict[str, Carried] = {}
    for body in mechanism.unwelded:
        name, before = holder[body.parent]
        place = before.of(place_of(body.joint.placement))
        if body.joint.kind != "fixed":
            holder[body.name] = (body.name, HERE)
            joints[body.name] = Carried(name, place, [Welded(body.inertia, HERE)])
            continue
        holder[body.name] = (name, place)
        if name in joints:
            joints[name].bodies.append(Welded(body.inertia, place))
    return joints


def place_of(placement: Placement) -> Place:
    """The same place, computed from the quaternion."""
    return Place(turned_by(placement.rotation), np.array(placement.translation, dtype=object))


def turned_by(rotation: Rotation) -> Array:
    """R (3, 3) of a quaternion of any length: R = 1 + 2 (w [u] + [u]²) / (w² + u·u)."""
    w, x, y, z = (Fraction(part) for part in (rotation.w, rotation.x, rotation.y, rotation.z))
    across = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=object)
    return np.eye(3, dtype=object) + (w * across + across @ across) * (2 / (w * w + x * x + y * y + z * z))


def triad(axis: Sequence[Any]) -> Array:
    """R (3, 3) with the columns e₁, e₂, e₃ = ``axis``: the shortest turn from z; for −z, the half turn about x.

    With u = z × axis, R = 1 + [u] + [u]² / (1 + z · axis).
    """
    x, y, z = floats(axis)
    # Near −z, 1 + z loses its digits; (x² + y²) / (1 − z) is the same number.
    above = 1 + z if z > 0 else (x * x + y * y) / (1 - z)
    if above == 0:
        return np.diag([1.0, -1.0, -1.0])
    across = _cross_matrix([-y, x, 0.0])
    return np.eye(3) + across + across @ across / above


def _cross_matrix(u: Sequence[float]) -> Array:
    """[u] (3, 3) with [u] x = u × x."""
    # Row i is eᵢ × u, and [u] is skew.
    return np.cross(np.eye(3), u)


def floats(numbers: Any) -> Array:
    """The nearest float64 numbers."""
    return np.array(numbers, dtype=np.float64)
