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
from functools import partial
from typing import Any

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, summed
from cross_check.error_scale.places import Place, Places, bodies, frames, six


def _placements(places: Places, bounds: MotionMagnitudes, q: Array) -> Array:
    moving = places(bounds, q)
    size = np.empty((len(q), len(moving), 3, 4))
    for k, place in enumerate(moving):
        size[:, k, :, :3] = place.D[:, None, None]
        size[:, k, :, 3] = (place.G * place.R)[:, None]
    return size


def _jacobians(places: Places, bounds: MotionMagnitudes, q: Array) -> Array:
    moving = places(bounds, q)
    size = np.zeros((len(q), len(moving), 6, bounds.mechanism.nv))
    for row, place in enumerate(moving):
        size[:, row] = jacobian(bounds, q, place)
    return size


def jacobian(bounds: MotionMagnitudes, q: Array, place: Place) -> Array:
    """Of one place: (batch, 6, nv)."""
    R, size = bounds.distances(q), np.zeros((len(q), 6, bounds.mechanism.nv))
    for k, joint, turns, advance in bounds.coordinates:
        if place.body in bounds.subtrees[joint]:
            size[:, :3, k] = (turns * place.D)[:, None]
            size[:, 3:, k] = (place.G * (turns * (place.R + R[joint]) + advance))[:, None]
    return size


def _velocities(places: Places, bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    return np.stack([place.G[:, None] * six(*place.velocity) for place in places(bounds, q, v)], axis=1)


def _accelerations(places: Places, bounds: MotionMagnitudes, q: Array, v: Array, a: Array | None = None) -> Array:
    return np.stack([place.G[:, None] * six(*place.acceleration) for place in places(bounds, q, v, a)], axis=1)


placements, frame_placements = partial(_placements, bodies), partial(_placements, frames)
jacobians, frame_jacobians = partial(_jacobians, bodies), partial(_jacobians, frames)
velocities, frame_velocities = partial(_velocities, bodies), partial(_velocities, frames)
accelerations, frame_accelerations = partial(_accelerations, bodies), partial(_accelerations, frames)
classical_accelerations, frame_classical_accelerations = accelerations, frame_accelerations
drifts = accelerations


def center_of_mass(bounds: MotionMagnitudes, q: Array) -> Array:
    return np.stack([_center_of_mass(bounds, q, bounds.m)] * 3, axis=1)


def centroidal_momentum(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    W, V = bounds.velocities(q, v)
    return _momentum(bounds, q, range(len(W)), W, V)


def centroidal_momentum_matrix(bounds: MotionMagnitudes, q: Array) -> Array:
    R = bounds.distances(q)

    def column(joint: int, turns: float, advance: float) -> Array:
        moving = [turns + 0 * r for r in R], [turns * R[joint] + advance] * len(R)
        return _momentum(bounds, q, bounds.subtrees[joint], *moving)

    return np.stack([column(joint, turns, advance) for _, joint, turns, advance in bounds.coordinates], axis=2)


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
    return six(angular, summed(l.values()))
