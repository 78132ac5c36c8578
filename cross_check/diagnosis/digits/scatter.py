"""Whether errors scatter as roundings do, for data that cannot be asked at neighbouring states.

Forces are linear in the inertial parameters π: τ = Y(q, v, a) π. Errors δτ of a wrong number lie in the span of Y, and
least squares leave nothing of them. Of roundings they leave the share 1 − rank / n, where n is the number of answers.
"""

from __future__ import annotations

import numpy as np

from cross_check.diagnosis.digits.deviation import Deviation
from cross_check.results.causes import Observation
from implementations.spatial_algebra.reference import REFERENCE

FORCES = ("inverse_dynamics", "nonlinear_effects", "gravity")

HALF = 0.5
"""Errors scatter if least squares leave this part of what they leave of roundings, in squares."""


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
    π, _, rank, _ = np.linalg.lstsq(Y, error, rcond=1e-10)
    expected = 1 - rank / max(len(error), 1)
    left = float(((error - Y @ π) ** 2).sum() / (error @ error))
    if expected < HALF or left < HALF * expected:
        return None
    return Observation(
        f"other inertial parameters, fitted to the errors of {len(error)} answers",
        f"leave {100 * left:.0f} % of the errors, in squares, as of roundings",
    )
