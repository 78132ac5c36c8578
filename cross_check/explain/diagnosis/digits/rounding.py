"""Inputs, constants and answers that are rounded.

Code that rounds its answers gives numbers of few digits, none further from the right one than half of their spacing. This is
tried together with all that may be rounded before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation
from cross_check.explain.diagnosis.digits.roundings import Rounding, roundings
from cross_check.explain.diagnosis.digits.written import Written, written
from cross_check.memory import Array


def explain_rounding(off: Deviation) -> Arithmetic | None:
    """The rounding that predicts every answer, or None."""
    form = written(off.answer)
    for rounding in roundings(off):
        if rounding.words == "nothing" and form is None:
            continue
        for slack in [form, None] if form and rounding.words != "nothing" else [form]:
            for order in _orders(off, rounding):
                if (found := _explained(off, order, slack)) is not None:
                    return found
    return None


def _orders(off: Deviation, rounding: Rounding) -> Iterator[Rounding]:
    """The rounding with its operations in every order; others than the first are tried where that one is nearly right."""
    yield rounding
    if rounding.orders and 4 * off.few.distance(_predicted(off.few, rounding)).max(initial=0.0) < off.units.max(initial=0.0):
        yield from (rounding._replace(state=state, orders=()) for state in rounding.orders)


def _predicted(off: Deviation, rounding: Rounding) -> Array:
    with np.errstate(all="ignore"):
        return rounding.predict(off.mechanism, off.name, off.arguments)


def _explained(off: Deviation, rounding: Rounding, form: Written | None) -> Arithmetic | None:
    for part in (off.few, off):
        try:
            predicted = _predicted(part, rounding)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return None
        half: Array | float = form.half(part.answer) if form else 0.0
        if not part.is_explained(predicted, half):
            return None
    # What is known of this quantity alone is said of all inputs where it cannot be tried on others.
    rounds = rounding.others[-1][0] if form and rounding.others else rounding.words
    sentence = " and ".join(words for words in (rounds, form.words if form else "") if words not in ("nothing", ""))
    faults = () if form else rounding.faults
    seen = off.observe("code of which " + sentence, off.distance(predicted, half))
    if form:
        seen = (*seen, Observation(f"the digits of {off.answer.size} answers", form.words))
    numbers = dict((*rounding.numbers, *(form.numbers if form else ())))
    is_fault = rounding.is_fault or form is not None
    return Arithmetic(sentence, seen, numbers, is_fault, next(iter(faults), None), off.answer.size, others=faults[1:])
