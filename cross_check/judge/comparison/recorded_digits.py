"""Whether recorded answers are off only because of how they were written, or because rounding is amplified.

Text of six digits is off by half a unit of the sixth digit. Such an answer is right if the right answer, written in the same way,
may be this text. States may be rounded, too, and answers may be those of the states before that: an answer is also right if it is
that of a state within the rounding. So the distance of an answer X from the right one may be, to first order,

    half a unit of its last digit  +  Σₖ |∂X/∂xₖ| (half a unit of the last digit of xₖ)  +  the bar

for every number xₖ of the state.

Recorded data cannot be asked at neighbouring states, so amplified rounding looks like a small wrong term. Algorithms may
amplify rounding by the condition of M, with M scaled to a unit diagonal. Errors that are no larger are called lost digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.number_text import SINGLE_PRECISION
from cross_check.exchange.recorded_data.subject import LoadedRecording
from cross_check.exchange.results.objects import AS_WRITTEN, Verdict
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import Comparison
from cross_check.judge.comparison.lost_digits import largest_loss
from cross_check.judge.comparison.truth import condition
from cross_check.judge.error_scale.sizes import EPSILON
from cross_check.memory import Array
from implementations.spatial_algebra.reference import Reference
from mechanisms.numbers.precision import FLOAT64
from mechanisms.plain_text import listing
from mechanisms.quantities import ByCoriolis, ByForces, ByValue, Quantity

SECOND_ORDER = 1.1
"""What the first order leaves out is a tenth at most: three digits at least are written."""

ADVICE = "write 17 digits, as %.17g does, to show more"

IN_SINGLE = "if the code computes in float32, write '# precision: float32' into the file"

IF_ROUNDED = "if the states were rounded after the answers were computed, write '# states_are: rounded' into the file"


def judged_as_written(
    case: Case, loaded: LoadedRecording, quantity: Quantity, answer: Array, compared: Comparison, bar: float
) -> tuple[Verdict, str]:
    """The verdict on answers above the bar, and its message. ``case`` has the states with an answer."""
    recording, precision = loaded.recording, case.mechanism.precision
    slack, if_rounded = recording.slack, recording.if_rounded
    how = _how_written(loaded, quantity, slack)
    hint = f"; {IN_SINGLE}" if precision == FLOAT64 and recording.written[quantity.name] == SINGLE_PRECISION else ""
    scatter = recording.scatter.get(quantity.name, "")
    if scatter:
        is_within = _is_as_written(case, loaded, slack, quantity, answer, compared, bar)
        room = slack[quantity.name][loaded.rows_of(quantity.name, case.states.numbers)]
        if is_within and not (isinstance(quantity.judged, ByValue) and _is_biased(compared.error, room)):
            return "lost digits", f"{AS_WRITTEN}: {scatter}"
        return "discrepancy", f"{scatter}, which explains less"
    if how and _is_as_written(case, loaded, slack, quantity, answer, compared, bar):
        return "lost digits", f"{AS_WRITTEN}: it has {how}; {ADVICE}{hint}"
    largest = float(compared.units.max())
    if quantity.needs_regular_mass_matrix and largest <= largest_loss(precision):
        κ = condition(case.truth.high_low("mass_matrix", case.states.q)[0])
        if (_per_state(compared.units) <= bar + κ).all():
            digits = f"{math.ceil(math.log10(largest))} of {precision.decimals} digits are lost"
            return "lost digits", f"{digits}, which rounding explains: the condition of M is {κ.max():.0e}"
    if assumed := _how_written(loaded, quantity, if_rounded):
        if _is_as_written(case, loaded, {**slack, **if_rounded}, quantity, answer, compared, bar):
            return "discrepancy", f"{assumed} are taken as exact, and the answers are not those of these states; {IF_ROUNDED}"
        how = listing([words for words in (how, assumed) if words])
    return "discrepancy", f"the file has {how}, which does not explain it{hint}" if how else ""


def resolution(case: Case, loaded: LoadedRecording, quantity: Quantity, compared: Comparison) -> float:
    """The largest error that comes from how answers and states were written alone, in ε-units; zero if they are exact."""
    slack = _slack(case, loaded, loaded.recording.slack, quantity)
    if slack is None:
        return 0.0
    with np.errstate(all="ignore"):
        units = slack / (EPSILON * _magnitude(case, quantity, compared))
    return float(np.nan_to_num(units, posinf=0.0).max(initial=0.0))


def _how_written(loaded: LoadedRecording, quantity: Quantity, slack: Mapping[str, Array]) -> str:
    """How the answers and the states that they depend on were written; empty if exactly."""
    recording = loaded.recording
    groups: dict[str, list[str]] = {}
    for name in (quantity.name, *quantity.arguments):
        if name in slack and slack[name].any():
            title = "the answers" if name == quantity.name else name
            is_text = name not in recording.if_rounded or slack is recording.if_rounded
            groups.setdefault((is_text and recording.written[name]) or "converted numbers", []).append(title)
    return listing([f"{how} in {listing(names)}" for how, names in groups.items()])


def _is_biased(errors: Array, room: Array) -> bool:
    """Whether the errors of a column (states, …) add up to more than scatter explains, although each is within its ``room``.

    The room of a mean is k of its standard errors. So a sum of errors / room has the standard error √n / k for n states.
    """
    with np.errstate(all="ignore"):
        sums = np.abs(np.where(room > 0, errors / room, 0.0).sum(axis=0))
    return bool((sums > math.sqrt(len(errors))).any())


def _is_as_written(
    case: Case,
    loaded: LoadedRecording,
    given: Mapping[str, Array],
    quantity: Quantity,
    answer: Array,
    compared: Comparison,
    bar: float,
) -> bool:
    slack = _slack(case, loaded, given, quantity)
    if slack is None:
        return False
    with np.errstate(all="ignore"):
        right = answer - compared.error
        if not isinstance(quantity.judged, ByCoriolis):  # There is no one right Coriolis matrix.
            right = getattr(Reference().load(case.mechanism), quantity.name)(*case.states.arguments(quantity.arguments))
        allowed = SECOND_ORDER * slack + bar * EPSILON * _magnitude(case, quantity, compared)
        return bool((np.abs(answer - right) <= allowed).all())


def _slack(case: Case, loaded: LoadedRecording, slack: Mapping[str, Array], quantity: Quantity) -> Array | None:
    """How far answers may be from the right ones if every number of the file may be off by its slack; None if all are exact."""
    rows = loaded.rows_of(quantity.name, case.states.numbers)
    if not any(slack[name][rows].any() for name in (quantity.name, *quantity.arguments)):
        return None
    ours = getattr(Reference().load(case.mechanism), quantity.name)
    arguments = dict(zip(quantity.arguments, case.states.arguments(quantity.arguments), strict=True))
    own, of_states = slack[quantity.name][rows], {name: slack[name][rows] for name in arguments}
    with np.errstate(all="ignore"):
        if isinstance(quantity.judged, ByCoriolis):
            return _coriolis_slack(ours, loaded.recording.answers[quantity.name][rows], arguments, own, of_states)
        return own + _spread(ours, arguments, of_states)


def _spread(function: Callable[..., Array], arguments: dict[str, Array], slack: dict[str, Array]) -> Array:
    """How far the function's value may move while every number of the arguments moves by its slack, to first order."""
    here = function(*arguments.values())
    total: Any = np.zeros_like(here)
    for pair in _moved(arguments, slack):
        # Near an extremum, a step to one side leads to the same value.
        total += np.maximum(*(np.abs(function(*moved.values()) - here) for moved in pair))
    return total


