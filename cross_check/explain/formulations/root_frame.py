"""Newton's and Euler's equations of every body, along the root's axes; one function has the acceleration of a point.

The symbols are those of :mod:`cross_check.explain.formulations.newton_euler`.
"""

from __future__ import annotations

from typing import Any

from cross_check.explain.formulations.bodies import Bodies, Result, cross


def moved(α: Any, ω: Any, x: Any) -> Any:
    return (  # the acceleration of joints and centres of mass
        cross(α, x)  # the tangential acceleration of joints and centres of mass
        + cross(ω, cross(ω, x))  # the centripetal acceleration of joints and centres of mass
    )


def root_frame(m: Bodies, v: Any, a: Any) -> Result:
    """The forces (nv of the joint, …) of every joint, for its velocity and acceleration, and the placements of the bodies."""
    R, o, r, c_0, I_0, ω, α, s, F, N, τ = m.unknown(11)
    for i, λ in enumerate(m.parents):
        Rλ, oλ = (R[λ], o[λ]) if λ >= 0 else (m.one, m.zero)  # the placement of the parent
        ωλ, αλ, sλ = (ω[λ], α[λ], s[λ]) if λ >= 0 else (m.zero, m.zero, -m.gravity)  # the motion of the parent
        Rj = Rλ @ m.placed_R[i]  # the orientation of the joint
        R[i] = Rj @ m.joint_R[i]  # the rotation of the body
        r[i] = (  # the origin of the body
            Rλ @ m.placed_r[i]  # the origin of the joint
            + Rj @ m.joint_r[i]  # the displacement of the joint
        )
        o[i] = oλ + r[i]  # the origin of the body from the root
        turn, u = R[i] @ m.S_ω[i] @ v[i], R[i] @ m.S_v[i] @ v[i]  # the velocity of the joint
        ω[i] = ωλ + turn  # the angular velocity
        α[i] = (  # the angular acceleration
            αλ  # the angular acceleration of the parent
            + R[i] @ m.S_ω[i] @ a[i]  # the angular acceleration of the joint
            + cross(ωλ, turn)  # the rate of the joint's axis, a Coriolis term
            + R[i] @ m.c_ω[i]
        )
        s[i] = (  # the acceleration of the origin
            sλ  # the acceleration of the parent's origin
            + moved(αλ, ωλ, r[i])  # the tangential and centripetal acceleration of the joint
            + R[i] @ m.S_v[i] @ a[i]  # the acceleration of a slide
            + 2 * cross(ωλ, u)  # the Coriolis acceleration of a sliding joint
            + cross(turn, u)  # the Coriolis acceleration of a joint that turns and slides
            + R[i] @ m.c_v[i]
        )
        c_0[i] = R[i] @ m.coms[i]  # the centre of mass along the root's axes
        I_0[i] = R[i] @ m.inertias[i] @ R[i].mT  # the inertia along the root's axes
        F[i] = m.masses[i] * (  # the force on the body
            s[i]  # the acceleration of the origin
            + moved(α[i], ω[i], c_0[i])  # the tangential and centripetal acceleration of the centre of mass
        )
        N[i] = (  # the moment on the body
            I_0[i] @ α[i]  # the rate of angular momentum, from rotational inertia
            + cross(ω[i], I_0[i] @ ω[i])  # the gyroscopic moment
            + cross(c_0[i], F[i])  # the moment of the body's own force
        )
        F[i] = F[i] - R[i] @ m.pulls[i]  # the external force on the body
        N[i] = N[i] - R[i] @ m.moments[i]  # the external moment on the body
    for i, λ in reversed(list(enumerate(m.parents))):
        τ[i] = (  # the force of the joint
            (R[i] @ m.S_ω[i]).mT @ N[i]  # the moment along the joint's axis
            + (R[i] @ m.S_v[i]).mT @ F[i]  # the force along the joint's axis
            + m.armatures[i] * a[i]  # the force of the armature
            + m.dampings[i] * v[i]  # the force of the damping
        )
        if λ >= 0:
            F[λ] = F[λ] + F[i]  # the force of an outboard body
            N[λ] = (  # the moment on the parent
                N[λ]
                + N[i]  # the moment of an outboard body
                + cross(r[i], F[i])  # the moment of the force of an outboard body
            )
    return Result(τ, R, o)
