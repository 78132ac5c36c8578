"""The sizes of derivatives of motions, from the bounds of :mod:`cross_check.error_scale.motion_magnitudes`.

docs/notes/error-scale.md derives the equations and numbers them. α and β are the angular and the linear size of the acceleration of
a body (eq. 20), W and ν = V + W R those of its velocity (eq. 19). A coordinate k has the angular part t, and σ = t R_k + d:

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

import numpy as np

from cross_check.error_scale.kinematic_sizes import Pair, acceleration_sizes, velocity_sizes
from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes


def velocities_dq(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 39."""
    velocity = velocity_sizes(bounds, q, v)
    return _of_pairs(bounds, q, lambda b, t, σ: _crossed((t, σ), velocity[b]))


def accelerations_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eq. 40: s × (V̇ − V̇_λ) and Ψ̇ × (V − V_λ)."""
    velocity, acceleration = velocity_sizes(bounds, q, v), acceleration_sizes(bounds, q, v, a)

    def of_pair(b: int, t: Array, σ: Array) -> Pair:
        once, twice = _crossed((t, σ), acceleration[b]), _crossed(_crossed((t, σ), velocity[b]), velocity[b])
        return once[0] + twice[0], once[1] + twice[1]

    return _of_pairs(bounds, q, of_pair)


def accelerations_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eq. 41: the three products of eq. 32 of docs/notes/derivatives.md."""
    return 3 * velocities_dq(bounds, q, v)


def classical_accelerations_dq(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    """Eqs. 40, 42: also ∂(ω × ṗ)."""
    velocity = velocity_sizes(bounds, q, v)

    def product(b: int, t: Array, σ: Array) -> Pair:
        W, ν = velocity[b]
        return 0 * W, 2 * t * W * ν + σ * W**2

    return accelerations_dq(bounds, q, v, a) + _of_pairs(bounds, q, product)


def classical_accelerations_dv(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    """Eqs. 41, 42: also ∂(ω × ṗ)."""
    velocity, R = velocity_sizes(bounds, q, v), bounds.distances(q)

    def product(b: int, t: Array, σ: Array) -> Pair:
        W, ν = velocity[b]
        return 0 * W, t * ν + (σ + t * R[b]) * W

    return accelerations_dv(bounds, q, v) + _of_pairs(bounds, q, product)


def jacobians_dq(bounds: MotionMagnitudes, q: Array) -> Array:
    """Eq. 43."""
    R, D = bounds.distances(q), bounds.rotations
    t, σ = _screws(bounds, q)
    size = np.zeros((len(R), bounds.mechanism.nv, bounds.mechanism.nv, 2, len(q)))
    for b, columns in enumerate(_moving(bounds)):
        turns, moves = t[columns, None], σ[columns]
        both = turns[:, None] * turns
        linear = turns[:, None] * moves + turns * moves[:, None] + both * R[b]
        size[b][np.ix_(columns, columns)] = np.stack([both * D[b] + 0 * linear, bounds.growth[b] * linear], axis=2)
    return np.moveaxis(np.repeat(size, 3, axis=3), (4, 3), (0, 2))


def _of_pairs(bounds: MotionMagnitudes, q: Array, of_pair: Callable[[int, Array, Array], Pair]) -> Array:
    """The sizes (batch, bodies, 6, nv) of ``of_pair``, called with a body and t and σ (n, batch) of the coordinates that move it."""
    t, σ = _screws(bounds, q)
    size = np.zeros((len(bounds.subtrees), bounds.mechanism.nv, 2, len(q)))
    for b, columns in enumerate(_moving(bounds)):
        pair = of_pair(b, t[columns, None], σ[columns])
        size[b, columns] = bounds.growth[b] * np.stack(np.broadcast_arrays(*pair), axis=1)
    return np.moveaxis(np.repeat(size, 3, axis=2), (3, 2), (0, 2))


def _crossed(x: Pair, y: Pair) -> Pair:
    """The size of x × y."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]


def _screws(bounds: MotionMagnitudes, q: Array) -> Pair:
    """t (nv,) and σ = t R + d (nv, batch) of every coordinate."""
    pairs = [(t, t * R + d) for R, screws in zip(bounds.distances(q), bounds.screws, strict=True) for t, d in screws]
    t, σ = zip(*pairs, strict=True)
    return np.array(t), np.stack(np.broadcast_arrays(*σ))


def _moving(bounds: MotionMagnitudes) -> list[list[int]]:
    """For every body the coordinates that move it."""
    columns: list[list[int]] = [[] for _ in bounds.subtrees]
    for own, subtree in zip(bounds.mechanism.v_slices, bounds.subtrees, strict=True):
        for b in subtree:
            columns[b] += range(own.start, own.stop)
    return columns
