"""Inverse dynamics by the recursive Newton–Euler algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 5.1, and text 000, eqs. 30–38, in body coordinates.
Unlike Table 5.1, f^x is in body coordinates, too:

    v_0 = 0,  a_0 = −a_g
    v_i = X_i v_λ(i) + v_J                          v_J = S_i q̇_i
    a_i = X_i a_λ(i) + S_i q̈_i + c_J + v_i × v_J        c_J = S̊_i q̇_i
    f_i = I_i a_i + v_i ×* I_i v_i − f_i^x              f^x: the external force on the body
    τ_i = S_iᵀ f_i                                  f_λ(i) += X_iᵀ f_i

a_g is the acceleration of free fall, usually (0, 0, −9.81). Text 000 has two slips here: it writes +g above eq. 30, and × for
×* in eq. 36. ``dalembert catalogue 000.31 000.36`` proves both corrections.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.gravity_compensation import lifting_forces
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.joint_forces import joint_force
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul


def rnea(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, fx: Tensor | None = None) -> Tensor:
    """τ (nv, batch) that causes the acceleration q̈ (nv, batch) at q (nq, batch) and q̇ (nv, batch).

    τ includes armature · q̈, the joints' own forces and gravity compensation. The external forces fx are (bodies, 6, batch), in
    the frames of their bodies.
    """
    X, S = transforms(model, q)
    lift = lifting_forces(model, X)
    v: list[Tensor] = []
    a: list[Tensor] = []
    f: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        a.append(X[i] @ (-model.gravity if λ < 0 else a[λ]) + mul(S[i], qdd[link.v]) + crm(v[i], vJ))
        if link.compound:
            a[i] = a[i] + velocity_product(S[i], qd[link.v])
        f.append(mul(link.I, a[i]) + crf(v[i], mul(link.I, v[i])))
        if fx is not None:
            f[i] = f[i] - fx[i]
        if lift:
            f[i] = f[i] - lift[i]

    τ: list[Tensor] = []
    for i, (λ, link) in reversed(list(enumerate(zip(model.parents, model.links, strict=True)))):
        τ.append(mul(S[i].swapaxes(0, 1), f[i]) + link.armature * qdd[link.v] + joint_force(model, link, q, qd))
        if λ >= 0:
            f[λ] = f[λ] + X[i].T @ f[i]
    return np.concatenate(τ[::-1])
