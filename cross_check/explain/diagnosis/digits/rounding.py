"""Inputs, constants and answers that are rounded, and answers that are set to zero where they are small.

Code that rounds what it is given answers what right code answers to the rounded numbers: to float32, float16, decimals; π and g
with few digits; degrees and back. Code that rounds its answers gives numbers of few digits, none further from the right one than
half of their spacing. Both are tried together. The limit below which answers are zero is found between two states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.explain.diagnosis.digits.deviation import MOVED, Arithmetic, Deviation, Loss, right_answer, short_number
from cross_check.explain.faults.changes import mechanisms as wrong_mechanisms
from cross_check.explain.faults.changes import states as wrong_states
from cross_check.explain.faults.changes.states import State, below
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.readings import rounded as rounded_numbers
from cross_check.explain.faults.readings.rounded import SINGLE, WHOLE, Format, coarser, decimals, rounded_dynamics
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism
from mechanisms.numbers.exact import Scalar
from mechanisms.numbers.precision import Precision
from mechanisms.plain_text import listing

DECIMALS = tuple(map(decimals, range(1, 13)))
FEW_DECIMALS = DECIMALS[:2]
FEW_DIGITS_OF_PI = ("3.14", "3.142", "3.1416", "3.14159", "3.141593", "3.1415927")
USUAL_GRAVITIES = ("9.8", "9.81", "9.80665", "9.807", "9.806", "10")

ARGUMENTS = ("q", "v", "a", "tau", "f")
INPUTS = "inputs"
"""All arguments, whatever a quantity takes."""


class RoundedConstants(Real):
    """float64, in which every number of the reference's model is rounded to float32 first."""

    def number(self, value: Scalar) -> Any:
        return np.float64(np.float32(float(value)))


def _reading(read: Callable[[Mechanism], Mechanism]) -> Callable[[Mechanism], Any]:
    """The reference with what is read of a mechanism."""
    return lambda mechanism: REFERENCE.load(read(mechanism))


def roundings(off: Deviation) -> Iterator[Loss]:
    """Every way to round what the code is given, the simplest first. Large errors leave those to few digits."""
    columns, is_small, binary = off.quantity.arguments, off.has_three_digits, coarser(off.mechanism.precision)
    yield Loss("")
    yield from _once()
    if is_small:
        yield from _of_columns(columns, binary)
        yield from _of_mechanism(off.mechanism.precision)
    yield from _of_gravity(off.mechanism)
    yield from _of_pi()
    yield from _of_columns(columns, DECIMALS if is_small else FEW_DECIMALS)
    if is_small:
        yield from _of_joints(off)


def rounding_to(form: Format, names: tuple[str, ...], loads: Callable[[Mechanism], Any] | None = None) -> Loss:
    """These columns are rounded, and with ``loads`` the numbers of the mechanism, too."""
    said = [*([INPUTS] if names == ARGUMENTS else names), *([WHOLE] if loads else [])]
    words = f"{listing(said)} {'is' if said == [*names[:1]] else 'are'} rounded to {form.words}"

    def state(m: Mechanism, given: wrong_states.State) -> wrong_states.State:
        return {name: form.round(x) if name in names else x for name, x in given.items()}

    return Loss(words, state if names else None, loads=loads)


def _of_columns(columns: tuple[str, ...], formats: Iterable[Format]) -> Iterator[Loss]:
    """Each column, all of them, and the first two of more are rounded.

    Whether the columns that the quantity does not take are rounded as well, others tell.
    """
    some = dict.fromkeys((*((name,) for name in columns), columns, *([columns[:2]] if len(columns) > 2 else [])))
    for form, chosen in product(formats, some):
        wider = [*([("q", "v")] if columns == ("q",) else []), ARGUMENTS] if chosen == columns else []
        yield replace(rounding_to(form, chosen), others=tuple(rounding_to(form, names) for names in wider))


def fewer_digits(precision: Precision) -> list[Format]:
    """The formats of numbers that have fewer digits than this precision."""
    return [one for one in rounded_numbers.FORMATS if one is not SINGLE or SINGLE in coarser(precision)]


