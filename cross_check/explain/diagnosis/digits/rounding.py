"""Inputs, constants and answers that are rounded, and answers that are set to zero where they are small.

Code that rounds what it is given answers what right code answers to the rounded numbers: to float32, float16, decimals; π and g
with few digits; degrees and back. Code that rounds its answers gives numbers of few digits, none further from the right one than
half of their spacing. Both are tried together. The limit below which answers are zero is found between two states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.causes import Observation
from cross_check.exchange.results.plain_text import listing
from cross_check.explain.diagnosis.digits.deviation import MOVED, Arithmetic, Deviation, answering, right_answer, short_number
from cross_check.explain.faults.changes import mechanisms as wrong_mechanisms
from cross_check.explain.faults.changes import states as wrong_states
from cross_check.explain.faults.changes.states import State, below
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.readings import rounded as rounded_numbers
from cross_check.explain.faults.readings.rounded import SINGLE, WHOLE, Format, coarser, decimals, rounded_dynamics, written
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism
from mechanisms.numbers.exact import Scalar
from mechanisms.numbers.precision import Precision
from mechanisms.quantities import QUANTITIES

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


class Rounding(NamedTuple):
    """One way to round. ``state`` changes what the code is given; ``loads`` computes with it."""

    words: str
    state: wrong_states.Wrong | None = None
    loads: Callable[[Mechanism], Any] | None = None
    """The reference's own if it is None."""
    is_fault: bool = True
    others: tuple[Rounding, ...] = ()
    """Of other states, which are rounded in the same way as far as this quantity tells."""
    where: tuple[str, ...] = ()
    orders: tuple[wrong_states.Wrong, ...] = ()
    """The same, with operations in other orders, which round otherwise."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of code that rounds so. All predict the same answers about this quantity."""
        if not self.state or self.loads:
            return (answering(self.words, self.predict, where=self.where),)
        return tuple(Fault(one.words, "arithmetic", state=one.state, where=self.where) for one in (self, *self.others))

    def predict(self, mechanism: Mechanism, quantity: str, arguments: tuple[Array, ...]) -> Array:
        """What code that rounds so answers."""
        given = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
        if self.state:
            given = self.state(mechanism, given)
        return getattr(_loaded(self.loads or REFERENCE.load, mechanism), quantity)(*given.values())


@lru_cache(8)
def _loaded(loads: Callable[[Mechanism], Any], mechanism: Mechanism) -> Any:
    """Most ways to round leave the mechanism as it is."""
    return loads(mechanism)


def _reading(read: Callable[[Mechanism], Mechanism]) -> Callable[[Mechanism], Any]:
    """The reference with what is read of a mechanism."""
    return lambda mechanism: _loaded(REFERENCE.load, read(mechanism))


def roundings(off: Deviation) -> Iterator[Rounding]:
    """Every way to round what the code is given, the simplest first. Large errors leave those to few digits."""
    columns, is_small, binary = off.quantity.arguments, off.has_three_digits, coarser(off.mechanism.precision)
    yield Rounding("nothing")
    yield from _once()
    if is_small:
        yield from _of_columns(columns, binary)
        yield from _of_mechanism(off.mechanism.precision)
    yield from _of_gravity(off.mechanism)
    yield from _of_pi()
    yield from _of_columns(columns, DECIMALS if is_small else FEW_DECIMALS)
    if is_small:
        yield from _of_joints(off)


def rounding_to(form: Format, names: tuple[str, ...], loads: Callable[[Mechanism], Any] | None = None) -> Rounding:
    """These columns are rounded, and with ``loads`` the numbers of the mechanism, too."""
    said = [*([INPUTS] if names == ARGUMENTS else names), *([WHOLE] if loads else [])]
    words = f"{listing(said)} {'is' if said == [*names[:1]] else 'are'} rounded to {form.words}"

    def state(m: Mechanism, given: wrong_states.State) -> wrong_states.State:
        return {name: form.round(x) if name in names else x for name, x in given.items()}

    return Rounding(words, state if names else None, loads=loads)


