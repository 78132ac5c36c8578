"""Forward dynamics by articulated bodies (Featherstone 2008, Table 7.1)."""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.spatial_bodies import SpatialBodies, crf, crm, inverse


def articulated(m: SpatialBodies, v: Any, τ: Any) -> Any:
    """The accelerations (nv of the joint, …) of every joint, for its velocity and force."""
    X, V, c, IA, pA, U, D, u, a, qdd = m.unknown(10)
    for i, λ in enumerate(m.parents):
        X[i] = m.X_J[i] @ m.X_T[i]  # the transform from the parent to the body
        Vλ = V[λ] if λ >= 0 else m.rest  # the velocity of the parent
        vJ = m.S[i] @ v[i]  # the velocity of the joint
        V[i] = (  # the velocity of the body
            X[i] @ Vλ  # the velocity of the parent
            + vJ
        )
        c[i] = (  # the velocity product
            m.c_J[i]  # the velocity product of a joint with several angles
            + crm(V[i], vJ)  # the Coriolis acceleration
        )
        p = m.spatial_inertias[i] @ V[i]  # the momentum of the body
        IA[i] = m.spatial_inertias[i]
        pA[i] = crf(V[i], p)  # the bias force of the body
    for i, λ in reversed(list(enumerate(m.parents))):
        U[i] = IA[i] @ m.S[i]  # U, the articulated inertia of the joint's axes,
        D[i] = (  # D, the inertia about the joint's axes,
            m.S[i].mT @ U[i]  # the inertia of the bodies about the joint's axes
            + m.rotor(i)  # the armature
        )
        u[i] = (  # u, what is left of the joint's force,
            τ[i]  # the force of the joint
            - m.S[i].mT @ pA[i]  # the bias force along the joint's axes
            - m.dampings[i] * v[i]  # the force of the damping
        )
        if λ >= 0:
            Ia = IA[i] - U[i] @ inverse(D[i]) @ U[i].mT  # the inertia that the parent feels
            pa = (  # the bias force that the parent feels
                pA[i]  # the bias force of the articulated body
                + Ia @ c[i]  # the bias force of the velocity product
                + U[i] @ inverse(D[i]) @ u[i]  # the bias force of the joint's force
            )
            IA[λ] = IA[λ] + X[i].mT @ Ia @ X[i]  # the articulated inertia of an outboard body
            pA[λ] = pA[λ] + X[i].mT @ pa  # the bias force of an outboard body
    for i, λ in enumerate(m.parents):
        Aλ = a[λ] if λ >= 0 else -m.a_g  # the acceleration of the parent
        before = (  # the acceleration of the body without that of the joint
            X[i] @ Aλ  # the acceleration of the parent, along the body's axes,
            + c[i]  # the velocity product, in the acceleration,
        )
        qdd[i] = inverse(D[i]) @ (  # the acceleration of the joint
            u[i]  # what is left of the joint's force
            - U[i].mT @ before  # the force of the inboard acceleration
        )
        a[i] = (  # the acceleration of the body
            before + m.S[i] @ qdd[i]  # the acceleration of the joint, in that of the body,
        )
    return qdd
