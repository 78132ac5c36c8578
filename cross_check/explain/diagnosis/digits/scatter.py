"""Whether errors scatter as roundings do, for data that cannot be asked at neighbouring states.

Forces are linear in the inertial parameters π: τ = Y(q, v, a) π. Errors δτ of a wrong number lie in the span of Y, and
least squares leave nothing of them. Of errors e with any signs they leave, on average, Σ e² (1 − h) / Σ e², where h is the
diagonal of the projection on that span. Code in a lower precision has rounded parameters, too: of its errors they leave less.
"""

from __future__ import annotations

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Deviation
from implementations.spatial_algebra.reference import REFERENCE

FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")

HALF = 0.5
"""There are enough answers if least squares leave this part of errors with any signs, in squares."""

EIGHTH = 0.125
"""Errors scatter if least squares leave this part of that."""


def scatter(off: Deviation) -> Observation | None:
    """What shows that the errors scatter; None if they do not, or if there are too few answers to tell."""
    if off.name not in FORCES:
        return None
    q, *rates = off.arguments
    v, a = (*rates, *[np.zeros_like(off.states.v)] * 2)[:2]
    Y = REFERENCE.load(off.mechanism).joint_torque_regressor(q, v, a).reshape(off.answer.size, -1)
    error = off.signed(off.true).ravel()
    known = (off.unit.ravel() > 0) & np.isfinite(error)
    Y, error = Y[known] / off.unit.ravel()[known, None], error[known]
    Y /= np.maximum(np.linalg.norm(Y, axis=0), np.finfo(float).tiny)
    U, singular, _ = np.linalg.svd(Y, full_matrices=False)
    U = U[:, singular > 1e-10 * singular.max(initial=0.0)]
    squares = error**2 / (error @ error)
    expected = float(squares @ (1 - (U**2).sum(axis=1)))
    left = float(((error - U @ (U.T @ error)) ** 2).sum() / (error @ error))
    if expected < HALF or left < EIGHTH * expected:
        return None
    return Observation(
        f"other inertial parameters, fitted to the errors of {len(error)} answers",
        f"leave {100 * left:.0f} % of the errors, in squares, as of roundings",
    )
