"""Derivatives of forward dynamics from the derivatives of inverse dynamics.

J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms", RSS 2018: differentiate
ID(q, q̇, FD(q, q̇, τ)) = τ.

    M ∂q̈/∂q = −∂ID/∂q,        M ∂q̈/∂v = −∂ID/∂v,        M ∂q̈/∂τ = 1        ∂ID at q̈ = FD(q, q̇, τ)

M X = F is solved for all columns of F at once by the articulated-body algorithm (Featherstone 2008, Table 7.1) at rest and
without gravity: v, c and a_0 are zero, and p^A comes from F alone.
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor, constant
from implementations.linear import solve
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.derivatives import inverse_dynamics_dq, inverse_dynamics_dv
from implementations.spatial_algebra.jcalc import transforms
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import mul


def forward_dynamics_dq(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
    """∂q̈/∂q (nv, nv, batch) along the components of q̇; the components of q̇ and τ are held fixed."""
    return accelerations(model, q, -inverse_dynamics_dq(model, q, qd, aba(model, q, qd, tau)))


def forward_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂q̈/∂v (nv, nv, batch), damping included. It is the same for every τ."""
    return accelerations(model, q, -inverse_dynamics_dv(model, q, qd))


def forward_dynamics_dtau(model: Model, q: Tensor) -> Tensor:
    """∂q̈/∂τ = M⁻¹ (nv, nv, batch)."""
    one = constant(model.field, np.eye(model.nv, dtype=int))[..., None]
    return accelerations(model, q, np.broadcast_to(one, (*one.shape[:2], q.shape[-1])))


def accelerations(model: Model, q: Tensor, F: Tensor) -> Tensor:
    """X = M⁻¹ F (nv, n, batch): the accelerations from rest under n joint forces, the columns of F (nv, n, batch)."""
    X, S = transforms(model, q)
    links = list(enumerate(zip(model.parents, model.links, strict=True)))
    IA = [link.I for link in model.links]
    pA = [np.broadcast_to(constant(model.field, 0), (6, *F.shape[1:])) for _ in links]
    UD: dict[int, Tensor] = {}
    Du: dict[int, Tensor] = {}
    for i, (λ, link) in reversed(links):
        ST = S[i].swapaxes(0, 1)
        U = mul(IA[i], S[i])
        D = mul(ST, U) + np.eye(len(ST), dtype=int)[..., None] * link.armature
        UD[i] = solve(D, U.swapaxes(0, 1))
        Du[i] = solve(D, F[link.v] - mul(ST, pA[i]))
        if λ >= 0:
            IA[λ] = IA[λ] + X[i].carry(IA[i] - np.einsum("ij...,jk...->ik...", U, UD[i]))
            pA[λ] = pA[λ] + X[i].T @ (pA[i] + mul(U, Du[i]))

    a: list[Tensor] = []
    qdd: list[Tensor] = []
    for i, (λ, _) in links:
        inherited = 0 * pA[i] if λ < 0 else X[i] @ a[λ]
        qdd.append(Du[i] - mul(UD[i], inherited))
        a.append(inherited + mul(S[i], qdd[i]))
    return np.concatenate(qdd)


FORWARD_DERIVATIVES = by_name(forward_dynamics_dq, forward_dynamics_dv, forward_dynamics_dtau)
"""The algorithms of this module, by name."""
