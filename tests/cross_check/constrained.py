"""Cases of mechanisms with constraints, and how far answers are from the truth there."""

from __future__ import annotations

from functools import cache

import numpy as np

from cross_check.judge.comparison.case import Case, Model
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import sample
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import CONSTRAINT_QUANTITIES

STATES = 18
"""One of every kind."""


def case_of(mechanism: Mechanism, states: int = STATES) -> Case:
    return Model(mechanism).satisfying(sample(mechanism, 0, states))


@cache
def named(name: str) -> Case:
    return case_of(LOOPS[name]())


def units(case: Case, quantity: str, answer: Array) -> float:
    """The largest error in ε-units; infinity for what is no number."""
    worst = compare(case, CONSTRAINT_QUANTITIES[quantity], answer).units.max()
    return float(np.nan_to_num(worst, nan=np.inf))


def compared(case: Case) -> list[str]:
    """The quantities that are compared: where λ is not unique, its derivative along motions of q is not."""
    unique = case.states.rank == len(case.mechanism.constrained_directions)
    return [name for name in CONSTRAINT_QUANTITIES if unique or name != "constraint_multipliers_dx"]


def arguments(case: Case, quantity: str) -> tuple[Array, ...]:
    return case.states.arguments(CONSTRAINT_QUANTITIES[quantity].arguments)
