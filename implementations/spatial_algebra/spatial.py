"""Spatial vector algebra: Plücker transforms and cross products (Featherstone 2008, ch. 2; text 000, §2).

Motion vectors are m = [ω; v], force vectors are f = [n; f]: the angular part comes first. The first axis of an array has the
six components, the last axis is the batch. There may be axes between the two: the functions act on a vector (6, batch) and on
every column of a matrix (6, k, batch) alike.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from implementations.field import Tensor

LEFT, RIGHT = np.array((1, 2, 0, 2, 0, 1)), np.array((2, 0, 1, 1, 2, 0))
"""The factors of a vector product: a_y b_z, a_z b_x, a_x b_y, and the products that are subtracted from these."""

LOWER = np.tril_indices(6, -1)
"""The entries of a 6×6 matrix below its diagonal."""


def mul(A: Tensor, x: Tensor) -> Tensor:
    """The product A x over the first two axes of A (m, n, batch) and the first axis of x (n, …, batch)."""
    if A.shape[-1] == 1 and x.ndim == 2:
        return A[..., 0] @ x  # A is constant: one BLAS call for the whole batch.
    return np.einsum("ij...,j...->i...", A, x)


def cross(a: Tensor, b: Tensor) -> Tensor:
    """The vector product a × b of (3, batch) arrays."""
    if a.ndim != b.ndim:
        a, b = a[:, *[None] * (b.ndim - a.ndim)], b[:, *[None] * (a.ndim - b.ndim)]
    # All six products at once: for small batches, calls cost more than arithmetic.
    products = a.take(LEFT, 0) * b.take(RIGHT, 0)
    return products[:3] - products[3:]


def crm(v: Tensor, m: Tensor) -> Tensor:
    """v × m: the rate of a motion vector m that moves with the velocity v (text 000, eq. 9)."""
    return np.concatenate((cross(v[:3], m[:3]), cross(v[:3], m[3:]) + cross(v[3:], m[:3])))


def crf(v: Tensor, f: Tensor) -> Tensor:
    """v ×* f: the rate of a force vector f that moves with the velocity v (text 000, eq. 10)."""
    return np.concatenate((cross(v[:3], f[:3]) + cross(v[3:], f[3:]), cross(v[:3], f[3:])))


class Plucker(NamedTuple):
    """The transform ^BX_A of motion vectors from frame A to frame B (text 000, eq. 11).

    X = [[E, 0], [−E r×, E]]. E (3, 3, batch) rotates coordinates of A into coordinates of B; r (3, batch) is the origin of B in
    coordinates of A. The transpose transforms force vectors from B to A: Xᵀ = (^AX_B)*.
    """

    E: Tensor
    r: Tensor

    def __matmul__(self, m: Tensor) -> Tensor:
        """X m: motion vectors, from A to B."""
        return np.concatenate((mul(self.E, m[:3]), mul(self.E, m[3:] - cross(self.r, m[:3]))))

    @property
    def T(self) -> Transposed:
        return Transposed(self)

    def after(self, first: Plucker) -> Plucker:
        """^CX_A = ^CX_B ^BX_A: this transform ^CX_B, applied after ``first``, ^BX_A."""
        return Plucker(np.einsum("ij...,jk...->ik...", self.E, first.E), first.r + mul(first.E.swapaxes(0, 1), self.r))

    def carry(self, inertia: Tensor) -> Tensor:
        """Xᵀ I X: a symmetric inertia (6, 6, batch), from B to A (text 000, eq. 20).

        The result is exactly symmetric. Otherwise the articulated-body algorithm doubles an asymmetry that is due to rounding at
        every joint with several degrees of freedom (docs/notes/error-scale.md, eq. 33).
        """
        carried = self.T @ (self.T @ inertia).swapaxes(0, 1)
        carried[LOWER] = carried.swapaxes(0, 1)[LOWER]
        return carried


class Transposed(NamedTuple):
    """Xᵀ, which transforms force vectors from B to A."""

    X: Plucker

    def __matmul__(self, f: Tensor) -> Tensor:
        """Xᵀ f."""
        back = self.X.E.swapaxes(0, 1)
        force = mul(back, f[3:])
        return np.concatenate((mul(back, f[:3]) + cross(self.X.r, force), force))
