"""The motion of a constraint's second body relative to its first one, from the spatial motions of both.

With all motions in the root's frame (:mod:`implementations.spatial_algebra.kinematics`), and ^CX_0 to a frame C with the axes of
the constraint's first frame at the origin of its second one (Featherstone 2008, §§3.5, 8.2; text 000, eq. 9):

    J = ^CX_0 (J_2 − J_1)
    J̇ q̇ = ^CX_0 (a_2 − a_1 − v_C × (v_2 − v_1))        a at q̈ = 0

v_C is the velocity of C, which turns with the first body, while its origin moves with the second one. Of the six rows the
constrained ones are kept.

Derivatives by q and v are in closed form. A step of q_k moves C with χ_k, the column k of C's own Jacobian, so that the numbers
in C of a motion vector m of the root's frame change by (Featherstone 2008, §2.9)

    ∂(^CX_0 m)/∂q_k = ^CX_0 (∂m/∂q_k − χ_k × m)

With s = J_2 − J_1, u = v_2 − v_1 and γ = a_2 − a_1 − v_C × u at q̈ = 0, this is used for

    ∂J_j/∂q_k       m = s_j
    ∂(J̇ v)/∂q_k     m = γ,        ∂γ/∂q_k = ∂(a_2 − a_1)/∂q_k − ∂v_C/∂q_k × u − v_C × ∂u/∂q_k
    ∂(J̇ v)/∂v_k     ^CX_0 (∂(a_2 − a_1)/∂v_k − χ_k × u − v_C × s_k)

The derivatives of the bodies' motions are those of :mod:`implementations.spatial_algebra.motion_derivatives`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, full_batch, jacobians, velocities
from implementations.spatial_algebra.model import Closure, Model
from implementations.spatial_algebra.motion_derivatives import OF_BODIES
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


class _Moving(NamedTuple):
    """A constraint with its frame C, χ (6, nv, batch) and s (6, nv, batch)."""

    closure: Closure
    C: Plucker
    χ: Tensor
    s: Tensor


def constraint_jacobian_dq(model: Model, q: Tensor) -> Tensor:
    """∂J/∂q (directions, nv, nv, batch): [:, j, k] is the derivative of column j along coordinate k."""
    dJ = OF_BODIES["jacobians_dq"](model, q, "world")
    return _rows(model, q, [relative(one, dJ) - crm(χ[:, None], s[:, :, None]) for one, _, χ, s in _moving(model, q)])


def constraint_drift_dq(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂(J̇ q̇)/∂q (directions, nv, batch), with q̇ fixed."""
    v, a = velocities(model, q, qd, "world"), accelerations(model, q, qd, 0 * qd, "world")
    dv, da = OF_BODIES["velocities_dq"](model, q, qd, "world"), OF_BODIES["accelerations_dq"](model, q, qd, 0 * qd, "world")

    def derivative(one: Closure, C: Plucker, χ: Tensor, s: Tensor) -> Tensor:
        u, du, v_C = relative(one, v), relative(one, dv), velocity(one, C, v)
        γ = relative(one, a) - crm(v_C, u)
        dr = χ[3:] + cross(χ[:3], C.r)
        dv_C = velocity(one, C, dv)
        dv_C[3:] = dv_C[3:] + cross(u[:3], dr)
        return relative(one, da) - crm(dv_C, u) - crm(v_C, du) - crm(χ, γ)

    return _rows(model, q, [derivative(*moving) for moving in _moving(model, q)])


def constraint_drift_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂(J̇ q̇)/∂q̇ (directions, nv, batch)."""
    v, da = velocities(model, q, qd, "world"), OF_BODIES["accelerations_dv"](model, q, qd, "world")

    def derivative(one: Closure, C: Plucker, χ: Tensor, s: Tensor) -> Tensor:
        return relative(one, da) - crm(χ, relative(one, v)) - crm(velocity(one, C, v), s)

    return _rows(model, q, [derivative(*moving) for moving in _moving(model, q)])


def _moving(model: Model, q: Tensor) -> Iterator[_Moving]:
    J = jacobians(model, q, "world")
    for one, C in zip(model.closures, frames(model, q), strict=True):
        yield _Moving(one, C, velocity(one, C, J), relative(one, J))


def _rows(model: Model, q: Tensor, derivatives: list[Tensor]) -> Tensor:
    return rows(model, q, frames(model, q), derivatives)


CONSTRAINTS = by_name(constraint_jacobian, constraint_drift)
CONSTRAINT_DERIVATIVES = by_name(constraint_jacobian_dq, constraint_drift_dq, constraint_drift_dv)
"""The algorithms of this module, by name."""
