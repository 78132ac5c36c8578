"""The kinetic energy of every body, along the root's axes (Siciliano et al., *Robotics*, eq. 7.20)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Bodies, cross


def kinetic(m: Bodies, v: Any) -> Any:
    """The kinetic energy (batch, 1, 1), for the velocities of all joints."""
    R, ω, s = m.unknown(3)
    T = m.nought
    for i, λ in enumerate(m.parents):
        Rλ, ωλ, sλ = (R[λ], ω[λ], s[λ]) if λ >= 0 else (m.one, m.zero, m.zero)  # the motion of the parent
        Rj = Rλ @ m.placed_R[i]  # the orientation of the joint
        R[i] = Rj @ m.joint_R[i]  # the rotation of the body
        r = (  # the origin of the body
            Rλ @ m.placed_r[i]  # the origin of the joint
            + Rj @ m.joint_r[i]  # the displacement of the joint
        )
        ω[i] = (  # the angular velocity
            ωλ  # the angular velocity of the parent
            + R[i] @ m.S_ω[i] @ v[i]  # the angular velocity of the joint
        )
        s[i] = (  # the velocity of the origin
            sλ  # the velocity of the parent's origin
            + cross(ωλ, r)  # the velocity of the joint from the parent's origin
            + R[i] @ m.S_v[i] @ v[i]  # the velocity of a slide
        )
        c = s[i] + cross(ω[i], R[i] @ m.coms[i])  # the velocity of the centre of mass
        I_0 = R[i] @ m.inertias[i] @ R[i].mT  # the inertia along the root's axes
        T = T + 0.5 * (  # the kinetic energy
            m.masses[i] * (c.mT @ c)  # the energy of the centre of mass
            + ω[i].mT @ I_0 @ ω[i]  # the energy of the turn
            + v[i].mT @ (m.armatures[i] * v[i])  # the energy of the armature
        )
    return T
