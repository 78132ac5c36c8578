"""The mass matrix by the composite-rigid-body algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 6.2, and text 001, "Composite-rigid-body algorithm":

    I_c,λ(i) += X_iᵀ I_c,i X_i
    F = I_c,i S_i,   H_ii = S_iᵀ F
    while λ(j) exists:  F = X_jᵀ F,  j = λ(j),  H_ij = Fᵀ S_j
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor, constant
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import mul


def crba(model: Model, q: Tensor) -> Tensor:
    """M (nv, nv, batch) at q (nq, batch). Both triangles are filled; the diagonal includes the armature."""
    X, S = transforms(model, q)
    Ic = [link.I for link in model.links]
    H = np.broadcast_to(constant(model.field, 0), (model.nv, model.nv, q.shape[-1])).copy()
    for i, (λ, link) in reversed(list(enumerate(zip(model.parents, model.links, strict=True)))):
        if λ >= 0:
            Ic[λ] = Ic[λ] + X[i].carry(Ic[i])
        F, j = mul(Ic[i], S[i]), i
        H[link.v, link.v] = mul(S[i].swapaxes(0, 1), F)
        for k in range(link.v.start, link.v.stop):
            H[k, k] = H[k, k] + link.armature[k - link.v.start]
        while model.parents[j] >= 0:
            F, j = X[j].T @ F, model.parents[j]
            rows = model.links[j].v
            H[rows, link.v] = mul(S[j].swapaxes(0, 1), F)
            H[link.v, rows] = H[rows, link.v].swapaxes(0, 1)
    return H
