"""Moving mechanisms: the positions q(t) that follow from the velocities v(t) (docs/notes/catalogue-points.md, eqs. 7, 10).

The conventions of positions and velocities are those of :mod:`mechanisms.joint`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.catalogue.notation import cross, join, vector
from cross_check.catalogue.point import Point, rotation_matrix
from cross_check.catalogue.series import flow
from implementations.field import Tensor
from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import Form


def travel(p: Point, mechanism: Mechanism) -> tuple[Tensor, Tensor]:
    """q(t) (nq, 1) and v(t) (nv, 1) of a random motion of ``mechanism``: v is a random path, and q(0) is random."""
    v = p.path(mechanism.nv)
    q = [_position(p, body.joint, v[part]) for body, part in zip(mechanism.bodies, mechanism.v_slices, strict=True)]
    return np.concatenate(q)[:, None], v[:, None]


def _position(p: Point, joint: Joint, v: Tensor) -> Tensor:
    if not joint.velocity_is_body_twist:
        return join(*(_slot(p, slot.form, v[slot.v]) for slot in joint.slots))
    if joint.slots[-1].form == "angle":
        angle = p.angle(v[0])
        c, s = angle.c, angle.s
        return join(_distance(p, vector(c * v[1] - s * v[2], s * v[1] + c * v[2])), vector(angle.t))
    e = _quaternion(p, v[:3])
    return join(_distance(p, rotation_matrix(e[[3, 0, 1, 2]]) @ v[3:]), e) if joint.description.distances else e


def _slot(p: Point, form: Form, v: Tensor) -> Tensor:
    if form == "distance":
        return _distance(p, v)
    angle = p.angle(v[0])
    return vector(angle.c, angle.s) if form == "circle" else vector(angle.t)


def _distance(p: Point, speed: Tensor) -> Tensor:
    """Distances with the rates ``speed``."""
    return flow(p.vector(len(speed)), lambda x: speed + 0 * x, p.order)


def _quaternion(p: Point, w: Tensor) -> Tensor:
    """The quaternion e = (x, y, z, w) with ė = ½ e ω, where w = ω is the angular velocity in the body's frame."""

    def velocity(e: Tensor) -> Tensor:
        x, u = e[:3], e[3]
        half: Any = p.fraction(1, 2)
        return join(w * u + cross(x, w), vector(-(x @ w))) * half

    return flow(p.vector(4), velocity, p.order)
