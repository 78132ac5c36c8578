"""Forward dynamics by the articulated-body algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 7.1:

    v_i = X_i v_λ(i) + v_J,  c_i = c_J + v_i × v_J,  I^A_i = I_i,  p^A_i = v_i ×* I_i v_i
    U = I^A S,  D = Sᵀ U,  u = τ − Sᵀ p^A
    I^a = I^A − U D⁻¹ Uᵀ,  p^a = p^A + I^a c + U D⁻¹ u
    I^A_λ(i) += X_iᵀ I^a X_i,  p^A_λ(i) += X_iᵀ p^a
    a' = X_i a_λ(i) + c,  q̈ = D⁻¹ (u − Uᵀ a'),  a_i = a' + S q̈         a_0 = −a_g

Armature is added to D (Featherstone 2008, §9.6); the joints' own forces are subtracted in u, and those of gravity
compensation in p^A.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra.gravity_compensation import lifting_forces
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.joint_forces import joint_force
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import crf, crm, mul

Tensors = list[Tensor]
"""Vectors or matrices by bodies, in the frames of the bodies."""


def aba(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """q̈ (nv, batch) that the joint forces τ (nv, batch) cause at q (nq, batch) and q̇ (nv, batch)."""
    X, S = transforms(model, q)
    lift = lifting_forces(model, X)
    bodies = list(enumerate(zip(model.parents, model.links, strict=True)))
    v: Tensors = []
    c: Tensors = []
    IA: Tensors = []
    pA: Tensors = []
    for i, (λ, link) in bodies:
        vJ = mul(S[i], qd[link.v])
        v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
        c.append(crm(v[i], vJ))
        if link.compound:
            c[i] = c[i] + velocity_product(S[i], qd[link.v])
        IA.append(link.I)
        pA.append(crf(v[i], mul(link.I, v[i])))
        if lift:
            pA[i] = pA[i] - lift[i]

    U, D, u, UD, Du = (dict[int, Tensor]() for _ in range(5))
    for i, (λ, link) in reversed(bodies):
        ST = S[i].swapaxes(0, 1)
        U[i] = mul(IA[i], S[i])
        D[i] = mul(ST, U[i]) + np.eye(len(ST), dtype=int)[..., None] * link.armature
        u[i] = tau[link.v] - joint_force(model, link, q, qd) - mul(ST, pA[i])
        UD[i], Du[i] = solve(D[i], U[i].swapaxes(0, 1)), solve(D[i], u[i])
        if λ >= 0:
            Ia = IA[i] - np.einsum("ij...,jk...->ik...", U[i], UD[i])
            pa = pA[i] + mul(Ia, c[i]) + mul(U[i], Du[i])
            IA[λ] = IA[λ] + X[i].carry(Ia)
            pA[λ] = pA[λ] + X[i].T @ pa

    a: Tensors = []
    qdd: Tensors = []
    for i, (λ, _) in bodies:
        a.append(X[i] @ (-model.gravity if λ < 0 else a[λ]) + c[i])
        qdd.append(Du[i] - mul(UD[i], a[i]))
        a[i] = a[i] + mul(S[i], qdd[i])
    return np.concatenate(qdd)
