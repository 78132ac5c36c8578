"""The sizes of the constraint Jacobian, of the drift, and of their derivatives, from the bounds of
:mod:`cross_check.error_scale.places`.

The difference of the motions of both ends is computed: the sizes of the two ends are added (docs/notes/error-scale.md, eqs. 53,
54). What moves either end moves the frame of the answer as well. So for derivatives the sizes of the two ends are added before
they are multiplied (eqs. 61–63). For a coordinate k, t and σ are the angular and
the linear size of its screw at the ends, (W, ν) are those of the ends' velocities, and (α, β) those of their accelerations:

    ∂J_j/∂q_k        t_j t_k D              t_k σ_j + t_j σ_k                                  eq. 61
    ∂(J̇ v)/∂q_k      t (α + W²)             t (β + 2 W ν) + σ (α + W²)                         eq. 62
    ∂(J̇ v)/∂v_k      5 t W                  5 (t ν + σ W)                                      eq. 63
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cross_check.error_scale.kinematic_sizes import jacobian
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.places import Pair, Place, crossed, ends, six


def constraint_jacobian(bounds: MotionMagnitudes, q: Array) -> Array:
    """(batch, directions, nv)."""
    nothing = np.zeros((len(q), 6, bounds.mechanism.nv))
    both = ((one, sum((jacobian(bounds, q, place) for place in places), nothing)) for one, places in ends(bounds, q))
    return np.concatenate([size[:, list(one.rows)] for one, size in both], axis=1)


def constraint_drift(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """(batch, directions)."""
    nothing = np.zeros((len(q), 6))
    both = ((one, sum((p.G[:, None] * six(*p.acceleration) for p in places), nothing)) for one, places in ends(bounds, q, v))
    return np.concatenate([size[:, list(one.rows)] for one, size in both], axis=1)


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
        once, twice = crossed(one.screws, one.acceleration), crossed(crossed(one.screws, one.velocity), one.velocity)
        return one.G * (once[0] + twice[0]), one.G * (once[1] + twice[1])

    return _sizes(bounds, q, v, of_ends)


def constraint_drift_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """(batch, directions, nv)."""

    def of_ends(one: _Ends) -> Pair:
        angular, linear = crossed(one.screws, one.velocity)
        return 5 * one.G * angular, 5 * one.G * linear

    return _sizes(bounds, q, v, of_ends)


def _sizes(bounds: MotionMagnitudes, q: Array, v: Array, of_ends: Callable[[_Ends], Pair]) -> Array:
    """``of_ends`` (…, batch) in the rows of every constraint: (batch, directions, …)."""
    sizes = []
    for constraint, places in ends(bounds, q, v):
        angular, linear = np.broadcast_arrays(*of_ends(_sum(bounds, q, places)))
        sizes.append(np.stack([angular if row < 3 else linear for row in constraint.rows]))
    return np.moveaxis(np.concatenate(sizes), -1, 0)


def _sum(bounds: MotionMagnitudes, q: Array, places: Sequence[Place]) -> _Ends:
    R, motion = bounds.distances(q), np.zeros((4, len(q)))
    t, σ = np.zeros((2, bounds.mechanism.nv, len(q)))
    D = G = np.ones(1)
    for place in places:
        D, G = np.maximum(D, place.D), np.maximum(G, place.G)
        for k, joint, turns, advance in bounds.coordinates:
            if place.body in bounds.subtrees[joint]:
                t[k] += turns
                σ[k] += turns * (place.R + R[joint]) + advance
        motion += np.stack(np.broadcast_arrays(*place.velocity, *place.acceleration))
    return _Ends((t, σ), (motion[0], motion[1]), (motion[2], motion[3]), D, G)
