"""Whether wrong derivatives follow from a fault: whether they are the derivatives of the τ and q̈ that code with it computes.

A fault edits one algorithm of the reference, and the reference's derivatives are another. Code that differentiates its own
dynamics, by automatic differentiation or by the same wrong formula, carries the fault over.
"""

from __future__ import annotations

from cross_check.diagnosis.laboratory import NoAnswer, Trial
from cross_check.diagnosis.stages import LOOSE
from cross_check.faults.fault import Fault
from cross_check.faults.following import FOLLOWING, following


def follows(trial: Trial, quantity: str, fault: Fault, bar: float) -> bool:
    """Whether the answers are the derivatives of code with this fault, at every state.

    Tried are its own forward dynamics and the one that solves its inverse dynamics. A fault whose functions take no complex
    numbers predicts nothing.
    """
    if quantity not in FOLLOWING:
        return False
    try:
        ways = (following(fault, solves) for solves in (False, True))
        return any(trial.errors(quantity, one).max(initial=0) <= LOOSE * bar for one in ways)
    except (NoAnswer, TypeError):
        return False
