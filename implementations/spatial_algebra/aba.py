"""Forward dynamics by the articulated-body algorithm.

Featherstone, *Rigid Body Dynamics Algorithms* (2008), Table 7.1:

    v_i = X_i v_λ(i) + v_J,  c_i = c_J + v_i × v_J,  I^A_i = I_i,  p^A_i = v_i ×* I_i v_i
    U = I^A S,  D = Sᵀ U,  u = τ − Sᵀ p^A
    I^a = I^A − U D⁻¹ Uᵀ,  p^a = p^A + I^a c + U D⁻¹ u
    I^A_λ(i) += X_iᵀ I^a X_i,  p^A_λ(i) += X_iᵀ p^a
    a' = X_i a_λ(i) + c,  q̈ = D⁻¹ (u − Uᵀ a'),  a_i = a' + S q̈         a_0 = −a_g

Armature is added to D (Featherstone 2008, §9.6); damping · q̇ is subtracted in u.

The body of each loop is a function, so that ``dalembert prove --every-tree`` can run it alone (docs/theorem.md).
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra.jcalc import transforms, velocity_product
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, crf, crm, mul

Tensors = list[Tensor]
"""Vectors or matrices by bodies, in the frames of the bodies."""


def aba(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """q̈ (nv, batch) that the joint forces τ (nv, batch) cause at q (nq, batch) and q̇ (nv, batch)."""
    X, S = transforms(model, q)
    n = len(model.links)
    v: Tensors = []
    c: Tensors = []
    IA: Tensors = []
    pA: Tensors = []
    for i in range(n):
        outward(model, i, qd, X, S, v, c, IA, pA)

    UD: dict[int, Tensor] = {}
    Du: dict[int, Tensor] = {}
    for i in reversed(range(n)):
        U, D, u = joint_equation(model, i, qd, tau, S, IA, pA)
        UD[i], Du[i] = solve(D, U.swapaxes(0, 1)), solve(D, u)
        inward(model, i, X, c, U, UD, Du, IA, pA)

    a: Tensors = []
    qdd: Tensors = []
    for i in range(n):
        accelerate(model, i, X, S, c, UD, Du, a, qdd)
    return np.concatenate(qdd)


def outward(
    model: Model, i: int, qd: Tensor, X: list[Plucker], S: Tensors, v: Tensors, c: Tensors, IA: Tensors, pA: Tensors
) -> None:
    """Append v_i, c_i, I^A_i and p^A_i, the last two of the body alone."""
    λ, link = model.parents[i], model.links[i]
    vJ = mul(S[i], qd[link.v])
    v.append(vJ if λ < 0 else X[i] @ v[λ] + vJ)
    c.append(crm(v[i], vJ))
    if link.compound:
        c[i] = c[i] + velocity_product(S[i], qd[link.v])
    IA.append(link.I)
    pA.append(crf(v[i], mul(link.I, v[i])))


def joint_equation(
    model: Model, i: int, qd: Tensor, tau: Tensor, S: Tensors, IA: Tensors, pA: Tensors
) -> tuple[Tensor, Tensor, Tensor]:
    """U, D and u of joint i, for which D q̈ + Uᵀ a' = u."""
    link, ST = model.links[i], S[i].swapaxes(0, 1)
    U = mul(IA[i], S[i])
    D = mul(ST, U) + np.eye(len(ST), dtype=int)[..., None] * link.armature
    u = tau[link.v] - link.damping * qd[link.v] - mul(ST, pA[i])
    return U, D, u


def inward(
    model: Model,
    i: int,
    X: list[Plucker],
    c: Tensors,
    U: Tensor,
    UD: dict[int, Tensor],
    Du: dict[int, Tensor],
    IA: Tensors,
    pA: Tensors,
) -> None:
    """Add I^a and p^a of body i to those of its parent. ``UD`` is D⁻¹ Uᵀ, and ``Du`` is D⁻¹ u."""
    λ = model.parents[i]
    if λ >= 0:
        Ia = IA[i] - np.einsum("ij...,jk...->ik...", U, UD[i])
        pa = pA[i] + mul(Ia, c[i]) + mul(U, Du[i])
        IA[λ] = IA[λ] + X[i].carry(Ia)
        pA[λ] = pA[λ] + X[i].T @ pa


def accelerate(
    model: Model,
    i: int,
    X: list[Plucker],
    S: Tensors,
    c: Tensors,
    UD: dict[int, Tensor],
    Du: dict[int, Tensor],
    a: Tensors,
    qdd: Tensors,
) -> None:
    """Append q̈ of joint i, and a_i."""
    λ = model.parents[i]
    a.append(X[i] @ (-model.gravity if λ < 0 else a[λ]) + c[i])
    qdd.append(Du[i] - mul(UD[i], a[i]))
    a[i] = a[i] + mul(S[i], qdd[i])
