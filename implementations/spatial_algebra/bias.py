"""Nonlinear effects and gravity: inverse dynamics with q̈ = 0 (Featherstone 2008, §6.1)."""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor, constant
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.rnea import rnea


def nonlinear_effects(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """h = C q̇ + g + damping · q̇ (nv, batch) at q (nq, batch) and q̇ (nv, batch)."""
    return rnea(model, q, qd, _zeros(model))


def gravity(model: Model, q: Tensor) -> Tensor:
    """g (nv, batch): the joint forces that hold the mechanism at rest at q (nq, batch)."""
    return rnea(model, q, _zeros(model), _zeros(model))


def _zeros(model: Model) -> Tensor:
    return constant(model.field, np.zeros((model.nv, 1), dtype=int))
