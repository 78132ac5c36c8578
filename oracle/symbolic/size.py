"""Which mechanisms are small enough for the symbolic derivation."""

from __future__ import annotations

import math

from mechanisms import Joint, Mechanism

LIMIT = 5000
"""A generic 6R arm has a bound of 3906 and takes a tenth of a second; each further joint takes five times as long."""

ENTRIES = 20
"""So many entries of the derivatives of M that are zero take the time of one monomial."""

ROTATIONS = {"angle": 5, "quaternion": 25}
TRANSLATIONS = {0: 1, 2: 6, 3: 4}
"""Factors for the pose of a joint whose velocity is the body's own, by its rotation and its number of distances, which give
the order of size."""


def monomials(joint: Joint) -> int:
    """How many monomials of degree two one joint's generators have."""
    if joint.velocity_is_body_twist:
        return ROTATIONS[joint.slots[-1].form] * TRANSLATIONS[joint.description.distances]
    # An angle: 1 c s c² cs; a distance: 1 x x²; an angle that advances: 1 c s x c² cs cx sx x².
    return math.prod(3 if slot.form == "distance" else 9 if slot.advances else 5 for slot in joint.slots)


def size_bound(mechanism: Mechanism) -> int:
    """An upper bound on the monomials of the largest polynomials, from the tree alone.

    Every joint of a subtree enters the subtree's composite pseudo-inertia with degree two. Along a chain the numbers of
    monomials multiply, and where branches meet they add.
    """
    parents = mechanism.parents
    subtree = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            subtree[parents[i]] += monomials(mechanism.bodies[i].joint) * subtree[i]
    return sum(size for size, parent in zip(subtree, parents, strict=True) if parent < 0)


def is_small(mechanism: Mechanism) -> bool:
    """Whether the symbolic derivation of ``mechanism`` takes seconds at most, also with exact floats from a URDF.

    The derivatives of M are nv³ polynomials, and making them takes time although most are zero.
    """
    return size_bound(mechanism) + mechanism.nv**3 // ENTRIES <= LIMIT
