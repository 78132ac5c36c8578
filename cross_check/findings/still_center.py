"""The terms that Pinocchio's rate of the centroidal momentum matrix lacks.

Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer lacks
−ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move in the
body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md): both faults show in one answer.
"""

from __future__ import annotations

import numpy as np

from cross_check.findings.finding import Functions
from cross_check.findings.fixed_axes import centroidal_momentum_matrix_rate
from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real, Tensor
from implementations.protocol import Array, Dynamics
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.model import Model, build
from mechanisms import Mechanism


def about_still_center(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Ȧ without the missing terms."""
    model = build(mechanism, Real())

    def rate(q: Array, v: Array) -> Array:
        return right.centroidal_momentum_matrix_rate(q, v) - evaluate_in_blocks(missing, model, (q, v))

    return {"centroidal_momentum_matrix_rate": rate}


def missing(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """The missing terms (6, nv, batch)."""
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return centroidal_momentum_matrix_rate(model, q, qd) - np.concatenate((moved, 0 * moved))
