"""The mass matrix by the composite-rigid-body algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 6.2, and text 001, "Composite-rigid-body algorithm":

    I_c,λ(i) += X_iᵀ I_c,i X_i
    F = I_c,i S_i,   H_ii = S_iᵀ F
    while λ(j) exists:  F = X_jᵀ F,  j = λ(j),  H_ij = Fᵀ S_j

The body of each loop is a function, so that ``dalembert prove --every-tree`` can run it alone (docs/theorem.md).
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor, constant
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, mul


def crba(model: Model, q: Tensor) -> Tensor:
    """M (nv, nv, batch) at q (nq, batch). Both triangles are filled; the diagonal includes the armature."""
    X, S = transforms(model, q)
    Ic = [link.I for link in model.links]
    H = np.broadcast_to(constant(model.field, 0), (model.nv, model.nv, q.shape[-1])).copy()
    for i in reversed(range(len(model.links))):
        composite(model, i, X, Ic)
        F, j = diagonal(model, i, S, Ic, H), i
        while model.parents[j] >= 0:
            F, j = X[j].T @ F, model.parents[j]
            off_diagonal(model, i, j, S, F, H)
    return H


def composite(model: Model, i: int, X: list[Plucker], Ic: list[Tensor]) -> None:
    """Add the composite inertia of body i to that of its parent."""
    λ = model.parents[i]
    if λ >= 0:
        Ic[λ] = Ic[λ] + X[i].carry(Ic[i])


def diagonal(model: Model, i: int, S: list[Tensor], Ic: list[Tensor], H: Tensor) -> Tensor:
    """Write H_ii, and return F (6, nv of the joint, batch): the forces on body i for unit accelerations of its joint."""
    link = model.links[i]
    F = mul(Ic[i], S[i])
    H[link.v, link.v] = mul(S[i].swapaxes(0, 1), F)
    for k in range(link.v.start, link.v.stop):
        H[k, k] = H[k, k] + link.armature[k - link.v.start]
    return F


def off_diagonal(model: Model, i: int, j: int, S: list[Tensor], F: Tensor, H: Tensor) -> None:
    """Write H_ji and H_ij, for a joint j on the way from body i to the root; F is in the frame of body j."""
    rows, link = model.links[j].v, model.links[i]
    H[rows, link.v] = mul(S[j].swapaxes(0, 1), F)
    H[link.v, rows] = H[rows, link.v].swapaxes(0, 1)
