"""Joint kinematics: the transform across a joint and its motion subspace (Featherstone 2008, §4.4; text 001, ``jcalc``).

A compound joint makes several motions, one after the other: X_J = X_n … X_1. Each motion moves the axes of those that come
after it. So in the body's frame the k-th axis is S_k = X_n … X_k+1 s_k, which depends on the positions of the later motions:

    v_J = S q̇,        c_J = S̊ q̇ = Σ_k<l S_k q̇_k × S_l q̇_l

For any other joint S is constant in the body's frame, and c_J is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.spatial_algebra.model import Link, Model, Turn, turn_about
from implementations.spatial_algebra.spatial import Plucker, crm
from mechanisms.joint_kinds import Slot


def jcalc(link: Link, q: Tensor, field: Field) -> tuple[Plucker, Tensor]:
    """X_J, from the joint's frame to the body's, and S (6, nv, batch), of one joint at its position q (nq, batch)."""
    if link.joint.velocity_is_body_twist:
        return pose(link, q, field), link.S
    first, *others = link.joint.slots
    X = screw(link, first, q, field)
    if not others:
        return X, link.S
    S = [link.S[:, 0]]
    for slot in others:
        Xk = screw(link, slot, q, field)
        X, S = Xk.after(X), [*(Xk @ s for s in S), link.S[:, slot.v.start]]
    return X, np.stack(np.broadcast_arrays(*S), axis=1)


def screw(link: Link, slot: Slot, q: Tensor, field: Field) -> Plucker:
    """The transform of one slot of the joint's position: a turn about its axis, an advance along it, or both."""
    k, x = slot.v.start, q[slot.q]
    axis = link.axes[:, k]
    if slot.form == "distance":
        upright = constant(field, np.eye(3, dtype=int))[..., None]
        return Plucker(np.broadcast_to(upright, (3, 3, q.shape[-1])), axis * x)
    if slot.form == "circle":
        return Plucker(rodrigues(link.turns[k], x[:1], x[1:]), 0 * axis)
    r = link.S[3:, k] * field.angle(x) if slot.advances else 0 * axis
    return Plucker(rodrigues(link.turns[k], *field.cos_sin(x)), r)


def pose(link: Link, q: Tensor, field: Field) -> Plucker:
    """The transform of a joint whose velocity is the body's own: distances along its axes, then a rotation."""
    *distances, rotation = link.joint.slots
    r = 0 * link.axes[:, 0]
    for slot in distances:
        r = r + link.axes[:, slot.v.start] * q[slot.q]
    if rotation.form == "quaternion":
        return Plucker(from_quaternion(q[rotation.q]), r)
    return Plucker(rodrigues(link.turns[rotation.v.start], *field.cos_sin(q[rotation.q])), r)


def velocity_product(S: Tensor, qd: Tensor) -> Tensor:
    """c_J (6, batch) of a compound joint, from S (6, nv, batch) and q̇ (nv, batch)."""
    parts = (S * qd).swapaxes(0, 1)
    c, before = 0 * parts[0], parts[0]
    for part in parts[1:]:
        c, before = c + crm(before, part), before + part
    return c


def about(u: Tensor, c: Tensor, s: Tensor) -> Tensor:
    """E (3, 3, batch) of a turn about the unit axis u (3, 1) by an angle with cosine c and sine s (1, batch)."""
    return rodrigues(turn_about(u), c, s)


def rodrigues(turn: Turn, c: Tensor, s: Tensor) -> Tensor:
    """E = u uᵀ + c (1 − u uᵀ) − s u×, the transpose of the rotation about u."""
    return turn.along + c * turn.across - s * turn.cross


def from_quaternion(e: Tensor) -> Tensor:
    """E (3, 3, batch) of the quaternion e = (x, y, z, w) of any length: the transpose of its rotation."""
    x, y, z, w = e
    n = x * x + y * y + z * z + w * w
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y)),
        (2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)),
        (2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z),
    )
    return np.stack([np.stack(row) for row in rows]) / n


def joint_transform(link: Link, q: Tensor, field: Field) -> tuple[Plucker, Tensor]:
    """^iX_λ(i) = X_J X_T of one link, and its S, at the configuration q (nq of the mechanism, batch)."""
    XJ, S = jcalc(link, q[link.q], field)
    return XJ.after(link.XT), S


def transforms(model: Model, q: Tensor) -> tuple[list[Plucker], list[Tensor]]:
    """^iX_λ(i) and S of every link."""
    X, S = zip(*(joint_transform(link, q, model.field) for link in model.links), strict=True)
    return list(X), list(S)


def transforms_from_root(model: Model, X: Sequence[Plucker]) -> list[Plucker]:
    """^iX_0 of every link, from the transforms across its joints."""
    X0: list[Plucker] = []
    for Xi, parent in zip(X, model.parents, strict=True):
        X0.append(Xi if parent < 0 else Xi.after(X0[parent]))
    return X0
