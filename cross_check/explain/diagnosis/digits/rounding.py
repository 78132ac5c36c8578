"""Inputs, constants and answers that are rounded, and answers that are set to zero where they are small.

Code that rounds its answers gives numbers of few digits, none further from the right one than half of their spacing. This is
tried together with all that may be rounded before. The limit below which answers are zero is found between two states.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import Arithmetic, Deviation, right_answer, short_number
from cross_check.explain.diagnosis.digits.formats import Format, written
from cross_check.explain.diagnosis.digits.roundings import Rounding, roundings
from cross_check.explain.faults.changes.states import State, below
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
from mechanisms import Mechanism

HALVINGS = 25


def explain_rounding(off: Deviation) -> Arithmetic | None:
    """The rounding that predicts every answer, or None."""
    form = written(off.answer, off.mechanism.precision)
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


def _explained(off: Deviation, rounding: Rounding, form: Format | None) -> Arithmetic | None:
    # What is known of this quantity alone is said of all inputs where it cannot be tried on others.
    rounds = rounding.others[-1].words if form and rounding.others else rounding.words
    sentence = " and ".join([*([rounds] if rounds != "nothing" else []), *([form.of_answers] if form else [])])
    few, slack = (form.half(part.answer) if form else 0.0 for part in (off.few, off))
    try:
        if not off.few.is_explained(_predicted(off.few, rounding), few):
            return None
        predicted = _predicted(off, rounding)
    except (ArithmeticError, ValueError, np.linalg.LinAlgError):
        return None
    if (found := off.explained(sentence, predicted, f"code of which {sentence}", slack)) is None:
        return None
    if form:
        return replace(found, observations=(*found.observations, form.seen(off.answer)))
    fault, *others = rounding.faults
    return replace(found, is_fault=rounding.is_fault, fault=fault, others=tuple(others))


def explain_threshold(off: Deviation) -> Arithmetic | None:
    """The limit below which answers are set to zero, if that predicts every answer."""
    low, high = _between(off.answer, off.true)
    if not 0 < low < high < np.inf or not off.is_explained(below((low + high) / 2)(off.true)):
        return None
    low, high = _narrowed(off, low, high)
    limit = short_number(low, high)
    if limit == low:
        limit = (low + high) / 2
    sentence = f"answers below {limit:.4g} are set to zero"
    seen = (
        Observation(f"{off.name}: the largest number that is answered by zero", f"{low:.6g}"),
        Observation(f"{off.name}: the smallest number that is not", f"{high:.6g}"),
    )
    fault = Fault(sentence, "thresholds", answer=partial(_without_small, limit))
    return Arithmetic(sentence, seen, fault=fault, tried=off.answer.size)


def _without_small(limit: float, mechanism: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    return below(limit)(answer)


def _between(answer: Array, true: Array) -> tuple[float, float]:
    """The largest number that is answered by zero, and the smallest that is not."""
    zero = answer == 0
    low, high = np.abs(true[zero]).max(initial=0), np.abs(true[~zero]).min(initial=np.inf)
    return float(low), float(high)


def _narrowed(off: Deviation, low: float, high: float) -> tuple[float, float]:
    """Both numbers, nearer to each other: between two states of which one number of the answer is zero in the first alone."""
    size = np.abs(off.true).reshape(len(off.answer), -1)
    small = int(np.where(size <= low, size, -1).max(axis=0).argmax())
    there = [int(np.where(size[:, small] <= low, size[:, small], -1).argmax()), int(size[:, small].argmax())]
    if size[there[1], small] < high or off.mechanism.nq != off.mechanism.nv:
        return low, high
    first, last = (off.states.pick(np.array([k])) for k in there)
    for _ in range(HALVINGS):
        means = {name: (getattr(first, name) + getattr(last, name)) / 2 for name in ("q", "v", "a", "tau")}
        middle = replace(first, **means)
        arguments = middle.arguments(off.quantity.arguments)
        if (answer := off.ask(off.name, *arguments)) is None:
            break
        one, other = _between(answer, right_answer(off.mechanism, off.name, *arguments))
        if max(low, one) >= min(high, other):
            break
        low, high = max(low, one), min(high, other)
        first, last = (first, middle) if answer.ravel()[small] != 0 else (middle, last)
    return low, high
