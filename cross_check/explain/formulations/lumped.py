"""The mass matrix by composite bodies, each with its mass, first moment and moments of inertia (Walker & Orin 1982, method 3)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import EYE, Bodies, cross, diagonal


def squared(x: Any, y: Any) -> Any:
    return (  # the moments of inertia of a mass
        (x.mT @ y) * EYE  # the trace part of the moments of inertia
        - x @ y.mT  # the products of inertia of a mass
    )


def lumped(m: Bodies) -> Any:
    """The mass matrix (batch, nv, nv)."""
    R, r, mass, h, J = m.unknown(5)
    for i in range(len(m.parents)):
        R[i] = m.placed_R[i] @ m.joint_R[i]  # the rotation of the body
        r[i] = (  # the origin of the body
            m.placed_r[i]  # the origin of the joint
            + m.placed_R[i] @ m.joint_r[i]  # the displacement of the joint
        )
        mass[i] = m.masses[i]
        h[i] = m.masses[i] * m.coms[i]  # the first moment of mass
        J[i] = (  # the inertia about the origin
            m.inertias[i]  # the inertia about the centre of mass
            + squared(m.coms[i], h[i])  # the parallel-axis term
        )
    M = diagonal(m.rotors)  # the armature
    for i, λ in reversed(list(enumerate(m.parents))):
        if λ >= 0:
            hp = R[i] @ h[i]  # the first moment of an outboard body, along the parent's axes,
            Jp = R[i] @ J[i] @ R[i].mT  # the inertia of an outboard body, along the parent's axes,
            mass[λ] = mass[λ] + mass[i]  # the mass of an outboard body
            h[λ] = (  # the first moment of composite bodies
                h[λ]
                + hp  # the first moment of an outboard body
                + mass[i] * r[i]  # the lever of an outboard body, in the first moment,
            )
            J[λ] = (  # the inertia of composite bodies
                J[λ]
                + Jp  # the inertia of an outboard body
                + squared(r[i], hp)  # the lever of an outboard body, in the inertia,
                + squared(hp, r[i])  # the lever of an outboard body, in the inertia,
                + mass[i] * squared(r[i], r[i])  # the mass at the lever, in the inertia,
            )
        F = (  # the force that accelerates the outboard bodies
            mass[i] * m.S_v[i]  # the force of a slide
            + cross(m.S_ω[i], h[i])  # the force of a turn
        )
        N = (  # the moment that accelerates the outboard bodies
            J[i] @ m.S_ω[i]  # the moment of a turn
            + cross(h[i], m.S_v[i])  # the moment of a slide
        )
        M = (  # M
            M + m.columns[i].T @ (m.S_ω[i].mT @ N + m.S_v[i].mT @ F) @ m.columns[i]  # the diagonal block of M
        )
        for j, λj in m.inboard(i):
            F = R[j] @ F  # the force, along the parent's axes,
            N = (  # the moment on the parent
                R[j] @ N  # the moment, along the parent's axes,
                + cross(r[j], F)  # the moment of the force
            )
            block = (  # the block of an inboard joint in M
                m.S_ω[λj].mT @ N  # the moment along an inboard joint's axis
                + m.S_v[λj].mT @ F  # the force along an inboard joint's axis
            )
            M = (  # M
                M
                + m.columns[λj].T @ block @ m.columns[i]  # the upper block of M
                + m.columns[i].T @ block.mT @ m.columns[λj]  # the lower block of M
            )
    return M
