"""Whether recorded answers are off only because of how they were written, or because rounding is amplified.

Text of six digits is off by half a unit of the sixth digit. Such an answer is right if the right answer, written in the same way,
may be this text. States may be rounded, too, and answers may be those of the states before that: an answer is also right if it is
that of a state within the rounding. So the distance of an answer X from the right one may be, to first order,

    half a unit of its last digit  +  Σₖ |∂X/∂xₖ| (half a unit of the last digit of xₖ)  +  the bar

for every number xₖ of the state. Recorded data cannot be asked at neighbouring states. So amplified rounding is told by our own
float64 code: it loses as many digits, by at least one of two algorithms.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.judgements import Comparison, compare
from cross_check.error_scale.sizes import EPSILON
from cross_check.memory import Array
from cross_check.recorded_data.subject import LoadedRecording
from cross_check.results.plain_text import listing
from implementations.spatial_algebra.reference import Reference
from mechanisms.quantities import ByCoriolis, ByForces, Quantity

SECOND_ORDER = 1.1
"""What the first order leaves out is a tenth at most: the digits that are written are four at least."""

AS_MUCH = 10.0
"""Code loses digits for the same reason as ours if its error is at most so many times ours."""

ADVICE = "write 17 digits, as %.17g does, to show more"


def why_off(case: Case, loaded: LoadedRecording, quantity: Quantity, answer: Array, compared: Comparison, bar: float) -> str:
    """Why answers above the bar are right all the same; empty if they are wrong. ``case`` has the states with an answer."""
    if isinstance(quantity.judged, ByCoriolis):
        return ""
    how = _how_written(loaded, quantity)
    if how and _is_as_written(case, loaded, quantity, answer, compared, bar):
        return f"right as far as the file can show: it has {how}; {ADVICE}"
    if quantity.needs_regular_mass_matrix and _is_amplified(case, quantity, compared, bar):
        digits = math.ceil(math.log10(compared.units.max()))
        return f"rounding is amplified: {digits} of 16 digits are lost, and our own float64 code loses as many"
    return ""


def resolution(case: Case, loaded: LoadedRecording, quantity: Quantity, compared: Comparison) -> float:
    """The largest error that comes from how answers and states were written alone, in ε-units; zero if they are exact."""
    slack = _slack(case, loaded, quantity)
    if isinstance(quantity.judged, ByCoriolis) or slack is None:
        return 0.0
    with np.errstate(all="ignore"):
        units = slack / (EPSILON * _magnitude(case, quantity, compared))
    return float(np.nan_to_num(units, posinf=0.0).max(initial=0.0))


def _how_written(loaded: LoadedRecording, quantity: Quantity) -> str:
    """How the answers and the states that they depend on were written; empty if exactly."""
    recording = loaded.recording
    groups: dict[str, list[str]] = {}
    for name in (quantity.name, *quantity.arguments):
        if recording.slack[name].any():
            title = "the answers" if name == quantity.name else name
            groups.setdefault(recording.written[name] or "converted numbers", []).append(title)
    return listing([f"{how} in {listing(names)}" for how, names in groups.items()])


def _is_as_written(
    case: Case, loaded: LoadedRecording, quantity: Quantity, answer: Array, compared: Comparison, bar: float
) -> bool:
    slack = _slack(case, loaded, quantity)
    if slack is None:
        return False
    with np.errstate(all="ignore"):
        right = getattr(Reference().load(case.mechanism), quantity.name)(*case.states.arguments(quantity.arguments))
        allowed = SECOND_ORDER * slack + bar * EPSILON * _magnitude(case, quantity, compared)
        return bool((np.abs(answer - right) <= allowed).all())


def _slack(case: Case, loaded: LoadedRecording, quantity: Quantity) -> Array | None:
    """How far answers may be from the right ones, because of how they and their states were written; None if they are exact."""
    rows = loaded.rows_of(quantity.name, case.states.numbers)
    slack = loaded.recording.slack
    if not any(slack[name][rows].any() for name in (quantity.name, *quantity.arguments)):
        return None
    total: Any = slack[quantity.name][rows].copy()
    ours = getattr(Reference().load(case.mechanism), quantity.name)
    arguments = dict(zip(quantity.arguments, case.states.arguments(quantity.arguments), strict=True))
    with np.errstate(all="ignore"):
        here = ours(*arguments.values())
        for moved in _moved(arguments, {name: slack[name][rows] for name in arguments}):
            total += np.abs(ours(*moved.values()) - here)
    return total


def _moved(arguments: dict[str, Array], slack: dict[str, Array]) -> Iterator[dict[str, Array]]:
    """The arguments with one number of every state moved by its slack, for each number in turn."""
    for name, given in arguments.items():
        for index in np.ndindex(given.shape[1:]):
            step = slack[name][(slice(None), *index)]
            if step.any():
                moved = given.copy()
                moved[(slice(None), *index)] += step
                yield {**arguments, name: moved}


def _magnitude(case: Case, quantity: Quantity, compared: Comparison) -> Array:
    """The magnitude of every number of the answer. Forward dynamics is judged by forces, which M⁻¹ turns into accelerations."""
    if not isinstance(quantity.judged, ByForces):
        return compared.magnitude
    return np.einsum("bij,bj->bi", np.abs(case.mass_matrix.inverse(case.states.q)), compared.magnitude)


def _is_amplified(case: Case, quantity: Quantity, compared: Comparison, bar: float) -> bool:
    """Whether our own code is off by nearly as much in every state, by one of two algorithms."""
    ours = getattr(Reference().load(case.mechanism), quantity.name)(*case.states.arguments(quantity.arguments))
    largest = _per_state(compare(case, quantity, np.asarray(ours, dtype=np.float64)).units)
    if isinstance(quantity.judged, ByForces):
        q, v, tau = case.states.arguments(("q", "v", "tau"))
        h, _ = case.truth.high_low("nonlinear_effects", q, v)
        solved = np.einsum("bij,bj->bi", case.mass_matrix.inverse(q), tau - h)
        largest = np.maximum(largest, _per_state(compare(case, quantity, solved).units))
    return bool((_per_state(compared.units) <= AS_MUCH * largest + bar).all())


def _per_state(units: Array) -> Array:
    return units.reshape(len(units), -1).max(axis=1)
