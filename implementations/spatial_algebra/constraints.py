"""The motion of a constraint's second body relative to its first one, from the spatial motions of both.

With all motions in the root's frame (:mod:`implementations.spatial_algebra.kinematics`), and ^CX_0 to the first frame of the
constraint, which moves with the velocity v_1 (Featherstone 2008, §§3.5, 8.2; text 000, eq. 9):

    J = ^CX_0 (J_2 − J_1)
    J̇ q̇ = ^CX_0 (a_2 − a_1 − v_1 × (v_2 − v_1))        a at q̈ = 0

Of the six rows the constrained ones are kept. The linear rows are about the origin of the first frame. Where the constraint
holds, that is the second frame's origin too.
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
    J = jacobians(model, q, "world")
    return rows(model, q, first_frames(model, q), [relative(closure, J) for closure in model.closures])


def constraint_drift(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """J̇ q̇ (directions, batch)."""
    v, a = velocities(model, q, qd, "world"), accelerations(model, q, qd, 0 * qd, "world")
    changes = [relative(closure, a) - crm(of(closure.first, v), relative(closure, v)) for closure in model.closures]
    return rows(model, q, first_frames(model, q), changes)


def rows(model: Model, q: Tensor, frames: list[Plucker], m: list[Tensor]) -> Tensor:
    """The constrained rows of motion vectors m (6, …, batch) of the root's frame, one per constraint, in these frames."""
    there = [X @ full_batch(vector, q) for X, vector in zip(frames, m, strict=True)]
    return np.stack([vector[k] for closure, vector in zip(model.closures, there, strict=True) for k in closure.rows])


def first_frames(model: Model, q: Tensor) -> list[Plucker]:
    """^CX_0 of every constraint, from the root's frame to its first frame."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    return [one.X.after(X0[one.first]) if one.first >= 0 else one.X for one in model.closures]


def relative(closure: Closure, m: Tensor) -> Tensor:
    """The motion vector of the second body less that of the first; m (bodies, 6, …, batch) are in the root's frame."""
    return of(closure.second, m) - of(closure.first, m)


def of(body: int, m: Tensor) -> Tensor:
    """The motion vector of a body; the root, −1, does not move."""
    return m[body] if body >= 0 else 0 * m[0]
