"""Inverse dynamics by the recursive Newton–Euler algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 5.1, and seed 000, eqs. 30–38, in body coordinates:

    v_0 = 0,  a_0 = −a_g
    v_i = X_i v_λ(i) + v_J                          v_J = S_i q̇_i
    a_i = X_i a_λ(i) + S_i q̈_i + v_i × v_J
    f_i = I_i a_i + v_i ×* I_i v_i
    τ_i = S_iᵀ f_i                                  f_λ(i) += X_iᵀ f_i

a_g is the acceleration of free fall, (0, 0, −9.81) under the usual gravity; seed 000 writes it with +g above eq. 30,
and × for ×* in eq. 36: both are slips, as its own eqs. 22 and 26 show.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.jcalc import across
from implementations.model import Model
from implementations.spatial import Plucker, crf, crm, mul


def rnea(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """τ (nv, batch) that gives the acceleration q̈ (nv, batch) at q (nq, batch) and q̇ (nv, batch).

    Includes each joint's armature · q̈ and damping · q̇.
    """
    X: list[Plucker] = []
    v: list[Tensor] = []
    a: list[Tensor] = []
    f: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        X.append(across(link, q, model.field))
        vJ = link.S @ qd[link.v]
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        a.append(X[i] @ (-model.gravity if λ < 0 else a[λ]) + link.S @ qdd[link.v] + crm(v[i], vJ))
        f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))

    τ = []
    for i, (λ, link) in reversed(list(enumerate(zip(model.parents, model.links, strict=True)))):
        τ.append(link.S.T @ f[i] + link.armature * qdd[link.v] + link.damping * qd[link.v])
        if λ >= 0:
            f[λ] = f[λ] + X[i].T @ f[i]
    return np.concatenate(τ[::-1])
