"""Which mechanisms the symbolic derivation is meant for; the one place that says so."""

from __future__ import annotations

from mechanisms import Mechanism

LIMIT = 5000
"""A generic 6R arm has 3906 and is derived in a tenth of a second; each further joint takes five times as long."""

MONOMIALS = {"revolute": 5, "prismatic": 3, "free": 100}
"""Degree two in one joint's generators: 1 c s c² cs; 1 x x²; a pose's rotations by its translations, as the order of size."""


def size_bound(mechanism: Mechanism) -> int:
    """How many monomials the largest polynomials may have, from the tree alone.

    Of a body's composite pseudo-inertia every joint beyond contributes degree two: along a chain the monomials multiply,
    where branches meet they add.
    """
    parents = mechanism.parents
    beyond = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            beyond[parents[i]] += MONOMIALS[mechanism.bodies[i].joint.kind] * beyond[i]
    return sum(size for size, parent in zip(beyond, parents, strict=True) if parent < 0)


def is_small(mechanism: Mechanism) -> bool:
    """Whether the symbolic derivation is meant for ``mechanism``: seconds at most, exact floats of a URDF included."""
    return size_bound(mechanism) <= LIMIT
