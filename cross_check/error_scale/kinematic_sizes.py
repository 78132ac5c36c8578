"""The sizes of kinematics: what is summed in them, as :mod:`cross_check.error_scale.lengths`, whatever the frame.

With its R, W, V, A, a (without gravity) and c of every body, D rotations on the way there, and a coordinate of joint j
that turns and advances by t and d:

    [R p]       D, and R
    J           t D, and t (R + R_j) + d, for the bodies beyond the joint
    V           W, and V + W R
    V̇, J̇v       A + W², and a + W V + (A + W²) R
    m c         Σ m (c + R)
    h_G         k + c_G l, and l:  l = Σ m (V + W (c + R)),  k = Σ tr I W + (c + R) m (V + W (c + R)),  c_G the size of c
    A_G         the same with t for W and t R_j + d for V

The levers R and R_j are there for code that works about the root's origin. J, V and V̇ are the same size in every frame:
it takes a body's motion about its own origin to tell that about the root's, or the other way round.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from cross_check.error_scale.lengths import Array, Lengths, summed


def placements(x: Lengths, q: Array) -> Array:
    R = np.stack(x.distances(q), axis=1)
    size = np.empty((*R.shape, 3, 4))
    size[..., :3] = np.array(x.turnings)[:, None, None]
    size[..., 3] = R[..., None]
    return size


def jacobians(x: Lengths, q: Array) -> Array:
    R = x.distances(q)
    size = np.zeros((len(q), len(R), 6, x.mechanism.nv))
    for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
        for k, (turns, advance) in enumerate(screws, x.mechanism.v_slices[j].start):
            for b in beyond:
                size[:, b, :3, k] = turns * x.turnings[b]
                size[:, b, 3:, k] = (turns * (R[b] + R[j]) + advance)[:, None]
    return size


def velocities(x: Lengths, q: Array, v: Array) -> Array:
    return _motions((W, V + W * R) for W, V, R in zip(*x.velocities(q, v), x.distances(q), strict=True))


def accelerations(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    parts = zip(*x.velocities(q, v), *x.accelerations(q, v, a, 0), x.distances(q), strict=True)
    return _motions((A + W**2, linear + W * V + (A + W**2) * R) for W, V, A, linear, R in parts)


def classical_accelerations(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    return accelerations(x, q, v, a)


def drifts(x: Lengths, q: Array, v: Array) -> Array:
    return accelerations(x, q, v, np.zeros_like(v))


def center_of_mass(x: Lengths, q: Array) -> Array:
    return np.stack([_center(x, q)] * 3, axis=1)


def centroidal_momentum(x: Lengths, q: Array, v: Array) -> Array:
    W, V = x.velocities(q, v)
    return _momentum(x, q, range(len(W)), W, V)


def centroidal_momentum_matrix(x: Lengths, q: Array) -> Array:
    R = x.distances(q)
    columns = []
    for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
        for turns, advance in screws:
            columns.append(_momentum(x, q, beyond, [turns + 0 * r for r in R], [turns * R[j] + advance] * len(R)))
    return np.stack(columns, axis=2)


def external_forces(x: Lengths, q: Array, f: Array) -> Array:
    """Of Σ JᵀF, for forces f (batch, bodies, 6) on the bodies: (batch, nv)."""
    R = x.distances(q)
    n, F = (np.linalg.norm(part, axis=2).T for part in (f[..., :3], f[..., 3:]))
    rows = []
    for j, (screws, beyond) in enumerate(zip(x.screws, x.beyond, strict=True)):
        torque, force = (summed(part) for part in ((n[b] + (R[b] + R[j]) * F[b] for b in beyond), (F[b] for b in beyond)))
        rows += [turns * torque + advance * force for turns, advance in screws]
    return np.stack(rows, axis=1)


def _center(x: Lengths, q: Array) -> Array:
    return summed(m * (R + c) for m, R, c in zip(x.m, x.distances(q), x.c, strict=True)) / sum(x.m)


def _momentum(x: Lengths, q: Array, bodies: Iterable[int], W: Sequence[Array], V: Sequence[Array]) -> Array:
    """Of the momentum (batch, 6) of ``bodies`` that move with W and V, about the centre of mass of all."""
    levers = [R + c for R, c in zip(x.distances(q), x.c, strict=True)]
    l = {b: x.m[b] * (V[b] + W[b] * levers[b]) for b in bodies}
    angular = summed(x.I[b] * W[b] + (levers[b] + _center(x, q)) * l[b] for b in l)
    return np.stack([angular] * 3 + [summed(l.values())] * 3, axis=1)


def _motions(pairs: Iterable[tuple[Array, Array]]) -> Array:
    """Angular and linear sizes (batch,) of every body as those of motions (batch, bodies, 6)."""
    return np.stack([np.stack([angular] * 3 + [linear] * 3, axis=1) for angular, linear in pairs], axis=1)