def _of_columns(columns: tuple[str, ...], formats: Iterable[Format]) -> Iterator[Rounding]:
    """Each column, all of them, and the first two of more are rounded.

    Whether the columns that the quantity does not take are rounded as well, others tell.
    """
    some = dict.fromkeys((*((name,) for name in columns), columns, *([columns[:2]] if len(columns) > 2 else [])))
    for form, chosen in product(formats, some):
        wider = [*([("q", "v")] if columns == ("q",) else []), ARGUMENTS] if chosen == columns else []
        yield rounding_to(form, chosen)._replace(others=tuple(rounding_to(form, names) for names in wider))


def fewer_digits(precision: Precision) -> list[Format]:
    """The formats of numbers that have fewer digits than this precision."""
    return [one for one in rounded_numbers.FORMATS if one is not SINGLE or SINGLE in coarser(precision)]


def _of_mechanism(precision: Precision) -> Iterator[Rounding]:
    loads: list[Callable[[Mechanism], Any]] = [partial(rounded_dynamics, SINGLE.number), Reference(RoundedConstants()).load]
    if SINGLE in coarser(precision):
        yield from (rounding_to(SINGLE, names, load) for load in loads for names in ((), ARGUMENTS))
    for digits in fewer_digits(precision):
        for what, read in rounded_numbers.rounded_parts(digits.number):
            yield Rounding(f"{what} are rounded to {digits.words}", loads=_reading(read))


def _of_joints(off: Deviation) -> Iterator[Rounding]:
    """Columns of some joints alone: those of which the code does not see a change that is lost in rounding."""
    for name, slices in (("q", off.mechanism.q_slices), ("v", off.mechanism.v_slices)):
        if name not in off.quantity.arguments:
            continue
        own = [s for s in slices if s.stop > s.start]
        stepped = [part for part in own if off.stays(off.mechanism.precision.near(MOVED), name, part) == 1]
        blind = [part for part in stepped if off.stays(1e-3, name, part) < 1]
        if not blind or len(stepped) == len(own):
            continue
        where = tuple(body.joint.name for body, s in zip(off.mechanism.bodies, slices, strict=True) if s in blind)
        chosen = np.concatenate([np.arange(part.start, part.stop) for part in blind])
        for form in (*coarser(off.mechanism.precision), *DECIMALS):
            words = f"{name} of {listing(list(where))} is rounded to {form.words}"
            yield Rounding(words, _part(name, chosen, form.round), where=where)


def _part(name: str, chosen: Array, change: Callable[[Array], Array]) -> wrong_states.Wrong:
    def changed(column: Array) -> Array:
        column = column.copy()
        column[:, chosen] = change(column[:, chosen])
        return column

    return wrong_states.column(name, changed)


def _once() -> Iterator[Rounding]:
    """Correct code that rounds an angle once more."""
    sentence = "angles are rounded once: they are "
    for change in _through_degrees(np.pi, np.pi):
        yield Rounding(sentence + "converted to degrees and back", _angles(change), is_fault=False)
    for change in (*_to_one_turn(np.pi), lambda q: np.arctan2(np.sin(q), np.cos(q))):
        yield Rounding(sentence + "wrapped to one turn", _angles(change), is_fault=False)


def _of_pi() -> Iterator[Rounding]:
    for digits in FEW_DIGITS_OF_PI:
        pi = float(digits)
        ways = [
            ("converted from degrees", _through_degrees(np.pi, pi)),
            ("converted to degrees", _through_degrees(pi, np.pi)),
            *(("wrapped to one turn", (change,)) for change in _to_one_turn(pi)),
        ]
        for way, (first, *others) in ways:
            orders = tuple(map(_angles, others))
            yield Rounding(f"π is {digits} where angles are {way}", _angles(first), orders=orders)


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


def _of_gravity(mechanism: Mechanism) -> Iterator[Rounding]:
    length = float(np.linalg.norm(mechanism.arrays.gravity))
    for digits in USUAL_GRAVITIES:
        if length and abs(float(digits) / length - 1) > 1e-12:
            loads = _reading(wrong_mechanisms.gravity((Fraction(digits) / Fraction(length),) * 3))
            yield Rounding(f"gravity is {digits} m/s² instead of {length:.9g} m/s²", loads=loads)


def _angles(change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return wrong_states.in_slots("angle", change)


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
