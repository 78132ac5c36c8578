"""The sizes of the constraint Jacobian and drift, from the bounds of :mod:`cross_check.error_scale.motion_magnitudes`.

Both frames of a constraint move, and the difference of their motions is computed: the sizes of the two ends are added. An end
is at the distance R + |p| from the root's origin, where p is its place on the body (docs/notes/error-scale.md, eqs. 53, 54). An
end on the root adds nothing, because it does not move.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from mechanisms import Constraint, Mechanism


def constraint_jacobian(bounds: MotionMagnitudes, q: Array) -> Array:
    """(batch, directions, nv)."""
    R, mechanism = bounds.distances(q), bounds.mechanism
    sizes = []
    for constraint in mechanism.constraints:
        size = np.zeros((len(q), 6, mechanism.nv))
        for b, lever in ends(mechanism, constraint):
            for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
                if b not in subtree:
                    continue
                for k, (turns, advance) in enumerate(screws, mechanism.v_slices[j].start):
                    size[:, :3, k] += (turns * bounds.rotations[b])[:, None]
                    size[:, 3:, k] += (bounds.growth[b] * (turns * (R[b] + lever + R[j]) + advance))[:, None]
        sizes.append(size[:, list(constraint.rows)])
    return np.concatenate(sizes, axis=1)


def constraint_drift(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """(batch, directions)."""
    R, mechanism = bounds.distances(q), bounds.mechanism
    (W, V), (A, linear) = bounds.velocities(q, v), bounds.accelerations(q, v, 0 * v, 0)
    sizes = []
    for constraint in mechanism.constraints:
        size = np.zeros((len(q), 6))
        for b, lever in ends(mechanism, constraint):
            angular = A[b] + W[b] ** 2
            size[:, :3] += (bounds.growth[b] * angular)[:, None]
            size[:, 3:] += (bounds.growth[b] * (linear[b] + W[b] * V[b] + angular * (R[b] + lever)))[:, None]
        sizes.append(size[:, list(constraint.rows)])
    return np.concatenate(sizes, axis=1)


def ends(mechanism: Mechanism, constraint: Constraint) -> Iterator[tuple[int, float]]:
    """The index of the body of every end that moves, and how far from the body's origin the end is."""
    index = {body.name: i for i, body in enumerate(mechanism.bodies)}
    places = (constraint.first, constraint.first_placement), (constraint.second, constraint.second_placement)
    for name, placement in places:
        if name in index:
            yield index[name], math.hypot(*map(float, placement.translation))
