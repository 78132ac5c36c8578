"""Joint kinematics: the transform across a joint and its motion subspace (Featherstone 2008, §4.4; text 001, ``jcalc``).

A joint of several angles and distances makes one motion after the other, X_J = X_n … X_1, each about an axis that those
before it have moved. In the body's frame its k-th axis is S_k = X_n … X_k+1 s_k, and changes as the motions after it go on:

    v_J = S q̇,        c_J = S̊ q̇ = Σ_k<l S_k q̇_k × S_l q̇_l

For every other joint S is constant in the body's frame, and c_J is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.spatial_algebra.model import Link, Model
from implementations.spatial_algebra.spatial import Plucker, crm
from mechanisms.numbers import is_zero


def jcalc(link: Link, q: Tensor, field: Field) -> tuple[Plucker, Tensor]:
    """X_J, from the joint's frame to the body's, and S (6, nv, batch), both of one joint at its position q (nq, batch)."""
    kind, origin = link.joint.kind, 0 * link.axes[:, 0]
    if kind == "free":
        return Plucker(from_quaternion(q[3:]), q[:3]), link.S
    if kind == "spherical":
        return Plucker(from_quaternion(q), origin), link.S
    if kind == "continuous":
        return Plucker(about(link.axes[:, 0], q[:1], q[1:]), origin), link.S
    if kind == "planar":
        normal, e1, e2 = link.axes.swapaxes(0, 1)
        return Plucker(about(normal, *field.cos_sin(q[2:])), e1 * q[0] + e2 * q[1]), link.S
    if not link.compound:
        return screw(link, 0, q, field), link.S
    X = screw(link, 0, q, field)
    S = [link.S[:, 0]]
    for k in range(1, len(q)):
        Xk = screw(link, k, q, field)
        X, S = Xk.after(X), [*(Xk @ s for s in S), link.S[:, k]]
    return X, np.stack(np.broadcast_arrays(*S), axis=1)


def screw(link: Link, k: int, q: Tensor, field: Field) -> Plucker:
    """The transform of the joint's k-th angle or distance: a turn about its axis by q_k, an advance along it, or both."""
    axis, at, (_, turns, advance) = link.axes[:, k], q[k : k + 1], link.joint.screws[k]
    if not turns:
        upright = constant(field, np.eye(3, dtype=int))[..., None]
        return Plucker(np.broadcast_to(upright, (3, 3, q.shape[-1])), axis * at)
    r = 0 * axis if is_zero(advance) else link.S[3:, k] * field.angle(at)
    return Plucker(about(axis, *field.cos_sin(at)), r)


def velocity_product(S: Tensor, qd: Tensor) -> Tensor:
    """c_J (6, batch) of a joint of several angles and distances, from S (6, nv, batch) and q̇ (nv, batch)."""
    parts = (S * qd).swapaxes(0, 1)
    c, before = 0 * parts[0], parts[0]
    for part in parts[1:]:
        c, before = c + crm(before, part), before + part
    return c


def about(u: Tensor, c: Tensor, s: Tensor) -> Tensor:
    """E (3, 3, batch) of a turn about the unit axis u (3, 1) by an angle with cosine c and sine s (1, batch).

    E = u uᵀ + c (1 − u uᵀ) − s u×, Rodrigues' formula for the transpose of the rotation.
    """
    along = u[:, None] * u
    (x, y, z), o = u, 0 * u[0]
    ux = np.array([[o, -z, y], [z, o, -x], [-y, x, o]])
    return along + c * (np.eye(3, dtype=int)[..., None] - along) - s * ux


def from_quaternion(e: Tensor) -> Tensor:
    """E (3, 3, batch) of the quaternion e = (x, y, z, w) of any length: the transpose of the rotation it stands for."""
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
