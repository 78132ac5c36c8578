"""Code whose model has rounded numbers: what it answers, and the mechanisms on which it loses nothing.

A rotation matrix of rounded numbers turns no vector without changing its length. Correct algorithms then answer differently, so
that the reference with the same matrices predicts the size and the direction of the errors alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import permutations, product
from typing import Any

import numpy as np

from cross_check.explain.faults.rounded_numbers import Change, rounded
from cross_check.explain.faults.wrong_mechanisms import joint, nearest
from implementations.algorithms import AlgorithmicDynamics
from implementations.field import Real
from implementations.spatial_algebra.model import Link, Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from implementations.spatial_algebra.spatial import Plucker
from mechanisms import Joint, Mechanism
from mechanisms.geometry import Placement, Rotation


@lru_cache(8)
def rounded_dynamics(change: Change, mechanism: Mechanism) -> Any:
    """The reference with all numbers of the mechanism changed, those of rotations and axes one by one."""
    model = build(rounded(change, mechanism), Real())

    def all_of(numbers: Any) -> Any:
        return np.vectorize(lambda x: float(change(x)), otypes=[np.float64])(numbers)

    def other(link: Link) -> Link:
        return replace(link, axes=all_of(link.axes), S=all_of(link.S), XT=Plucker(all_of(link.XT.E), link.XT.r))

    links = tuple(map(other, model.links))
    return AlgorithmicDynamics(mechanism, Model(model.field, links, model.parents, model.gravity, model.nv), ALGORITHMS)


@lru_cache(8)
def representable(change: Change, mechanism: Mechanism) -> Mechanism:
    """A mechanism of which ``change`` changes no number: rotations that it would change become the nearest by quarter turns."""

    def other(joint: Joint) -> Joint:
        p = joint.placement
        if any(change(x) != x for row in p.rotation.matrix for x in row):
            joint = replace(joint, placement=Placement(_nearest_turn(p.rotation), p.translation))
        axes = [axis for axis in (joint.axis, joint.second_axis) if axis and joint.description.has_axis]
        if all(change(x) == x for axis in axes for x in axis):
            return joint
        first = nearest(axes[0])
        if len(axes) == 1:
            return replace(joint, axis=first)
        beside = tuple(x * (1 - abs(y)) for x, y in zip(axes[1], first, strict=True))
        return replace(joint, axis=first, second_axis=nearest(beside if any(beside) else (*first[1:], first[0])))

    return joint(other)(rounded(change, mechanism))


def _nearest_turn(rotation: Rotation) -> Rotation:
    R = np.array(rotation.matrix, dtype=np.float64)
    return Rotation.from_matrix(max(_TURNS, key=lambda turn: float((np.array(turn) * R).sum())))


_TURNS = [
    tuple(map(tuple, turn.tolist()))
    for order in permutations(range(3))
    for signs in product((1, -1), repeat=3)
    if np.linalg.det(turn := np.diag(signs)[list(order)]) > 0
]
"""The rotations by quarter turns about coordinate axes."""
