"""G (nq, nv): how a position changes along every component of v, q̇ = G v, at one position.

A step q ⊕ δ (:func:`mechanisms.states.integrate`) and q + G δ agree to first order in δ, so the derivative along v of any
function of the position is f'(q) G. Sources: K. Lynch, F. Park, "Modern Robotics", 2017, eqs. 3.51, 3.88; docs/conventions.md.

============================ =========================================================================
part of q                    its rate
============================ =========================================================================
angle, distance              v
cosine c and sine s          (−s, c) v
quaternion x y z w           ½ q ⊗ (ω, 0)
distances of a body's pose   R v, with R the rotation that the pose's quaternion or angle says
============================ =========================================================================
"""

from __future__ import annotations

import numpy as np

from mechanisms import motions
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.states import Array


def position_rates(mechanism: Mechanism, q: Array) -> Array:
    """G (nq, nv) at q (nq,). A mimic joint has no coordinates of its own."""
    G = np.zeros((mechanism.nq, mechanism.nv))
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if not body.joint.mimic:
            G[q_i, v_i] = _of_joint(body.joint, q[q_i])
    return G


def _of_joint(joint: Joint, q: Array) -> Array:
    """One joint's G, at its position (nq,)."""
    G = np.zeros((joint.nq, joint.nv))
    if not joint.velocity_is_body_twist:
        for slot in joint.slots:
            G[slot.q, slot.v] = [[-q[slot.q][1]], [q[slot.q][0]]] if slot.form == "circle" else np.eye(slot.q.stop - slot.q.start)
        return G
    n = joint.description.distances
    if joint.slots[-1].form == "angle":
        c, s = np.cos(q[n]), np.sin(q[n])
        G[:n, 1:] = np.array([[c, -s], [s, c]])[:n, :n]
        G[n:, 0] = 1
        return G
    turns = np.repeat(q[None, n:], 3, axis=0)
    G[n:, :3] = motions.multiply(turns, np.hstack([np.eye(3), np.zeros((3, 1))])).T / 2
    if n:
        G[:n, 3:] = motions.rotate(turns, np.eye(3)).T
    return G
