"""Homogeneous solids, whose inertias are known in closed form (Featherstone 2008, §2.13)."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from mechanisms.inertia import Inertia
from mechanisms.numbers import Scalar, exact, exact_vector

CENTRE = (0, 0, 0)


def box(mass: object, sides: Sequence[object], com: Sequence[object] = CENTRE) -> Inertia:
    """A cuboid with ``sides`` (m) along x, y, z: Ixx = m (b² + c²)/12 and so on."""
    m = exact(mass, "mass")
    aa, bb, cc = (side * side for side in exact_vector(sides, 3, "sides"))
    return Inertia(m, tuple(com), (*(m * pair * Fraction(1, 12) for pair in (bb + cc, aa + cc, aa + bb)), 0, 0, 0))


def cylinder(mass: object, radius: object, length: object, axis: int = 2, com: Sequence[object] = CENTRE) -> Inertia:
    """A cylinder along ``axis``: m r²/2 about it, m (3 r² + l²)/12 about the other axes; a rod where ``radius`` is zero."""
    m, r, l = exact(mass, "mass"), exact(radius, "radius"), exact(length, "length")
    moments: list[Scalar] = [m * (3 * r * r + l * l) * Fraction(1, 12)] * 3
    moments[axis] = m * r * r * Fraction(1, 2)
    return Inertia(m, tuple(com), (*moments, 0, 0, 0))
