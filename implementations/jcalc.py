"""Joint kinematics: the transform across a joint (Featherstone 2008, §4.4, Table 4.1; seed 001, forward kinematics).

Every joint here has a motion subspace S that is constant in the body's frame, so its velocity is S q̇ and its
velocity-product term c_J = S̊ q̇ is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from implementations.field import Field, Tensor, constant
from implementations.model import Link, Model
from implementations.spatial import Plucker


def jcalc(link: Link, q: Tensor, field: Field) -> Plucker:
    """X_J, from the joint's frame to the body's, at the position q (nq of the joint, batch)."""
    if link.joint.kind == "revolute":
        return Plucker(about(link.axis, *field.cos_sin(q)), 0 * link.axis)
    if link.joint.kind == "prismatic":
        upright = constant(field, np.eye(3, dtype=int))[..., None]
        return Plucker(np.broadcast_to(upright, (3, 3, q.shape[-1])), link.axis * q)
    return Plucker(from_quaternion(q[3:]), q[:3])


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


def across(link: Link, q: Tensor, field: Field) -> Plucker:
    """^iX_λ(i) = X_J X_T of one link, at the configuration q (nq of the mechanism, batch)."""
    return jcalc(link, q[link.q], field).after(link.XT)


def transforms(model: Model, q: Tensor) -> list[Plucker]:
    """^iX_λ(i) of every link."""
    return [across(link, q, model.field) for link in model.links]


def transforms_from_root(model: Model, X: Sequence[Plucker]) -> list[Plucker]:
    """^iX_0 of every link, from the transforms across its joints."""
    X0: list[Plucker] = []
    for Xi, parent in zip(X, model.parents, strict=True):
        X0.append(Xi if parent < 0 else Xi.after(X0[parent]))
    return X0
