"""What the reference computes with, as matrices and vectors without a batch. Identities test it."""

from __future__ import annotations

import numpy as np

from cross_check.catalogue.notation import one, pose
from cross_check.catalogue.series import rate
from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra.spatial import Plucker, Transposed, crf, crm, mul


def plucker(E: Tensor, r: Tensor) -> Plucker:
    """The reference's transform X = [[E, 0], [−E r×, E]], with a batch of one."""
    return Plucker(E[..., None], r[:, None])


def matrix(X: Plucker | Transposed) -> Tensor:
    """The (6, 6) matrix of the reference's X, or Xᵀ: X times the identity matrix."""
    return X @ np.eye(6, dtype=object)


def star(X: Plucker) -> Tensor:
    """ᴮX*_A (6, 6): the inverse of the transpose of the reference's ᴮX_A."""
    E, r = X.E[..., 0], X.r[:, 0]
    return matrix(plucker(E.T, -E @ r).T)


def times(X: Plucker, v: Tensor) -> Tensor:
    """X v (6), by the reference."""
    return (X @ v[:, None])[:, 0]


def pose_of(X: Plucker) -> Tensor:
    """The pose of B in A (4, 4) for the reference's transform X = ᴮX_A."""
    return pose(X.E[..., 0].T, X.r[:, 0])


def across(v: Tensor) -> Tensor:
    """v̂× (6, 6), by the reference's cross product."""
    return crm(v[:, None], one(6))


def across_star(v: Tensor) -> Tensor:
    """v̂×* (6, 6), by the reference's cross product for forces."""
    return crf(v[:, None], one(6))


def force_on(I: Tensor, v: Tensor) -> Tensor:
    """Î â + v̂ ×* Î v̂ (6) for a body that moves with v(t), by the reference's products."""
    momentum = mul(I[..., None], v[:, None])
    return (mul(I[..., None], rate(v)[:, None]) + crf(v[:, None], momentum))[:, 0]


def inverse(M: Tensor) -> Tensor:
    """M⁻¹ (n, n), by the reference's solution of linear equations."""
    return solve(M[..., None], one(len(M))[..., None])[..., 0]
