"""The sizes of kinematic quantities, from the bounds of :mod:`cross_check.error_scale.motion_magnitudes`.

docs/notes/error-scale.md derives the equations and numbers them. R, W, V, A, a (without gravity) and c belong to a body. D is the
number of rotations on the path to it. A component of the velocity of joint j has the angular part t and the linear part d:

    [R p]       D                         R                                        eq. 17
    J           t D                       t (R + R_j) + d     in the subtree of j  eq. 18
    V           W                         V + W R                                  eq. 19
    V̇, J̇v       A + W²                    a + W V + (A + W²) R                     eq. 20
    c                                     Σ m (c + R) / Σ m                        eq. 21
    h_G         k + |c| l                 l = Σ m (V + W (c + R))                  eq. 22
                k = Σ (tr I W + (c + R) m (V + W (c + R)))
    A_G         h_G with W = t and V = t R_j + d, over the subtree of j            eq. 23

The size is the same in every frame, as code may compute a motion about the body's origin from that about the root's origin,
and the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed
from cross_check.error_scale.places import Pair, bodies


def placements(bounds: MotionMagnitudes, q: Array) -> Array:
    R = np.stack(bounds.distances(q), axis=1)
    size = np.empty((*R.shape, 3, 4))
    size[..., :3] = np.stack(bounds.rotations, axis=1)[..., None, None]
    size[..., 3] = (R * np.stack(bounds.growth, axis=1))[..., None]
    return size


def jacobians(bounds: MotionMagnitudes, q: Array) -> Array:
    R = bounds.distances(q)
    size = np.zeros((len(q), len(R), 6, bounds.mechanism.nv))
    for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
        for k, (turns, advance) in enumerate(screws, bounds.mechanism.v_slices[j].start):
            for b in subtree:
                size[:, b, :3, k] = turns * bounds.rotations[b][:, None]
                size[:, b, 3:, k] = (bounds.growth[b] * (turns * (R[b] + R[j]) + advance))[:, None]
    return size


def velocities(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return _motions(bounds, (body.velocity for body in bodies(bounds, q, v)))


def accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return _motions(bounds, (body.acceleration for body in bodies(bounds, q, v, a)))


def classical_accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return accelerations(bounds, q, v, a)


def drifts(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return accelerations(bounds, q, v, np.zeros_like(v))


def center_of_mass(bounds: MotionMagnitudes, q: Array) -> Array:
    return np.stack([_center_of_mass(bounds, q, bounds.m)] * 3, axis=1)


def centroidal_momentum(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    W, V = bounds.velocities(q, v)
    return _momentum(bounds, q, range(len(W)), W, V)


def centroidal_momentum_matrix(bounds: MotionMagnitudes, q: Array) -> Array:
    R = bounds.distances(q)
    columns = []
    for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
        for turns, advance in screws:
            columns.append(_momentum(bounds, q, subtree, [turns + 0 * r for r in R], [turns * R[j] + advance] * len(R)))
    return np.stack(columns, axis=2)


def external_forces(bounds: MotionMagnitudes, q: Array, f: Array) -> Array:
    """The size of Σ JᵀF (batch, nv) for forces f (batch, bodies, 6) on the bodies (eq. 16)."""
    R = bounds.distances(q)
    n, F = ((np.stack(bounds.growth, axis=1) * np.linalg.norm(part, axis=2)).T for part in (f[..., :3], f[..., 3:]))
    rows = []
    for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
        torque, force = (summed(part) for part in ((n[b] + (R[b] + R[j]) * F[b] for b in subtree), (F[b] for b in subtree)))
        rows += [turns * torque + advance * force for turns, advance in screws]
    return np.stack(rows, axis=1)


def _center_of_mass(bounds: MotionMagnitudes, q: Array, masses: Sequence[Any]) -> Array:
    return summed(m * (R + c) for m, R, c in zip(masses, bounds.distances(q), bounds.c, strict=True)) / sum(bounds.masses)


def _momentum(bounds: MotionMagnitudes, q: Array, numbers: Iterable[int], W: Sequence[Array], V: Sequence[Array]) -> Array:
    """The size of the momentum (batch, 6) of the bodies ``numbers``, with velocities W and V, about the centre of mass of all."""
    levers = [R + c for R, c in zip(bounds.distances(q), bounds.c, strict=True)]
    l = {b: bounds.m[b] * (V[b] + W[b] * levers[b]) for b in numbers}
    c = _center_of_mass(bounds, q, bounds.masses)
    angular = summed(bounds.I[b] * W[b] + (levers[b] + c) * l[b] for b in l)
    return np.stack([angular] * 3 + [summed(l.values())] * 3, axis=1)


def _motions(bounds: MotionMagnitudes, pairs: Iterable[Pair]) -> Array:
    """The angular and the linear size (batch,) of every body, for the six components of its motion: (batch, bodies, 6)."""
    sizes = np.stack([np.stack([angular] * 3 + [linear] * 3, axis=1) for angular, linear in pairs], axis=1)
    return np.stack(bounds.growth, axis=1)[..., None] * sizes
