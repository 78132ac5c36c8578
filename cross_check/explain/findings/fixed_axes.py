"""The terms that derivatives lack if every joint's axes are taken as fixed in the joint's body.

An engine with this fault computes, for all screws s of a joint alike, with the velocity v of its body and the velocity v_λ
and the acceleration a_λ of its parent body (docs/notes/derivatives.md, eq. 24):

    ṡ = v × s,        Ψ̇ = v_λ × s,        Ψ̈ = a_λ × s + v_λ × Ψ̇

This is wrong only for joints with several angles, in which each axis moves with the angles before it.
"""

from __future__ import annotations

from functools import partial

from cross_check.explain.faults.terms.derivatives import FIXED_AXES
from cross_check.explain.findings.finding import missing, with_edits
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

with_fixed_axes = with_edits(CONCERNED, *FIXED_AXES.edits)
"""Derivatives and C without these terms."""
