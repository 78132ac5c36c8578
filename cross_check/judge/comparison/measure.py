"""One cell: ask an implementation for a quantity at every state, and measure how far its answers are from the truth.

Errors are given in ε-units: |answer − truth| / (ε · magnitude), where the magnitude is the size of what is summed to make that
component (:mod:`cross_check.judge.error_scale.sizes`). A float64 implementation that makes no mistake stays within a few of them
on any robot and at any state; a wrong term is off by ten orders of magnitude. :mod:`cross_check.judge.comparison.judgements` has
the ways of comparing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.recorded_data.ranges import size
from cross_check.exchange.recorded_data.subject import LoadedRecording
from cross_check.exchange.results import INFINITE, Cell
from cross_check.exchange.results.failures import ALONE, NOT_ALONE
from cross_check.exchange.results.objects import NOT_RECORDED, Ulps, Verdict, Worst
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.given import case_with_answers
from cross_check.judge.comparison.judgements import Comparison, bounded, compare, largest, rounded
from cross_check.judge.comparison.lost_digits import lost_digits
from cross_check.judge.comparison.recorded_digits import judged_as_written
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.quantities import ByConstrainedMotion, Quantity

SEARCH = 1000
"""So many states are asked alone to find the state of a failure."""


class Measured(NamedTuple):
    """A cell and the seconds that the implementation took; its answer (batch, …) and how that was compared, None without one."""

    cell: Cell
    seconds: float = 0.0
    answer: Array | None = None
    compared: Comparison | None = None


def measure(
    case: Case, loaded: Loaded, implementation: str, quantity: Quantity, bar: float, state: int | None = None
) -> Measured:
    """Compare one quantity of one implementation with the truth.

    With ``state`` the verdict, the coordinates and the details are those of this state of the case, not of the worst. Details
    name a state by its number in the run. Of recorded data, the states with an answer are compared.
    """
    mechanism = case.mechanism
    cell_id = f"{mechanism.name}/{implementation}/{quantity.name}"

    def cell(verdict: Verdict, message: str = "", **measured: Any) -> Cell:
        return Cell(cell_id, mechanism.name, implementation, quantity.name, verdict, message, **measured)

    try:
        if not loaded.offers(quantity.name):
            return Measured(cell("not offered", f"{implementation} has no {quantity.name}"))
    except Failure as failure:
        return Measured(cell("failed", str(failure), output=failure.output))
    missing = 0
    if isinstance(loaded, LoadedRecording):
        there = case_with_answers(case, loaded, quantity.name, state)
        own = sum(number in loaded.places for number in case.states.numbers)
        missing = own - (len(there.states) if there else 0) + (size(loaded.recording.absent) if case.first == 0 else 0)
        if there is None:
            return Measured(cell("unsupported", NOT_RECORDED, missing=missing))
        case, state = there, None
    states = case.states
    if lacking := [name for name in quantity.arguments if name in states.lacking]:
        return Measured(cell("unsupported", f"the recorded states have no {', '.join(lacking)}"))
    arguments = states.arguments(quantity.arguments)
    try:
        quantity.require_compared(mechanism)
        if quantity.needs_regular_mass_matrix:
            case.mass_matrix.require_regular(states.q)
        if isinstance(quantity.judged, ByConstrainedMotion):
            case.equations(quantity.judged)
    except Unsupported as reason:
        # Our own reason, which says nothing about the code: it is not asked.
        return Measured(cell("unsupported", str(reason)))
    try:
        answer = loaded.ask(quantity.name, *arguments)
    except Unsupported as reason:
        if (answered := _answered(loaded, quantity.name, arguments)) is not None:
            remedy = "code that has a quantity answers at every state, or fails"
            said = f"{quantity.name} is said to be unsupported ({reason}), and state {answered} alone is answered; {remedy}"
            return Measured(cell("failed", said))
        return Measured(cell("unsupported", str(reason)))
    except Failure as failure:
        sentence = _located(failure, loaded, quantity.name, arguments)
        counted_from = f", counted from state {case.first}" if case.first else ""
        return Measured(cell("failed", sentence + counted_from, output=failure.output, missing=missing))

    compared = compare(case, quantity, answer.value)
    units = bounded(compared.units)
    per_state = units.reshape(len(states), -1).max(axis=1)
    k = int(per_state.argmax()) if state is None else state
    shown = units if state is None else units[[k]]
    by_coordinate = np.moveaxis(shown, 1, 0).reshape(mechanism.nv, -1).max(axis=1) if quantity.compared[:1] == ("nv",) else []
    indices = tuple(map(int, np.unravel_index(int(units[k].argmax()), units[k].shape)))
    worst = Worst(
        case.number(k),
        states.kinds[k],
        quantity.component(mechanism, indices),
        {name: x[k].tolist() for name, x in zip(quantity.arguments, arguments, strict=True)},
        *(finite(array[k][indices]) for array in (compared.value, compared.expected, compared.size(mechanism.precision))),
    )
    ulps = (
        in_ulps(answer.value, compared.expected, mechanism.precision) if case.truth.certificate and quantity.has_value else None
    )
    largest = float(per_state[k])
    verdict: Verdict = "agrees" if largest <= bar else "discrepancy"
    message = ""
    if verdict == "discrepancy" and isinstance(loaded, LoadedRecording):
        verdict, message = judged_as_written(case, loaded, quantity, answer.value, compared, bar)
    elif verdict == "discrepancy" and (why := lost_digits(case, loaded, quantity, units, bar)):
        verdict, message = "lost digits", why
    if isinstance(loaded, LoadedRecording):
        message = "; ".join(filter(None, [message, loaded.recording.compared_words(quantity.name)]))
    above = state is None and largest > bar and quantity.compared[:1] in (("nv",), ("bodies",))
    judged = cell(
        verdict,
        message,
        error=rounded(largest),
        errors=[rounded(x) for x in per_state],
        coordinates=[rounded(x) for x in by_coordinate],
        worst=worst,
        ulps=ulps,
        output=answer.output,
        by_kind=by_kind(states.kinds, units) if above else {},
        missing=missing,
        states=states.numbers if isinstance(loaded, LoadedRecording) else (),
    )
    return Measured(judged, answer.seconds, answer.value, compared)


def distance(one: Measured, other: Measured) -> float | None:
    """How far two answers to one question are from each other, in ε-units; 0 for the same bits, None without two answers.

    They are compared as with the truth: by their values, or by the equation that they solve.
    """
    if one.answer is None or other.answer is None or one.compared is None or other.compared is None:
        return None
    if one.answer.tobytes() == other.answer.tobytes():
        return 0.0
    magnitude = np.minimum(one.compared.magnitude, other.compared.magnitude)
    return rounded(largest(in_epsilons(one.compared.value - other.compared.value, magnitude)))


def by_kind(kinds: Sequence[str], units: Array) -> dict[str, list[float]]:
    """The largest error of every entry of the first axis, over the states of each kind; ``units`` are (batch, …)."""
    per_entry = units.reshape(*units.shape[:2], -1).max(axis=2)
    names = np.array(kinds)
    return {kind: [rounded(x) for x in per_entry[names == kind].max(axis=0)] for kind in dict.fromkeys(kinds)}


def _answered(loaded: Loaded, quantity: str, arguments: tuple[Array, ...]) -> int | None:
    """A state that is answered alone, of a batch that is said to be unsupported; of recorded data none is asked."""
    if isinstance(loaded, LoadedRecording):
        return None
    for k in dict.fromkeys((0, len(arguments[0]) // 2, len(arguments[0]) - 1)):
        with suppress(Unsupported, Failure):
            loaded.ask(quantity, *(x[k : k + 1] for x in arguments))
            return k
    return None


def _located(failure: Failure, loaded: Loaded, quantity: str, arguments: tuple[Array, ...]) -> str:
    """The sentence of the failure, with the first state that fails alone, if there is one."""
    sentence = str(failure)
    if not failure.of_a_state:
        return sentence
    for k in range(len(arguments[0][:SEARCH])):
        try:
            loaded.ask(quantity, *(x[k : k + 1] for x in arguments))
        except Unsupported:
            return sentence
        except Failure as again:
            return f"{sentence}; {ALONE.format(k)}" if again.of_a_state else sentence
    return sentence if len(arguments[0]) > SEARCH else f"{sentence}; {NOT_ALONE}"


def in_ulps(answer: Array, nearest: Array, precision: Precision = FLOAT64) -> Ulps | None:
    """How far answers are from the correctly rounded values (any shape). None if all correctly rounded values are zero.

    A unit is the gap between the correctly rounded value and the next smaller number of the precision (in magnitude). No
    neighbour is nearer than one unit; a neighbour above a power of two is two units away.
    """
    nearest = precision.rounded(nearest)
    answer, nearest = answer[nearest != 0], nearest[nearest != 0]
    if not nearest.size:
        return None
    with np.errstate(over="ignore", under="ignore"):
        gap = precision.spacing(np.nextafter(np.abs(nearest), 0))
        units = np.minimum(np.abs(answer - nearest) / gap, INFINITE)
    quantiles = np.quantile(units, (0.5, 0.99, 1), method="higher")
    # Round the share down, so that 1 means every answer.
    return Ulps(math.floor(1e4 * np.mean(units == 0)) / 1e4, *map(rounded, quantiles))


def finite(number: Any) -> float:
    """As float64. JSON has no infinity or NaN; both become :data:`INFINITE`."""
    with np.errstate(over="ignore"):
        return float(np.nan_to_num(np.float64(number), nan=INFINITE, posinf=INFINITE, neginf=-INFINITE))
