"""Derivatives of constrained motion by q and v, from derivatives of inverse dynamics, of J and of the drift.

M a + h = τ + Jᵀ λ and J a + J̇ v = 0 are differentiated along q and v with τ fixed (R. Budhiraja, J. Carpentier, C. Mastalli,
N. Mansard, "Differential dynamic programming for multi-phase rigid contact dynamics", Humanoids 2018). With
ID(q, v, a) = M a + h:

    M ∂a = −∂ID + ∂(Jᵀ)λ + Jᵀ ∂λ,        J ∂a = −∂(J) a − ∂(J̇ v)            docs/notes/constraints.md, eq. 13

These are the equations of constrained motion with other right sides; Gauss's principle solves them too
(:mod:`implementations.spatial_algebra.constrained_dynamics`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model

Solve = Callable[[Model, Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]
"""x (nv, columns, batch), Jᵀ μ (nv, columns, batch) and μ (directions, columns, batch) of M x = b + Jᵀ μ, J x = c at q."""


class ByPosition(NamedTuple):
    """The terms of the derivatives by q: ∂ID/∂q and ∂(Jᵀ)λ/∂q (nv, nv, batch), ∂(J)a/∂q and ∂(J̇ v)/∂q (directions, nv, batch)."""

    forces: Tensor
    pull: Tensor
    motion: Tensor
    drift: Tensor


class ByVelocity(NamedTuple):
    """The terms of the derivatives by v: ∂ID/∂v (nv, nv, batch) and ∂(J̇ v)/∂v (directions, nv, batch)."""

    forces: Tensor
    drift: Tensor


@dataclass(frozen=True)
class Changes:
    """What is done to the terms before the equations are solved; nothing, but for faults."""

    by_position: Callable[[ByPosition], ByPosition] = lambda terms: terms
    by_velocity: Callable[[ByVelocity], ByVelocity] = lambda terms: terms


UNCHANGED = Changes()


def derivatives(
    of_tree: Mapping[str, Algorithm], of_constraints: Mapping[str, Algorithm], solve: Solve, changes: Changes
) -> dict[str, Algorithm]:
    """∂a, ∂(Jᵀλ) and ∂λ by the state and by v. ``of_constraints`` has the derivatives of J and of the drift, and a and λ."""

    def by_position(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> ByPosition:
        a, λ = (of_constraints[name](model, q, qd, tau) for name in ("constrained_acceleration", "constraint_multipliers"))
        dJ = of_constraints["constraint_jacobian_dq"](model, q)
        terms = ByPosition(
            forces=of_tree["inverse_dynamics_dq"](model, q, qd, a),
            pull=np.einsum("ijk...,i...->jk...", dJ, λ),
            motion=np.einsum("ijk...,j...->ik...", dJ, a),
            drift=of_constraints["constraint_drift_dq"](model, q, qd),
        )
        return changes.by_position(terms)

    def by_velocity(model: Model, q: Tensor, qd: Tensor) -> ByVelocity:
        forces, drift = of_tree["inverse_dynamics_dv"](model, q, qd), of_constraints["constraint_drift_dv"](model, q, qd)
        return changes.by_velocity(ByVelocity(forces, drift))

    def of_state(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """∂a/∂x, ∂(Jᵀλ)/∂x and ∂λ/∂x."""
        by_q, by_v = by_position(model, q, qd, tau), by_velocity(model, q, qd)
        b = np.concatenate((by_q.pull - by_q.forces, -by_v.forces), 1)
        c = -np.concatenate((by_q.motion + by_q.drift, by_v.drift), 1)
        da, forces, dλ = solve(model, q, b, c)
        return da, forces + np.concatenate((by_q.pull, 0 * by_q.pull), 1), dλ

    def of_velocity(model: Model, q: Tensor, qd: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """∂a/∂v, ∂(Jᵀλ)/∂v and ∂λ/∂v."""
        forces, drift = by_velocity(model, q, qd)
        return solve(model, q, -forces, -drift)

    def constrained_acceleration_dx(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return of_state(model, q, qd, tau)[0]

    def constraint_forces_dx(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return of_state(model, q, qd, tau)[1]

    def constraint_multipliers_dx(model: Model, q: Tensor, qd: Tensor, tau: Tensor) -> Tensor:
        return of_state(model, q, qd, tau)[2]

    def constrained_acceleration_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return of_velocity(model, q, qd)[0]

    def constraint_forces_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return of_velocity(model, q, qd)[1]

    def constraint_multipliers_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
        return of_velocity(model, q, qd)[2]

    own: tuple[Any, ...] = (
        constrained_acceleration_dx,
        constraint_multipliers_dx,
        constraint_forces_dx,
        constrained_acceleration_dv,
        constraint_multipliers_dv,
        constraint_forces_dv,
    )
    return {function.__name__: function for function in own}
