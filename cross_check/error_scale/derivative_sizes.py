"""The sizes of derivatives: what is summed in them, as lengths (:mod:`cross_check.error_scale.lengths`), whatever the frame.

Coordinates i and k share the bodies that lie beyond both; with F, N and R as in what joint i transmits of these alone,
t and d telling how much a coordinate turns and advances,

    ∂τ_i/∂q_k     t_k (t_i (N + R F) + d_i F)  + d_k (t_i ∂(N + R F) + d_i ∂F)      for to turn by dq moves a length L by L dq
    ∂τ_i/∂v_k     t_i ∂(N + R F) + d_i ∂F, and damping
    C_ik          the same without damping

where ∂ is the derivative of the size: by the length of joint k, and by its own velocity in the way that coordinate k has it.
"""

from __future__ import annotations

import numpy as np

from cross_check.error_scale.lengths import Array, Lengths, summed

ETA = 2.0**-400
"""The imaginary part of a complex number that stands for a rate: its square is lost beside every size."""


class Varied(Lengths):
    """Lengths (nv, batch) whose imaginary parts, over :data:`ETA`, are derivatives by the coordinates."""

    def __init__(self, of: Lengths, by_position: bool) -> None:
        vars(self).update(vars(of))
        self._by_position = by_position
        shape = (len(of.screws), of.mechanism.nv, 1)
        self._turns, self._slides = np.zeros(shape, complex), np.zeros(shape, complex)
        for j, at in enumerate(of.mechanism.v_slices):
            self._turns[j, at, 0], self._slides[j, at, 0] = 1j * ETA * np.transpose(of.screws[j])

    def _steps(self, q: Array) -> list[Array]:
        return [r + self._by_position * own for r, own in zip(super()._steps(q), self._slides, strict=True)]

    def _joint_rates(self, v: Array) -> tuple[list[Array], list[Array]]:
        rates = zip(super()._joint_rates(v), (self._turns, self._slides), strict=True)
        turns, slides = ([x + (not self._by_position) * own for x, own in zip(*part, strict=True)] for part in rates)
        return turns, slides


def inverse_dynamics_dq(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    turns = np.array([turns for screws in x.screws for turns, _ in screws])[:, None]
    return np.moveaxis(turns * _shared(x, q, v, a) + _shared(Varied(x, True), q, v, a).imag / ETA, -1, 0)


def inverse_dynamics_dv(x: Lengths, q: Array, v: Array) -> Array:
    data = x.mechanism.arrays
    return coriolis_matrix(x, q, v) + np.diag(data.per_coordinate(data.damping))


def coriolis_matrix(x: Lengths, q: Array, v: Array) -> Array:
    return np.moveaxis(_shared(Varied(x, False), q, v, 0 * v).imag / ETA, -1, 0)


def _shared(x: Lengths, q: Array, v: Array, a: Array) -> Array:
    """What joint i transmits along coordinate i, of the bodies beyond both i and k: (nv, nv, batch)."""
    n, R, own = x.mechanism.nv, x.distances(q), x.forces(q, v, a)
    F, N = ([summed(np.broadcast_to(part[b], (n, len(q))) for b in beyond) for beyond in x.beyond] for part in own)
    found = np.zeros((n, n, len(q)), F[0].dtype)
    for i, rows in enumerate(x.mechanism.v_slices):
        turns, advances = np.transpose(x.screws[i])[..., None, None]
        for k, columns in enumerate(x.mechanism.v_slices):
            if i in x.beyond[k] or k in x.beyond[i]:
                force, both = F[max(i, k)], N[max(i, k)] + R[i] * F[max(i, k)]
                found[rows, columns] = turns * both[columns] + advances * force[columns]
    return found
