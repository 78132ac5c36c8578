"""Newton's and Euler's equations of every body, on 3-vectors along the body's axes, as most code has them.

With R from the body's axes to the parent's, r from the parent's origin to the body's, c the centre of mass from the body's
origin, and a joint that turns by S_ω q̇ and slides by u = S_v q̇ (text 000, §3; Craig, *Introduction to Robotics*, eqs. 6.45–6.53).
The acceleration s of an origin contains −g. Every line is one term; its comment is the name of the term.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.explain.formulations.bodies import Bodies


def cross(a: Any, b: Any) -> Any:
    (a_x, a_y, a_z), (b_x, b_y, b_z) = np.split(a, 3, axis=1), np.split(b, 3, axis=1)
    x = a_y * b_z - a_z * b_y  # the x component of vector products
    y = a_z * b_x - a_x * b_z  # the y component of vector products
    z = a_x * b_y - a_y * b_x  # the z component of vector products
    return np.concatenate((x, y, z), axis=1)


def newton_euler(m: Bodies, v: Any, a: Any) -> Any:
    """The forces (nv of the joint, …) of every joint, for its velocity and acceleration."""
    R, r, ω, α, s, F, N, τ = m.unknown(8)
    for i, λ in enumerate(m.parents):
        R[i] = m.placed_R[i] @ m.joint_R[i]  # the rotation of the body
        B = R[i].mT  # the rotation from the parent's axes to the body's
        r[i] = (  # the origin of the body
            m.placed_r[i]  # the origin of the joint
            + m.placed_R[i] @ m.joint_r[i]  # the displacement of the joint
        )
        ωλ, αλ, sλ = (ω[λ], α[λ], s[λ]) if λ >= 0 else (m.zero, m.zero, -m.gravity)  # the motion of the parent
        turn, u = m.S_ω[i] @ v[i], m.S_v[i] @ v[i]  # the velocity of the joint
        ωp = B @ ωλ  # the velocity of the parent
        ω[i] = ωp + turn  # the angular velocity
        α[i] = (  # the angular acceleration
            B @ αλ  # the angular acceleration of the parent
            + m.S_ω[i] @ a[i]  # the angular acceleration of the joint
            + cross(ωp, turn)  # the rate of the joint's axis, a Coriolis term
            + m.c_ω[i]
        )
        s[i] = (  # the acceleration of the origin
            B
            @ (  # the acceleration of the joint
                sλ  # the acceleration of the parent's origin
                + (  # the acceleration of the joint from its parent's origin
                    cross(αλ, r[i])  # the tangential acceleration of the joint
                    + cross(ωλ, cross(ωλ, r[i]))  # the centripetal acceleration of the joint
                )
            )
            + m.S_v[i] @ a[i]  # the acceleration of a slide
            + 2 * cross(ωp, u)  # the Coriolis acceleration of a sliding joint
            + cross(turn, u)  # the Coriolis acceleration of a joint that turns and slides
            + m.c_v[i]
        )
        F[i] = m.masses[i] * (  # the force on the body
            s[i]  # the acceleration of the origin
            + (  # the acceleration of the centre of mass from the origin
                cross(α[i], m.coms[i])  # the tangential acceleration of the centre of mass
                + cross(ω[i], cross(ω[i], m.coms[i]))  # the centripetal acceleration of the centre of mass
            )
        )
        N[i] = (  # the moment on the body
            m.inertias[i] @ α[i]  # the rate of angular momentum, from rotational inertia
            + cross(ω[i], m.inertias[i] @ ω[i])  # the gyroscopic moment
            + cross(m.coms[i], F[i])  # the moment of the body's own force
        )
        F[i] = F[i] - m.pulls[i]  # the external force on the body
        N[i] = N[i] - m.moments[i]  # the external moment on the body
    for i, λ in reversed(list(enumerate(m.parents))):
        τ[i] = (  # the force of the joint
            m.S_ω[i].mT @ N[i]  # the moment along the joint's axis
            + m.S_v[i].mT @ F[i]  # the force along the joint's axis
            + m.armatures[i] * a[i]  # the force of the armature
            + m.dampings[i] * v[i]  # the force of the damping
        )
        if λ >= 0:
            Fp = R[i] @ F[i]  # the force of the body, along the parent's axes
            F[λ] = F[λ] + Fp  # the force of an outboard body
            N[λ] = (  # the moment on the parent
                N[λ]
                + R[i] @ N[i]  # the moment of an outboard body
                + cross(r[i], Fp)  # the moment of the force of an outboard body
            )
    return τ
