"""The joint-torque regressor: inverse dynamics is linear in the inertial parameters π of the bodies.

C. Atkeson, C. An, J. Hollerbach, "Estimation of inertial parameters of manipulator loads and links" (1986); Featherstone 2008,
§5.3:

    τ = Y(q, q̇, q̈) π + armature · q̈ + damping · q̇ + friction · sign(q̇) + stiffness · (q − rest) − g(lifted)
    f_i = Σ_k (Î_k a_i + v_i ×* Î_k v_i) π_k            Î_k = ∂I/∂π_k, the spatial inertia of a unit of the k-th parameter
    Y_jk = S_jᵀ ⁱX_jᵀ (Î_k a_i + v_i ×* Î_k v_i)        if joint j moves body i, else zero

v and a are those of :mod:`implementations.spatial_algebra.rnea`, with a_0 = −a_g. π has ten parameters per body, in the order of
:data:`mechanisms.quantities.PARAMETERS`. The masses that gravity compensation lifts are no part of it.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul
from mechanisms.quantities import PARAMETERS


def joint_torque_regressor(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """Y (nv, 10 · bodies, batch) at q (nq, batch), q̇ and q̈ (nv, batch)."""
    X, S = transforms(model, q)
    units = unit_inertias(model.field)
    n = len(PARAMETERS)
    Y = np.broadcast_to(constant(model.field, 0), (model.nv, n * len(model.links), q.shape[-1])).copy()
    v: list[Tensor] = []
    a: list[Tensor] = []
    for i, (λ, link) in enumerate(zip(model.parents, model.links, strict=True)):
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        a.append(X[i] @ (-model.gravity if λ < 0 else a[λ]) + mul(S[i], qdd[link.v]) + crm(v[i], vJ))
        if link.compound:
            a[i] = a[i] + velocity_product(S[i], qd[link.v])
        F = np.stack([mul(I, a[i]) + crf(v[i], mul(I, v[i])) for I in units], axis=1)
        columns, j = slice(n * i, n * (i + 1)), i
        while j >= 0:
            Y[model.links[j].v, columns] = np.einsum("ij...,ik...->jk...", S[j], F)
            F, j = X[j].T @ F, model.parents[j]
    return Y


def unit_inertias(field: Field) -> list[Tensor]:
    """Î_k (6, 6, 1): the spatial inertia about the body's origin if the k-th parameter is one and all others are zero."""
    one = np.eye(3, dtype=int)
    inertias = []
    for k in range(len(PARAMETERS)):
        π = np.eye(len(PARAMETERS), dtype=int)[k]
        x, y, z = π[1:4]
        xx, yy, zz, xy, xz, yz = π[4:]
        mcx = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        inertias.append(constant(field, np.block([[I, mcx], [mcx.T, π[0] * one]]).astype(object))[..., None])
    return inertias
