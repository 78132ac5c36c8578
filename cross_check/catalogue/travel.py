"""Mechanisms that move: the path that positions take when velocities are given (conventions of :mod:`mechanisms.joint`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.catalogue.notation import cross, join, vector
from cross_check.catalogue.point import Point, turned
from cross_check.catalogue.series import flow
from implementations.field import Tensor
from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import Form


def travel(p: Point, mechanism: Mechanism) -> tuple[Tensor, Tensor]:
    """q(t) (nq, 1) from any position on, and v(t) (nv, 1) that moves in any way; q̇, q̈ … follow from v, v̇ …"""
    v = p.path(mechanism.nv)
    q = [_position(p, body.joint, v[at]) for body, at in zip(mechanism.bodies, mechanism.v_slices, strict=True)]
    return np.concatenate(q)[:, None], v[:, None]


def _position(p: Point, joint: Joint, v: Tensor) -> Tensor:
    if not joint.velocity_is_body_twist:
        return join(*(_slot(p, slot.form, v[slot.v]) for slot in joint.slots))
    if joint.slots[-1].form == "angle":
        angle = p.angle(v[0])
        c, s = angle.c, angle.s
        return join(_distance(p, vector(c * v[1] - s * v[2], s * v[1] + c * v[2])), vector(angle.t))
    e = _quaternion(p, v[:3])
    return join(_distance(p, turned(e[[3, 0, 1, 2]]) @ v[3:]), e) if joint.description.distances else e


def _slot(p: Point, form: Form, v: Tensor) -> Tensor:
    if form == "distance":
        return _distance(p, v)
    angle = p.angle(v[0])
    return vector(angle.c, angle.s) if form == "circle" else vector(angle.t)


def _distance(p: Point, speed: Tensor) -> Tensor:
    return flow(p.vector(len(speed)), lambda x: speed + 0 * x, p.order)


def _quaternion(p: Point, w: Tensor) -> Tensor:
    """e = (x, y, z, w), from ė = ½ e ω with ω in the body's frame."""

    def velocity(e: Tensor) -> Tensor:
        x, u = e[:3], e[3]
        half: Any = p.fraction(1, 2)
        return join(w * u + cross(x, w), vector(-(x @ w))) * half

    return flow(p.vector(4), velocity, p.order)
