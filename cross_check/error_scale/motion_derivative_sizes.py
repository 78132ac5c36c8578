"""The sizes of derivatives of motions, from the bounds of :mod:`cross_check.error_scale.places`.

docs/notes/error-scale.md derives the equations and numbers them. (α, β) are the angular and the linear size of the acceleration
of a body or a frame (eq. 20), (W, ν) those of its velocity (eq. 19). A coordinate k has the angular part t, and σ = t R_k + d:

    ∂V/∂q_k     t W                      t ν + σ W                                eq. 39
    ∂V̇/∂q_k     t (α + W²)               t (β + 2 W ν) + σ (α + W²)               eq. 40
    ∂V̇/∂v_k     3 t W                    3 (t ν + σ W)                            eq. 41
    ∂p̈/∂q_k     as ∂V̇/∂q_k, and          2 t W ν + σ W²                           eq. 42
    ∂p̈/∂v_k     as ∂V̇/∂v_k, and          t ν + (σ + t R) W                        eq. 42
    ∂J_j/∂q_k   t_j t_k D                t_k σ_j + t_j σ_k + t_j t_k R            eq. 43

A size is the same in every frame. It is zero where k does not move the body.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.places import Pair, Place, Places, bodies, crossed, frames


def _velocities_dq(places: Places, bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 39."""
    return _of_pairs(bounds, q, places(bounds, q, v), lambda b, t, σ: crossed((t, σ), b.velocity))


def _accelerations_dq(places: Places, bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 40: s × (V̇ − V̇_λ) and Ψ̇ × (V − V_λ)."""

    def of_pair(b: Place, t: Array, σ: Array) -> Pair:
        once, twice = crossed((t, σ), b.acceleration), crossed(crossed((t, σ), b.velocity), b.velocity)
        return once[0] + twice[0], once[1] + twice[1]

    return _of_pairs(bounds, q, places(bounds, q, v, a), of_pair)


def _accelerations_dv(places: Places, bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 41: the three products of eq. 32 of docs/notes/derivatives.md."""
    return 3 * _velocities_dq(places, bounds, q, v)


def classical_accelerations_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eqs. 40, 42: also ∂(ω × ṗ)."""

    def product(b: Place, t: Array, σ: Array) -> Pair:
        W, ν = b.velocity
        return 0 * W, 2 * t * W * ν + σ * W**2

    return _accelerations_dq(bodies, bounds, q, v, a) + _of_pairs(bounds, q, bodies(bounds, q, v), product)


def classical_accelerations_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eqs. 41, 42: also ∂(ω × ṗ)."""

    def product(b: Place, t: Array, σ: Array) -> Pair:
        W, ν = b.velocity
        return 0 * W, t * ν + (σ + t * b.R) * W

    return _accelerations_dv(bodies, bounds, q, v) + _of_pairs(bounds, q, bodies(bounds, q, v), product)


def _jacobians_dq(places: Places, bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 43."""
    moving, (t, σ) = places(bounds, q), _screws(bounds, q)
    size = np.zeros((len(moving), bounds.mechanism.nv, bounds.mechanism.nv, 2, len(q)))
    for own, b in zip(size, moving, strict=True):
        columns = _moving(bounds, b.body)
        turns, moves = t[columns, None], σ[columns]
        both = turns[:, None] * turns
        linear = turns[:, None] * moves + turns * moves[:, None] + both * b.R
        own[np.ix_(columns, columns)] = np.stack([both * b.D + 0 * linear, b.G * linear], axis=2)
    return np.moveaxis(np.repeat(size, 3, axis=3), (4, 3), (0, 2))


velocities_dq, frame_velocities_dq = partial(_velocities_dq, bodies), partial(_velocities_dq, frames)
accelerations_dq, frame_accelerations_dq = partial(_accelerations_dq, bodies), partial(_accelerations_dq, frames)
accelerations_dv, frame_accelerations_dv = partial(_accelerations_dv, bodies), partial(_accelerations_dv, frames)
jacobians_dq, frame_jacobians_dq = partial(_jacobians_dq, bodies), partial(_jacobians_dq, frames)


def _of_pairs(bounds: MotionMagnitudes, q: Array, moving: list[Place], of_pair: Callable[[Place, Array, Array], Pair]) -> Array:
    """The sizes (batch, places, 6, nv) of ``of_pair``, called with a place, and t and σ (n, batch) of what moves it."""
    t, σ = _screws(bounds, q)
    size = np.zeros((len(moving), bounds.mechanism.nv, 2, len(q)))
    for own, b in zip(size, moving, strict=True):
        columns = _moving(bounds, b.body)
        pair = of_pair(b, t[columns, None], σ[columns])
        own[columns] = b.G * np.stack(np.broadcast_arrays(*pair), axis=1)
    return np.moveaxis(np.repeat(size, 3, axis=2), (3, 2), (0, 2))


def _screws(bounds: MotionMagnitudes, q: Array) -> Pair:
    """t (nv,) and σ = t R + d (nv, batch) of every coordinate."""
    R = bounds.distances(q)
    t, σ = zip(*((turns, turns * R[joint] + advance) for _, joint, turns, advance in bounds.coordinates), strict=True)
    return np.array(t), np.stack(np.broadcast_arrays(*σ))


def _moving(bounds: MotionMagnitudes, body: int) -> list[int]:
    """The coordinates that move a body; none move the root, -1."""
    return [k for k, joint, *_ in bounds.coordinates if body in bounds.subtrees[joint]]
