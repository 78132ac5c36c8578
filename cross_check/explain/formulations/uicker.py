"""Lagrange's equations as sums of traces (Uicker 1965; Fu, Gonzalez & Lee, *Robotics*, eqs. 3.2-26 to 3.2-32).

For joints that turn or slide. W is the velocity of all outboard bodies per unit of a joint's velocity, along the root's axes:

    U_ij = ∂T_i/∂q_j = W_j T_i,    U_ikl = ∂²T_i/∂q_k ∂q_l = W_k W_l T_i for a joint k that is not outboard of l
    τ_j = Σ_i Σ_k tr(U_ij J_i U_ikᵀ) q̈_k + Σ_i Σ_kl tr(U_ikl J_i U_ijᵀ) q̇_k q̇_l − Σ_i gᵀ U_ij J_i e₄
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import Chains, Result, pseudo, stacked, trace, transform, turned
from cross_check.explain.formulations.lumped import squared
from cross_check.explain.formulations.spatial_bodies import inverse


def hat(x: Any, y: Any, z: Any) -> Any:
    xy = -z  # row x, column y of the matrix of u ×
    xz = y  # row x, column z of the matrix of u ×
    yx = z  # row y, column x of the matrix of u ×
    yz = -x  # row y, column z of the matrix of u ×
    zx = -y  # row z, column x of the matrix of u ×
    zy = x  # row z, column y of the matrix of u ×
    return stacked([0 * x, xy, xz], [yx, 0 * x, yz], [zx, zy, 0 * x])


def uicker(m: Chains, v: Any, a: Any) -> Result:
    """The forces of every joint, for its velocity and acceleration, and the placements of the bodies."""
    T, W, J, τ = m.unknown(4)
    for i, λ in enumerate(m.parents):
        K = hat(*np.split(m.S_ω[i], 3, axis=1))  # the matrix of u ×
        R_J = (  # the rotation across the joint
            m.cosines[i] * m.one_3  # the cosine in Rodrigues' formula
            + (1 - m.cosines[i]) * (m.S_ω[i] @ m.S_ω[i].mT)  # the versine in Rodrigues' formula
            + m.sines[i] * K  # the sine in Rodrigues' formula
        )
        A = m.placed_T[i] @ transform(R_J, m.joint_r[i])  # the transform across the joint
        Q = turned(K, m.S_v[i])  # the velocity of the joint per unit
        Tλ = T[λ] if λ >= 0 else m.one  # the placement of the parent
        T[i] = Tλ @ A  # the placement of the body
        W[i] = T[i] @ Q @ inverse(T[i])  # the velocity of the joint per unit, along the root's axes,
        I_o = m.inertias[i] + squared(m.coms[i], m.masses[i] * m.coms[i])  # the inertia about the origin
        J[i] = pseudo(I_o, m.masses[i] * m.coms[i], m.masses[i])  # the pseudo-inertia
        τ[i] = (  # the force of the joint
            m.armatures[i] * a[i]  # the force of the armature
            + m.dampings[i] * v[i]  # the force of the damping
        )
    for i in range(len(m.parents)):
        for j in m.chain[i]:
            U_j = W[j] @ T[i]  # the derivative of the body's placement
            τ[j] = τ[j] - m.g.mT @ U_j @ J[i] @ m.e4  # the force of gravity
            for k in m.chain[i]:
                U_k = W[k] @ T[i]  # the derivative of the body's placement
                τ[j] = τ[j] + trace(U_j @ J[i] @ U_k.mT) * a[k]  # the force of inertia
                for l in m.chain[i]:
                    first, last = min(k, l), max(k, l)  # the order of joints
                    U_kl = W[first] @ W[last] @ T[i]  # the second derivative of the body's placement
                    τ[j] = (  # the force of the joint
                        τ[j] + trace(U_kl @ J[i] @ U_j.mT) * v[k] * v[l]  # the Coriolis and centrifugal force
                    )
    return Result([one[:, 0] for one in τ], [one[:, 0, :3, :3] for one in T], [one[:, 0, :3, 3:] for one in T])
