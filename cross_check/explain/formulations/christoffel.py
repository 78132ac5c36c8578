"""τ = M q̈ + C q̇ + g, with Jacobians along the root's axes and Christoffel symbols.

Siciliano et al., *Robotics*, eqs. 7.32, 7.39, 7.45. For trees of revolute and prismatic joints. The columns of Z_ω and Z_v are
the joints' axes, those of O the joints' origins.
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Axes, Result, contract, cross, diagonal


def jacobian(Z_ω: Any, Z_v: Any, x: Any) -> Any:
    return (  # the translational Jacobian
        cross(Z_ω, x)  # the columns of turning joints in the translational Jacobian
        + Z_v  # the columns of sliding joints in the translational Jacobian
    )


def christoffel(m: Axes, v: Any, a: Any) -> Result:
    """The forces (batch, nv, 1) of all joints, for their velocities and accelerations, and what they are computed from."""
    R, o, c, z_ω, z_v, moves = m.unknown(6)
    for i, λ in enumerate(m.parents):
        J = (  # the rotation across the joint
            m.one
            + m.sines[i] * m.crosses[i]  # the sine in Rodrigues' formula
            + (1 - m.cosines[i]) * m.crosses[i] @ m.crosses[i]  # the versine in Rodrigues' formula
        )
        Rλ, oλ = (R[λ], o[λ]) if λ >= 0 else (m.one, m.zero)  # the placement of the parent
        Rj = Rλ @ m.placed_R[i]  # the orientation of the joint
        R[i] = Rj @ J  # the rotation of the body
        o[i] = (  # the origin of the body
            oλ
            + Rλ @ m.placed_r[i]  # the origin of the joint
            + Rj @ m.joint_r[i]  # the displacement of the joint
        )
        moves[i] = (  # the joints that move the body
            m.own[i]  # the joint of the body among those that move it
            + (moves[λ] if λ >= 0 else 0)  # the inboard joints among those that move a body
        )
        z_ω[i] = R[i] @ m.S_ω[i]  # the axis of a turning joint
        z_v[i] = R[i] @ m.S_v[i]  # the axis of a sliding joint
    Z_ω, Z_v, O = m.joined(z_ω), m.joined(z_v), m.joined(o)
    outboard = m.outboard(moves)
    M = diagonal(m.rotors)  # the armature
    dM = m.no_derivatives
    g = m.no_forces
    for i in range(len(m.parents)):
        c[i] = o[i] + R[i] @ m.coms[i]  # the centre of mass from the root
        I_0 = R[i] @ m.inertias[i] @ R[i].mT  # the inertia along the root's axes
        movers = moves[i]  # the joints that move the body, in Jacobians,
        J_ω = Z_ω * movers  # the rotational Jacobian
        p = c[i]  # the point of a Jacobian
        J_v = jacobian(Z_ω, Z_v, p - O) * movers  # the translational Jacobian
        J_g = jacobian(Z_ω, Z_v, c[i] - O) * movers  # the translational Jacobian, in the force of gravity,
        M = (  # M
            M
            + m.masses[i] * (J_v.mT @ J_v)  # translational inertia, in M,
            + J_ω.mT @ I_0 @ J_ω  # rotational inertia, in M,
        )
        g = g - m.masses[i] * (J_g.mT @ m.gravity)  # the force of gravity
        for k in range(len(m.parents)):
            turn, dc = J_ω[..., k : k + 1], J_v[..., k : k + 1]  # the motion of the body by joint k
            dZ_ω = cross(turn, Z_ω) * outboard[k]  # the derivative of the axes of turning joints
            dZ_v = cross(turn, Z_v) * outboard[k]  # the derivative of the axes of sliding joints
            dO = (
                (  # the derivative of the origins of joints
                    cross(turn, O - O[..., k : k + 1])  # the turn of the origins of joints
                    + Z_v[..., k : k + 1]  # the slide of the origins of joints
                )
                * outboard[k]
            )
            dI_0 = cross(turn, I_0) + cross(turn, I_0).mT  # the derivative of the inertia along the root's axes
            dJ_ω = dZ_ω * moves[i]  # the derivative of the rotational Jacobian
            dJ_v = (  # the derivative of the translational Jacobian
                cross(dZ_ω, p - O)  # the turn of the axes in the derivative of the translational Jacobian
                + cross(Z_ω, dc - dO)  # the change of the lever in the derivative of the translational Jacobian
                + dZ_v  # the turn of sliding axes in the derivative of the translational Jacobian
            ) * moves[i]
            part = (  # the part of a body in the derivative of M
                m.masses[i] * (dJ_v.mT @ J_v + J_v.mT @ dJ_v)  # translational inertia, in the derivative of M,
                + dJ_ω.mT @ I_0 @ J_ω  # the left Jacobian of rotational inertia, in the derivative of M,
                + J_ω.mT @ I_0 @ dJ_ω  # the right Jacobian of rotational inertia, in the derivative of M,
                + J_ω.mT @ dI_0 @ J_ω  # the turn of the inertia, in the derivative of M,
            )
            dM[k] = dM[k] + part  # the derivative of M
    C = 0.5 * (  # the Christoffel symbols
        contract(dM, v)  # ∂M_ij/∂q_k of the Christoffel symbols
        + contract(dM, v, 2).mT  # ∂M_ik/∂q_j of the Christoffel symbols
        - contract(dM, v, 2)  # ∂M_jk/∂q_i of the Christoffel symbols
    )
    τ = (  # the force of the joint
        M @ a  # the force of inertia
        + C @ v  # the Coriolis and centrifugal force, C q̇,
        + g  # the force of gravity
        + diagonal(m.dampers) @ v  # the force of the damping
    )
    return Result(τ, R, o, M, C, Z_ω, Z_v, moves, c)
