"""Derivatives of the constraint Jacobian and of the drift by q and v, in closed form.

A constraint's motion is ^CX_0 m, with a motion vector m of the root's frame and the frame C of
:mod:`implementations.spatial_algebra.constraints`. A step of q_k moves C with χ_k, the column k of C's own Jacobian, so that the
numbers of m in C change by (Featherstone 2008, §2.9)

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

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.constraints import frames, relative, rows, velocity
from implementations.spatial_algebra.kinematics import accelerations, jacobians, velocities
from implementations.spatial_algebra.model import Closure, Model
from implementations.spatial_algebra.motion_derivatives import OF_BODIES
from implementations.spatial_algebra.spatial import Plucker, crm, cross


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


CONSTRAINT_DERIVATIVES = by_name(constraint_jacobian_dq, constraint_drift_dq, constraint_drift_dv)
"""The algorithms of this module, by name."""
