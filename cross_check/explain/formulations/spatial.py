"""The recursive Newton–Euler algorithm on spatial vectors (Featherstone 2008, Table 5.1)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.spatial_bodies import SpatialBodies, crf, crm


def spatial(m: SpatialBodies, v: Any, a: Any) -> Any:
    """The forces (nv of the joint, …) of every joint, for its velocity and acceleration."""
    X, V, A, f, τ = m.unknown(5)
    for i, λ in enumerate(m.parents):
        X[i] = m.X_J[i] @ m.X_T[i]  # the transform from the parent to the body
        Vλ, Aλ = (V[λ], A[λ]) if λ >= 0 else (m.rest, -m.a_g)  # the motion of the parent
        vJ = m.S[i] @ v[i]  # the velocity of the joint
        V[i] = (  # the velocity of the body
            X[i] @ Vλ  # the velocity of the parent
            + vJ
        )
        A[i] = (  # the acceleration of the body
            X[i] @ Aλ  # the acceleration of the parent
            + m.S[i] @ a[i]  # the acceleration of the joint
            + m.c_J[i]  # the velocity product of a joint with several angles
            + crm(V[i], vJ)  # the Coriolis acceleration
        )
        p = m.spatial_inertias[i] @ V[i]  # the momentum of the body
        f[i] = (  # the force on the body
            m.spatial_inertias[i] @ A[i]  # the force of inertia
            + crf(V[i], p)  # the force of the velocity
            - m.forces[i]  # the external force
        )
    for i, λ in reversed(list(enumerate(m.parents))):
        τ[i] = (  # the force of the joint
            m.S[i].mT @ f[i]  # the force along the joint's axis
            + m.armatures[i] * a[i]  # the force of the armature
            + m.dampings[i] * v[i]  # the force of the damping
        )
        if λ >= 0:
            f[λ] = f[λ] + X[i].mT @ f[i]  # the force of an outboard body
    return τ
