"""The motion of a constraint's second body relative to its first one, from the spatial motions of both.

With all motions in the root's frame (:mod:`implementations.spatial_algebra.kinematics`), and ^CX_0 to a frame C with the axes of
the constraint's first frame at the origin of its second one (Featherstone 2008, §§3.5, 8.2; text 000, eq. 9):

    J = ^CX_0 (J_2 − J_1)
    J̇ q̇ = ^CX_0 (a_2 − a_1 − v_C × (v_2 − v_1))        a at q̈ = 0

v_C is the velocity of C, which turns with the first body, while its origin moves with the second one. Of the six rows the
constrained ones are kept.
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, full_batch, jacobians, velocities
from implementations.spatial_algebra.model import Closure, Model
from implementations.spatial_algebra.spatial import Plucker, crm, cross


def constraint_jacobian(model: Model, q: Tensor) -> Tensor:
    """J (directions, nv, batch)."""
    J = jacobians(model, q, "world")
    return rows(model, q, frames(model, q), [relative(closure, J) for closure in model.closures])


def constraint_drift(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """J̇ q̇ (directions, batch)."""
    v, a = velocities(model, q, qd, "world"), accelerations(model, q, qd, 0 * qd, "world")
    there = frames(model, q)
    changes = [
        relative(one, a) - crm(velocity(one, C, v), relative(one, v)) for one, C in zip(model.closures, there, strict=True)
    ]
    return rows(model, q, there, changes)


def rows(model: Model, q: Tensor, frames: list[Plucker], m: list[Tensor]) -> Tensor:
    """The constrained rows of motion vectors m (6, …, batch) of the root's frame, one per constraint, in these frames."""
    there = [X @ full_batch(vector, q) for X, vector in zip(frames, m, strict=True)]
    return np.stack([vector[k] for closure, vector in zip(model.closures, there, strict=True) for k in closure.rows])


def frames(model: Model, q: Tensor) -> list[Plucker]:
    """^CX_0 of every constraint."""
    X0 = transforms_from_root(model, transforms(model, q)[0])

    def placed(body: int, X: Plucker) -> Plucker:
        return X.after(X0[body]) if body >= 0 else X

    return [Plucker(placed(one.first, one.to_first).E, placed(one.second, one.to_second).r) for one in model.closures]


def velocity(closure: Closure, C: Plucker, v: Tensor) -> Tensor:
    """v_C (6, batch): that of the first body, and what the second body's point at C moves in addition."""
    v1, difference = of(closure.first, v), relative(closure, v)
    added = difference[3:] + cross(difference[:3], C.r)
    return np.concatenate((v1[:3] + 0 * added, v1[3:] + added))


def relative(closure: Closure, m: Tensor) -> Tensor:
    """The motion vector of the second body less that of the first; m (bodies, 6, …, batch) are in the root's frame."""
    return of(closure.second, m) - of(closure.first, m)


def of(body: int, m: Tensor) -> Tensor:
    """The motion vector of a body; the root, −1, does not move."""
    return m[body] if body >= 0 else 0 * m[0]


CONSTRAINTS = by_name(constraint_jacobian, constraint_drift)
"""The algorithms of this module, by name."""
