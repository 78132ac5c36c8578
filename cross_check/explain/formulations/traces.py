"""M as sums of traces, M_jk = Σ_i tr(U_ij J_i U_ikᵀ), in the symbols of :mod:`cross_check.explain.formulations.uicker`."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Chains, diagonal, trace
from cross_check.explain.formulations.spatial_bodies import inverse


def traces(m: Chains) -> Any:
    """The mass matrix (batch, nv, nv)."""
    T, W = m.unknown(2)
    for i, λ in enumerate(m.parents):
        A = m.placed_T[i] @ m.joint_T[i]  # the transform across the joint
        Tλ = T[λ] if λ >= 0 else m.one  # the placement of the parent
        T[i] = Tλ @ A  # the placement of the body
        W[i] = T[i] @ m.twists[i] @ inverse(T[i])  # the velocity of the joint per unit, along the root's axes,
    M = diagonal(m.rotors)  # the armature
    for i in range(len(m.parents)):
        for j in m.chain[i]:
            for k in m.chain[i]:
                U_j, U_k = W[j] @ T[i], W[k] @ T[i]  # the derivatives of the body's placement
                M = (  # M
                    M
                    + m.columns[j].T @ trace(U_j @ m.pseudo_inertias[i] @ U_k.mT)[:, 0] @ m.columns[k]  # the part of a body in M
                )
    return M
