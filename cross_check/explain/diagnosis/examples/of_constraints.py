"""The example of a cause with constraints: a mechanism of the run at a state where the code is clearly wrong, and its programs.

It is no smaller than the mechanism, because experiments that take bodies away would open its loops.
"""

from __future__ import annotations

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Example
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.examples.example import components, written_example
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.memory import Array
from mechanisms.quantities import CONSTRAINT_QUANTITIES, ByConstrainedMotion, ByDelassus, ByValue, Quantity

CLEARLY = 1e-3
"""An error of more than this share of the largest one shows the cause as well."""

UNIQUE = ("acceleration", "impact", "unit forces")
"""Problems whose answer is compared as it is, where it is unique."""

TINY = float(np.finfo(float).tiny)


def constraint_example(entry: Entry, case: Case, quantity: str, answer: Array, sentence: str, bar: float = BAR) -> Example | None:
    """The example of a wrong ``answer`` (batch, …) at the states of the case. ``sentence`` says what is wrong.

    None where there is no one right answer, as for λ where rows of J follow from others, and where no number is wrong.
    """
    declared = CONSTRAINT_QUANTITIES[quantity]
    if (right := _right(case, declared)) is None:
        return None
    units = np.nan_to_num(compare(case, declared, answer).units, nan=np.inf)
    state = _simplest(case, declared, units)
    if not np.isfinite(answer[state]).all() or np.max(units) <= bar:
        return None
    arguments = zip(declared.arguments, case.states.arguments(declared.arguments), strict=True)
    given = {name: column[state] for name, column in arguments}
    code = (entry.spec, entry.subject.name, entry.version)
    names = components(case.mechanism, quantity)
    return written_example(case.mechanism, quantity, given, given, names, answer[state], right[state], code, sentence)


def _simplest(case: Case, quantity: Quantity, units: Array) -> int:
    """Of the states where the answer is clearly wrong, the one where the largest numbers of all arguments are nearest to one."""
    error = units.reshape(len(units), -1).max(axis=1)
    largest = (np.abs(x).max(axis=1) for x in case.states.arguments(quantity.arguments))
    far = sum(np.abs(np.log(number + TINY)) for number in largest)
    return int(np.where(error >= CLEARLY * error.max(), far, np.inf).argmin())


def _right(case: Case, quantity: Quantity) -> Array | None:
    """The right answers (batch, …); None if several are right, or if none is known."""
    judged = quantity.judged
    if isinstance(judged, ByDelassus):
        return case.constrained.delassus_matrix.high
    if isinstance(judged, ByValue):
        return case.truth.high_low(quantity.name, *case.states.arguments(quantity.arguments))[0]
    if not isinstance(judged, ByConstrainedMotion) or judged.problem not in UNIQUE:
        return None
    solved = case.equations(judged)
    right = solved.x.high if judged.answer == "motion" else solved.forces.high
    if judged.answer == "multipliers":
        if case.states.rank < len(case.mechanism.constrained_directions):
            return None
        right = np.linalg.pinv(solved.J.high.swapaxes(1, 2)) @ right
    return right if len(quantity.axes) == 2 else right[..., 0]
