"""Bodies with spatial vectors, as columns (batch, 6, 1) and matrices (batch, 6, 6), for the formulations that have them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import Bodies, cross, each, matrix
from implementations.field import Tensor


def crm(v: Tensor, m: Tensor) -> Tensor:
    """v × m."""
    ω, u, x, y = v[:, :3], v[:, 3:], m[:, :3], m[:, 3:]
    return np.concatenate((cross(ω, x), cross(ω, y) + cross(u, x)), axis=1)


def crf(v: Tensor, f: Tensor) -> Tensor:
    """v ×* f."""
    ω, u, n, p = v[:, :3], v[:, 3:], f[:, :3], f[:, 3:]
    return np.concatenate((cross(ω, n) + cross(u, p), cross(ω, p)), axis=1)


class SpatialBodies(Bodies):
    """Motions and forces along the body's axes, angular parts first; X is from the parent's axes to the body's."""

    rest = np.zeros((1, 6, 1))
    a_g = cached_property(lambda m: np.pad(m.gravity, ((0, 0), (3, 0), (0, 0))))
    """The acceleration of free fall (1, 6, 1)."""
    X_J = each(lambda R, r: _transform(R, r), "joint_R", "joint_r")
    X_T = each(lambda R, r: _transform(R, r), "placed_R", "placed_r")
    spatial_inertias = each(lambda link: matrix(link.I))
    """Spatial inertias about the bodies' origins."""

    def rotor(self, i: int) -> Tensor:
        """The armature of joint i as a matrix."""
        return np.diag(self.links[i].armature[:, 0])[None]


def inverse(A: Any) -> Any:
    """The inverses of matrices (…, n, n); no numbers for singular ones."""
    try:
        return np.linalg.inv(A)
    except np.linalg.LinAlgError:
        sound = np.linalg.matrix_rank(A) == A.shape[-1]
        inverted = np.full_like(A, np.nan)
        inverted[sound] = np.linalg.inv(A[sound])
        return inverted


def _transform(R: Tensor, r: Tensor) -> Tensor:
    """[[Rᵀ, 0], [−Rᵀ r ×, Rᵀ]] (batch, 6, 6)."""
    X = np.zeros((max(len(R), len(r)), 6, 6))
    X[:, :3, :3] = X[:, 3:, 3:] = R.mT
    X[:, 3:, :3] = -R.mT @ cross(np.broadcast_to(r, (len(r), 3, 1)), np.eye(3)[None])
    return X
