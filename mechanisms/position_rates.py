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

from typing import Any

import numpy as np

from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.states import Array


def position_rates(mechanism: Mechanism, q: Array) -> Array:
    """G (nq, nv) at q (nq,). A mimic joint has no coordinates of its own."""
    return np.array([position_rate(mechanism, q, v) for v in np.eye(mechanism.nv)]).T


def position_rate(mechanism: Mechanism, q: Any, v: Any) -> list[Any]:
    """G v, a list (nq,), at q (nq,) and v (nv,): arrays of any numbers that NumPy has a cosine and a sine of."""
    rates: list[Any] = []
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if not body.joint.mimic:
            rates += _of_joint(body.joint, q[q_i], v[v_i])
    return rates


def _of_joint(joint: Joint, q: Any, v: Any) -> list[Any]:
    if not joint.velocity_is_body_twist:
        circles = [slot.form == "circle" for slot in joint.slots]
        parts = zip(circles, (q[slot.q] for slot in joint.slots), (v[slot.v][0] for slot in joint.slots), strict=True)
        return [rate for is_circle, x, u in parts for rate in ([-x[1] * u, x[0] * u] if is_circle else [u])]
    n = joint.description.distances
    if joint.slots[-1].form == "angle":
        c, s = np.cos(q[n]), np.sin(q[n])
        return [c * v[1] - s * v[2], s * v[1] + c * v[2], v[0]]
    x, y, z, w = q[n:]
    ω = v[:3]
    turn = [w * ω[0] + y * ω[2] - z * ω[1], w * ω[1] + z * ω[0] - x * ω[2], w * ω[2] + x * ω[1] - y * ω[0]]
    turn.append(-x * ω[0] - y * ω[1] - z * ω[2])
    return [*_rotated((x, y, z), w, v[3:]), *(rate / 2 for rate in turn)]


def _rotated(x: Any, w: Any, u: Any) -> list[Any]:
    """u + 2 (w x×u + x×(x×u)) / |e|² for the quaternion e = (x, w); nothing where u is empty."""
    if not len(u):
        return []
    square = sum(part * part for part in x) + w * w
    once = _cross(x, u)
    return [a + 2 * (w * b + c) / square for a, b, c in zip(u, once, _cross(x, once), strict=True)]


def _cross(a: Any, b: Any) -> list[Any]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
