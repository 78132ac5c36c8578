"""The sizes of the derivatives of the constraint Jacobian and drift, from the bounds of :mod:`cross_check.error_scale.places`.

Both frames of a constraint move, and what moves either of them moves the frame of the answer as well. So the sizes of the two
ends are added before they are multiplied (docs/notes/error-scale.md, eqs. 61–63). For a coordinate k, t and σ are the angular and
the linear size of its screw at the ends, (W, ν) are those of the ends' velocities, and (α, β) those of their accelerations:

    ∂J_j/∂q_k        t_j t_k D              t_k σ_j + t_j σ_k                                  eq. 61
    ∂(J̇ v)/∂q_k      t (α + W²)             t (β + 2 W ν) + σ (α + W²)                         eq. 62
    ∂(J̇ v)/∂v_k      5 t W                  5 (t ν + σ W)                                      eq. 63
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from cross_check.error_scale.constraint_sizes import ends
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.places import Pair
from mechanisms import Constraint


class _Ends(NamedTuple):
    """The sums over the two ends: t and σ (nv, batch), the motions (batch,), and the largest D and G."""

    screws: Pair
    velocity: Pair
    acceleration: Pair
    D: Array
    G: Array


def constraint_jacobian_dq(bounds: MotionMagnitudes, q: Array) -> Array:
    """(batch, directions, nv, nv)."""

    def of_ends(one: _Ends) -> Pair:
        t, σ = one.screws
        return one.D * t[:, None] * t, one.G * (t[:, None] * σ + σ[:, None] * t)

    return _sizes(bounds, q, np.zeros((len(q), bounds.mechanism.nv)), of_ends)


def constraint_drift_dq(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """(batch, directions, nv)."""

    def of_ends(one: _Ends) -> Pair:
        once, twice = _crossed(one.screws, one.acceleration), _crossed(_crossed(one.screws, one.velocity), one.velocity)
        return one.G * (once[0] + twice[0]), one.G * (once[1] + twice[1])

    return _sizes(bounds, q, v, of_ends)


def constraint_drift_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """(batch, directions, nv)."""

    def of_ends(one: _Ends) -> Pair:
        angular, linear = _crossed(one.screws, one.velocity)
        return 5 * one.G * angular, 5 * one.G * linear

    return _sizes(bounds, q, v, of_ends)


def _sizes(bounds: MotionMagnitudes, q: Array, v: Array, of_ends: Callable[[_Ends], Pair]) -> Array:
    """``of_ends`` (…, batch) in the rows of every constraint: (batch, directions, …)."""
    sizes = []
    for constraint, one in zip(bounds.mechanism.constraints, _ends(bounds, q, v), strict=True):
        angular, linear = np.broadcast_arrays(*of_ends(one))
        sizes.append(np.stack([angular if row < 3 else linear for row in constraint.rows]))
    return np.moveaxis(np.concatenate(sizes), -1, 0)


def _ends(bounds: MotionMagnitudes, q: Array, v: Array) -> Iterator[_Ends]:
    R, mechanism = bounds.distances(q), bounds.mechanism
    (W, V), (A, linear) = bounds.velocities(q, v), bounds.accelerations(q, v, 0 * v, 0)

    def summed(constraint: Constraint) -> _Ends:
        t, σ = np.zeros((mechanism.nv, len(q))), np.zeros((mechanism.nv, len(q)))
        motion = np.zeros((4, len(q)))
        D = G = np.ones(1)
        for b, lever in ends(mechanism, constraint):
            r = R[b] + lever
            D, G = np.maximum(D, bounds.rotations[b]), np.maximum(G, bounds.growth[b])
            for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
                for k, (turns, advance) in enumerate(screws, mechanism.v_slices[j].start):
                    if b in subtree:
                        t[k] += turns
                        σ[k] += turns * (r + R[j]) + advance
            turning = A[b] + W[b] ** 2
            motion += np.stack(np.broadcast_arrays(W[b], V[b] + W[b] * r, turning, linear[b] + W[b] * V[b] + turning * r))
        return _Ends((t, σ), (motion[0], motion[1]), (motion[2], motion[3]), D, G)

    return map(summed, mechanism.constraints)


def _crossed(x: Pair, y: Pair) -> Pair:
    """The size of x × y."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]
