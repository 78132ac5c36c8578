"""Which arithmetic explains answers that are off: rounding, approximate sines, finite differences, loose solvers, cancellation.

Each module predicts the answers of code that loses digits in one way. Correct code is recognised first: where correct algorithms
are as far off, or where the input is rounded once, the explanation says so, and is no fault. A fault is claimed only if answers
of code with it are predicted and agree, if the answers are right where its arithmetic loses nothing, or if its errors jump
between neighbouring states, as no error of mechanics does.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

import numpy as np

from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.differences import explain_difference
from cross_check.explain.diagnosis.digits.losses import explain_lost, explain_removed
from cross_check.explain.diagnosis.digits.precision import explain_conditioning, explain_precision
from cross_check.explain.diagnosis.digits.rounding import explain_threshold, roundings
from cross_check.explain.diagnosis.digits.sines import approximations
from cross_check.explain.diagnosis.digits.solvers import explain_nonlinear_solver, explain_solver, explain_tolerance
from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from mechanisms.numbers.precision import FLOAT64

__all__ = ["Arithmetic", "explain_arithmetic"]

EXACT = (
    explain_conditioning,
    partial(explain_lost, roundings),
    explain_threshold,
    partial(explain_lost, approximations),
    explain_difference,
    explain_tolerance,
    explain_solver,
)
"""These predict every answer."""

BY_SIZE = (explain_precision, explain_nonlinear_solver)
"""These know errors by their size and look only."""

OF_FLOAT64 = (explain_conditioning, explain_tolerance, explain_solver, explain_nonlinear_solver)
"""These need digits that code in another precision does not have."""


def explain_arithmetic(trial: Trial, quantity: str, known: Collection[str] = ()) -> Arithmetic | None:
    """The arithmetic that explains the errors of one quantity at the states of ``trial``, or None.

    ``known`` are the sentences that explain other quantities. None also means that the answers agree, or that there are none.
    """
    try:
        off = Deviation(trial, quantity)
        if not off.is_off:
            return None
        with np.errstate(all="ignore"):
            every = (*EXACT, partial(explain_removed, known=known), *BY_SIZE)
            tried = (explain for explain in every if trial.mechanism.precision == FLOAT64 or explain not in OF_FLOAT64)
            return next((found for explain in tried if (found := explain(off)) is not None), None)
    except (NoAnswer, np.linalg.LinAlgError):
        return None
