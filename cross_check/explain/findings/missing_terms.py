"""Terms that Pinocchio leaves out of derivatives: what is missing, by quantity.

An engine that takes every joint's axes as fixed in the joint's body computes, for all screws s of a joint alike, with the
velocity v of its body and the velocity v_λ and the acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from cross_check.explain.faults.terms.factors import FIXED_AXES
from cross_check.explain.findings.finding import lacking, missing, with_edits
from implementations.field import Tensor
from implementations.spatial_algebra.centroidal_derivatives import moving_center, weightless
from implementations.spatial_algebra.derivatives import forward_pass
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.motion_derivatives import OF_BODIES, OF_FRAMES
from mechanisms.quantities import by_quantity

CONCERNED = (
    *(f"{dynamics}_dynamics_{by}" for dynamics in ("inverse", "forward") for by in ("dq", "dv")),
    "coriolis_matrix",
    *("gravity_dq", "static_forces_dq"),
    *("centroidal_momentum_dq", "centroidal_momentum_rate_dq", "centroidal_momentum_rate_dv"),
    *by_quantity({**OF_BODIES, **OF_FRAMES}),
)
"""The quantities of trees that lack terms."""

missing_terms = partial(missing, FIXED_AXES.edits)
"""The missing terms (…, batch) of a quantity, by its name, for a model and its state."""

of_trees_with_fixed_axes = with_edits(CONCERNED, *FIXED_AXES.edits)
"""Derivatives and C without these terms."""


def _of_moving_center(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """Both faults of Pinocchio's rate of the centroidal momentum matrix (6, nv, batch).

    Pinocchio takes the velocity of the centre of mass from another call, and it is zero where there was none. So the answer
    lacks −ċ × l in the angular rows of every column (docs/findings/pinocchio-centroidal-map-rate.md). For joints whose axes move
    in the body it lacks Iᶜ Δṡ, too (docs/findings/pinocchio-jacobian-time-variation-subspace.md).
    """
    moved = moving_center(model, forward_pass(weightless(model), q, qd, 0 * qd))
    return missing_terms("centroidal_momentum_matrix_rate", model, q, qd) - np.concatenate((moved, 0 * moved))


about_still_center = lacking({"centroidal_momentum_matrix_rate": _of_moving_center})
"""Pinocchio's Ȧ without the missing terms."""
