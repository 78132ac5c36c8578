"""M as a sum over bodies of m J_vᵀ J_v + J_ωᵀ I_0 J_ω, with Jacobians along the root's axes (Siciliano et al., eq. 7.32)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Bodies, cross, diagonal


def jacobian_sums(m: Bodies) -> Any:
    """The mass matrix (batch, nv, nv)."""
    R, J_ω, J_o, J_c, I_0 = m.unknown(5)
    M = diagonal(m.rotors)  # the armature
    for i, λ in enumerate(m.parents):
        Rλ, J_ωλ, J_oλ = (R[λ], J_ω[λ], J_o[λ]) if λ >= 0 else (m.one, m.no_columns, m.no_columns)
        Rj = Rλ @ m.placed_R[i]  # the orientation of the joint
        R[i] = Rj @ m.joint_R[i]  # the rotation of the body
        r = (  # the origin of the body
            Rλ @ m.placed_r[i]  # the origin of the joint
            + Rj @ m.joint_r[i]  # the displacement of the joint
        )
        J_ω[i] = (  # the rotational Jacobian
            J_ωλ  # the columns of the inboard joints in the rotational Jacobian
            + R[i] @ m.S_ω[i] @ m.columns[i]  # the joint's own columns in the rotational Jacobian
        )
        J_o[i] = (  # the translational Jacobian
            J_oλ  # the columns of the inboard joints in the translational Jacobian
            + cross(J_ωλ, r)  # the lever of the inboard joints in the translational Jacobian
            + R[i] @ m.S_v[i] @ m.columns[i]  # the joint's own columns in the translational Jacobian
        )
        J_c[i] = (  # the Jacobian of the centre of mass
            J_o[i]  # the Jacobian of the origin
            + cross(J_ω[i], R[i] @ m.coms[i])  # the lever of the centre of mass in the Jacobian
        )
        I_0[i] = R[i] @ m.inertias[i] @ R[i].mT  # the inertia along the root's axes
        M = (  # M
            M
            + m.masses[i] * (J_c[i].mT @ J_c[i])  # translational inertia, in M,
            + J_ω[i].mT @ I_0[i] @ J_ω[i]  # rotational inertia, in M,
        )
    return M
