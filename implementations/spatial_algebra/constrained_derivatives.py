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
from typing import NamedTuple

import numpy as np

from implementations.algorithms import Algorithm
from implementations.field import Tensor
from implementations.spatial_algebra.model import Model


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


def by_position(
    of_tree: Mapping[str, Algorithm], by_parts: Mapping[str, Algorithm], a: Tensor, λ: Tensor, model: Model, *state: Tensor
) -> ByPosition:
    """The terms at q and v, where constrained motion has the acceleration a (nv, batch) and the multipliers λ."""
    q, qd = state
    dJ = by_parts["constraint_jacobian_dq"](model, q)
    return ByPosition(
        forces=of_tree["inverse_dynamics_dq"](model, q, qd, a),
        pull=np.einsum("ijk...,i...->jk...", dJ, λ),
        motion=np.einsum("ijk...,j...->ik...", dJ, a),
        drift=by_parts["constraint_drift_dq"](model, q, qd),
    )


def by_velocity(
    of_tree: Mapping[str, Algorithm], by_parts: Mapping[str, Algorithm], model: Model, q: Tensor, qd: Tensor
) -> ByVelocity:
    """The terms at q and v."""
    return ByVelocity(of_tree["inverse_dynamics_dv"](model, q, qd), by_parts["constraint_drift_dv"](model, q, qd))