def _of_mechanism(precision: Precision) -> Iterator[Loss]:
    loads: list[Callable[[Mechanism], Any]] = [partial(rounded_dynamics, SINGLE.number), Reference(RoundedConstants()).load]
    if SINGLE in coarser(precision):
        yield from (rounding_to(SINGLE, names, load) for load in loads for names in ((), ARGUMENTS))
    for digits in fewer_digits(precision):
        for what, read in rounded_numbers.rounded_parts(digits.number):
            yield Loss(f"{what} are rounded to {digits.words}", loads=_reading(read))


def _of_joints(off: Deviation) -> Iterator[Loss]:
    """Columns of some joints alone: those of which the code does not see a change that is lost in rounding."""
    for name, slices in (("q", off.mechanism.q_slices), ("v", off.mechanism.v_slices)):
        own = [s for s in slices if s.stop > s.start] if name in off.quantity.arguments else []
        stepped = [part for part in own if off.stays(off.mechanism.precision.near(MOVED), name, part) == 1]
        blind = [part for part in stepped if off.stays(1e-3, name, part) < 1]
        if not blind or len(stepped) == len(own):
            continue
        where = tuple(body.joint.name for body, s in zip(off.mechanism.bodies, slices, strict=True) if s in blind)
        for form in (*coarser(off.mechanism.precision), *DECIMALS):
            words = f"{name} of {listing(list(where))} is rounded to {form.words}"
            yield Loss(words, wrong_states.at_joints(where, name, form.round), where=where)


def _once() -> Iterator[Loss]:
    """Correct code that rounds an angle once more."""
    sentence = "angles are rounded once: they are "
    for change in _through_degrees(np.pi, np.pi):
        yield Loss(sentence + "converted to degrees and back", _angles(change), is_fault=False)
    for change in (*_to_one_turn(np.pi), lambda q: np.arctan2(np.sin(q), np.cos(q))):
        yield Loss(sentence + "wrapped to one turn", _angles(change), is_fault=False)


def _of_pi() -> Iterator[Loss]:
    for digits in FEW_DIGITS_OF_PI:
        pi = float(digits)
        ways = [
            ("converted from degrees", _through_degrees(np.pi, pi)),
            ("converted to degrees", _through_degrees(pi, np.pi)),
            *(("wrapped to one turn", (change,)) for change in _to_one_turn(pi)),
        ]
        for way, (first, *others) in ways:
            orders = tuple(map(_angles, others))
            yield Loss(f"π is {digits} where angles are {way}", _angles(first), orders=orders)


def _through_degrees(pi: float, back: float) -> tuple[Callable[[Array], Array], ...]:
    """To degrees with one π and back with another, in every order of operations. Of many turns each has its own rounding."""
    ways = product(_times(180, pi), _times(back, 180))
    return tuple(lambda q, to=to, fro=fro: fro(to(q)) for to, fro in ways)


def _times(a: float, b: float) -> tuple[Callable[[Array], Array], ...]:
    """Times a / b, in every order of operations."""
    return (lambda x: x * (a / b), lambda x: x * a / b, lambda x: x / (b / a), lambda x: x / b * a)


def _to_one_turn(pi: float) -> tuple[Callable[[Array], Array], ...]:
    """Some subtract another number of turns than others."""
    return (
        lambda q: q - 2 * pi * np.round(q / (2 * pi)),
        lambda q: q - 2 * pi * np.floor(q / (2 * pi)),
        lambda q: np.remainder(q + pi, 2 * pi) - pi,
        lambda q: np.remainder(q, 2 * pi),
        lambda q: np.fmod(q, 2 * pi),
    )


def _of_gravity(mechanism: Mechanism) -> Iterator[Loss]:
    length = float(np.linalg.norm(mechanism.arrays.gravity))
    for digits in USUAL_GRAVITIES:
        if length and abs(float(digits) / length - 1) > 1e-12:
            loads = _reading(wrong_mechanisms.gravity((Fraction(digits) / Fraction(length),) * 3))
            yield Loss(f"gravity is {digits} m/s² instead of {length:.9g} m/s²", loads=loads)


def _angles(change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return wrong_states.in_slots("angle", change)


HALVINGS = 25


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
    return Arithmetic(sentence, seen, faults=(fault,), tried=off.answer.size)


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
