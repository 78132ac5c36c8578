"""The terms that Pinocchio's rate of the centroidal momentum matrix lacks.

Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer lacks
−ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move in the
body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md): both faults show in one answer.
"""

from __future__ import annotations

import numpy as np

from cross_check.explain.findings.finding import Functions, without_terms
from cross_check.explain.findings.fixed_axes import centroidal_momentum_matrix_rate
from implementations.field import Tensor
from implementations.protocol import Dynamics
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.model import Model
from mechanisms import Mechanism


def about_still_center(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Ȧ without the missing terms."""
    return without_terms(mechanism, right, {"centroidal_momentum_matrix_rate": missing})


def missing(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """The missing terms (6, nv, batch)."""
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return centroidal_momentum_matrix_rate(model, q, qd) - np.concatenate((moved, 0 * moved))
