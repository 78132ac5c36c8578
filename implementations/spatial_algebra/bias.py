"""Nonlinear effects and static forces: inverse dynamics with q̈ = 0, or at rest (Featherstone 2008, §6.1), and derivatives.

τ_s = g − Σ J_iᵀ f_i^x,        ∂τ_s/∂q = ∂ID/∂q at rest, under the external forces f^x, each held fixed in its body
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor, constant
from implementations.spatial_algebra.derivatives import inverse_dynamics_dq
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.rnea import rnea


def nonlinear_effects(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """h = C q̇ + g + damping · q̇ + friction · sign(q̇) (nv, batch) at q (nq, batch) and q̇ (nv, batch)."""
    return rnea(model, q, qd, _zeros(model))


def gravity(model: Model, q: Tensor) -> Tensor:
    """g (nv, batch): the joint forces that hold the mechanism at rest at q (nq, batch)."""
    return rnea(model, q, _zeros(model), _zeros(model))


def gravity_dq(model: Model, q: Tensor) -> Tensor:
    """∂g/∂q (nv, nv, batch) along the components of q̇."""
    return inverse_dynamics_dq(model, q, _zeros(model), _zeros(model))


def static_forces_dq(model: Model, q: Tensor, fx: Tensor) -> Tensor:
    """∂τ_s/∂q (nv, nv, batch); the external forces fx are (bodies, 6, batch), in the frames of their bodies."""
    return inverse_dynamics_dq(model, q, _zeros(model), _zeros(model), fx)


def _zeros(model: Model) -> Tensor:
    return constant(model.field, np.zeros((model.nv, 1), dtype=int))


BIAS = by_name(nonlinear_effects, gravity, gravity_dq, static_forces_dq)
"""The algorithms of this module, by name."""
