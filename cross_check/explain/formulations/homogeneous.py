"""Lagrange's equations with homogeneous transforms (4 × 4), by Hollerbach's recursion (1980); Paul, *Robot Manipulators*, ch. 6.

T is from a body to the root, A from a body to its parent, Ξ the twist of a joint as a matrix, J the pseudo-inertia of a body:

    L = ½ Σ tr(Ṫ J Ṫᵀ) + Σ gᵀ T J e₄,    τ_k = Σ tr(∂T/∂q_k J T̈ᵀ) − gᵀ ∂T/∂q_k J e₄
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Result, Transforms, trace


def homogeneous(m: Transforms, v: Any, a: Any) -> Result:
    """The forces (nv of the joint, …) of every joint, for its velocity and acceleration, and the placements of the bodies."""
    A, T, dT, ddT, D, h, τ = m.unknown(7)
    for i, λ in enumerate(m.parents):
        Ξ = m.twist(i, v[i])  # the velocity of the joint
        dΞ = m.twist(i, a[i]) + m.product(i)  # the acceleration of the joint
        A[i] = m.placed_T[i] @ m.joint_T[i]  # the transform across the joint
        dA = A[i] @ Ξ  # the rate of the transform across the joint
        ddA = A[i] @ (  # the second derivative of the transform across the joint
            Ξ @ Ξ  # the centripetal term of the joint
            + dΞ  # the acceleration of the joint
        )
        Tλ, dTλ, ddTλ = (T[λ], dT[λ], ddT[λ]) if λ >= 0 else (m.one, m.none, m.none)  # the motion of the parent
        T[i] = Tλ @ A[i]  # the placement of the body
        dT[i] = (  # the velocity of the body
            dTλ @ A[i]  # the velocity of the parent
            + Tλ @ dA  # the velocity of the joint, in that of the body,
        )
        ddT[i] = (  # the acceleration of the body
            ddTλ @ A[i]  # the acceleration of the parent
            + 2 * dTλ @ dA  # the Coriolis term, which mixes the velocities of the parent and of the joint,
            + Tλ @ ddA  # the acceleration of the joint, in that of the body,
        )
        D[i] = m.pseudo_inertias[i] @ ddT[i].mT  # the rate of momentum
        h[i] = m.pseudo_inertias[i] @ m.e4  # the first moment of mass
    for i, λ in reversed(list(enumerate(m.parents))):
        τ[i] = (  # the force of the joint
            trace(T[i] @ m.twists[i] @ D[i])  # the force of inertia
            - m.g.mT @ T[i] @ m.twists[i] @ h[i]  # the force of gravity
        )[..., 0]
        τ[i] = (  # the force of the joint
            τ[i]
            + m.armatures[i] * a[i]  # the force of the armature
            + m.dampings[i] * v[i]  # the force of the damping
        )
        if λ >= 0:
            D[λ] = D[λ] + A[i] @ D[i]  # the rate of momentum of an outboard body
            h[λ] = h[λ] + A[i] @ h[i]  # the first moment of mass of an outboard body
    return Result(τ, [one[:, 0, :3, :3] for one in T], [one[:, 0, :3, 3:] for one in T], dT=[one[:, 0] for one in dT])
