"""The motion of a constraint's second body relative to its first one, from the spatial motions of both.

With all motions in the root's frame (:mod:`implementations.spatial_algebra.kinematics`), and ^CX_0 to the first frame of the
constraint, which moves with the velocity v_1 (Featherstone 2008, §§3.5, 8.2; text 000, eq. 9):

    J = ^CX_0 (J_2 − J_1)
    J̇ q̇ = ^CX_0 (a_2 − a_1 − v_1 × (v_2 − v_1))        a at q̈ = 0

Of the six rows the constrained ones are kept. The linear rows are about the origin of the first frame. Where the constraint holds,
that is the second frame's origin too.
"""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, full_batch, jacobians, velocities
from implementations.spatial_algebra.model import Closure, Model
from implementations.spatial_algebra.spatial import Plucker, crm


def constraint_jacobian(model: Model, q: Tensor) -> Tensor:
    """J (directions, nv, batch)."""
    return _relative(model, q, jacobians(model, q, "world"))


def constraint_drift(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """J̇ q̇ (directions, batch)."""
    v = velocities(model, q, qd, "world")
    return _relative(model, q, accelerations(model, q, qd, 0 * qd, "world"), v)


def _relative(model: Model, q: Tensor, m: Tensor, v: Tensor | None = None) -> Tensor:
    """Motion vectors m (bodies, 6, …, batch) of every second body less those of the first, in the first frame's coordinates; with
    the velocities v of the bodies, less the rate that comes from the first frame's motion."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    rows = []
    for closure in model.closures:
        difference = _of(closure.second, m) - _of(closure.first, m)
        if v is not None:
            v1 = _of(closure.first, v)
            difference = difference - crm(v1, _of(closure.second, v) - v1)
        there = _frame(closure, X0) @ full_batch(difference, q)
        rows += [there[k] for k in closure.rows]
    return np.stack(rows)


def _of(body: int, m: Tensor) -> Tensor:
    """The motion vector of a body; the root, −1, does not move."""
    return m[body] if body >= 0 else 0 * m[0]


def _frame(closure: Closure, X0: list[Plucker]) -> Plucker:
    """^CX_0, from the root's frame to the first frame."""
    return closure.X.after(X0[closure.first]) if closure.first >= 0 else closure.X
