"""Whether wrong derivatives follow from a fault: whether they are the derivatives of the τ and q̈ that code with it computes.

A fault edits one algorithm of the reference, and the reference's derivatives are another. Code that differentiates its own
dynamics, by automatic differentiation or by the same wrong formula, carries the fault over.
"""

from __future__ import annotations

from contextlib import suppress

from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.following import FOLLOWING, following

DERIVED = tuple(name for name in FOLLOWING if name != "mass_matrix")
"""The quantities that users know as derivatives."""


def follows(trial: Trial, quantity: str, fault: Fault, bar: float) -> bool:
    """Whether the answers are the derivatives of code with this fault, at every state.

    The code's own τ or q̈, if it answers that, must have the fault as well. Its q̈ may be that of forward dynamics with the fault,
    or the one that solves its inverse dynamics. A fault whose functions take no complex numbers predicts nothing.
    """
    if quantity not in FOLLOWING:
        return False
    dynamics = quantity.rpartition("_d")[0] if quantity in DERIVED else "inverse_dynamics"
    # Code that has the derivatives alone may compute them of any dynamics.
    with suppress(NoAnswer):
        if not trial.explains(dynamics, fault, bar):
            return False
    try:
        ways = (following(fault, solves) for solves in (False, True))
        return any(trial.explains(quantity, one, bar) for one in ways)
    except (NoAnswer, TypeError):
        return False