def _coriolis_slack(
    ours: Callable[..., Array], C: Array, arguments: dict[str, Array], own: Array, slack: dict[str, Array]
) -> Array:
    """The same for C, which is judged by C + Cᵀ = Ṁ and C v = h − g − D v: our own C gives the two right sides.

    As there, every entry stands for the error of the first equation, or for that of its row of the second one.
    """
    v, n = arguments["v"], C.shape[1]

    def rates(q: Array, v: Array) -> Array:
        return ours(q, v) + ours(q, v).swapaxes(1, 2)

    def products(q: Array, v: Array) -> Array:
        return np.einsum("bij,bj->bi", ours(q, v), v)

    by_rate = (own + own.swapaxes(1, 2) + _spread(rates, arguments, slack)) / (1 + np.eye(n))
    rows = _spread(products, arguments, slack)
    rows += np.einsum("bij,bj->bi", own, np.abs(v)) + np.einsum("bij,bj->bi", np.abs(C), slack["v"])
    by_product = rows[:, :, None] / np.abs(v)[:, None, :]
    return np.maximum(by_rate, np.where(np.isfinite(by_product), by_product, 0.0))


def _moved(arguments: dict[str, Array], slack: dict[str, Array]) -> Iterator[list[dict[str, Array]]]:
    """The arguments with one number of every state moved up by its slack, and moved down, for each number in turn."""
    for name, given in arguments.items():
        for index in np.ndindex(given.shape[1:]):
            step = slack[name][(slice(None), *index)]
            if step.any():
                pair = [given.copy(), given.copy()]
                pair[0][(slice(None), *index)] += step
                pair[1][(slice(None), *index)] -= step
                yield [{**arguments, name: moved} for moved in pair]


def _magnitude(case: Case, quantity: Quantity, compared: Comparison) -> Array:
    """The magnitude of every number of the answer. Forward dynamics is judged by forces, which M⁻¹ turns into accelerations."""
    if not isinstance(quantity.judged, ByForces):
        return compared.magnitude
    return np.einsum("bij,bj->bi", np.abs(case.mass_matrix.inverse(case.states.q)), compared.magnitude)


def _per_state(units: Array) -> Array:
    return units.reshape(len(units), -1).max(axis=1)
