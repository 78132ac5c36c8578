"""Ways to round what code is given: to float32, float16, decimals; π and g with few digits; degrees and back.

Code that rounds what it is given answers what right code answers to the rounded numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.results.plain_text import listing
from cross_check.explain.diagnosis.digits.deviation import THREE_DIGITS, Deviation, answering
from cross_check.explain.diagnosis.digits.written import FORMATS
from cross_check.explain.faults import rounded_numbers, wrong_mechanisms, wrong_states
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.rounded_numbers import FLOAT32, WHOLE, rounded_dynamics
from cross_check.memory import Array
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism
from mechanisms.numbers import Scalar
from mechanisms.quantities import QUANTITIES

DECIMALS = range(1, 13)
FEW_DECIMALS = (1, 2)
FEW_DIGITS_OF_PI = ("3.14", "3.142", "3.1416", "3.14159", "3.141593", "3.1415927")
USUAL_GRAVITIES = ("9.8", "9.81", "9.80665", "9.807", "9.806", "10")

ARGUMENTS = ("q", "v", "a", "tau", "f")
INPUTS = "inputs"
"""All arguments, whatever a quantity takes."""

MOVED = 1e-11
"""Arguments that are changed by this part of them are the same after rounding to twelve digits and more."""


@dataclass(frozen=True)
class RoundedConstants(Real):
    """float64, in which every number of the reference's model is rounded to another format first."""

    stored: Any = np.float32

    def number(self, value: Scalar) -> Any:
        return np.float64(self.stored(float(value)))


class Rounding(NamedTuple):
    """One way to round. ``state`` and ``mechanism`` change what the code is given; ``loads`` computes with it."""

    words: str
    state: wrong_states.Wrong | None = None
    mechanism: Callable[[Mechanism], Mechanism] | None = None
    loads: Callable[[Mechanism], Any] | None = None
    """The reference's own if it is None."""
    is_fault: bool = True
    numbers: tuple[tuple[str, float], ...] = ()
    others: tuple[tuple[str, wrong_states.Wrong], ...] = ()
    """Other states, which are rounded in the same way as far as this quantity tells."""
    where: tuple[str, ...] = ()
    orders: tuple[wrong_states.Wrong, ...] = ()
    """The same, with operations in other orders, which round otherwise."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """The faults of code that rounds so. All predict the same answers about this quantity."""
        if not self.state or self.mechanism or self.loads:
            return (answering(self.words, self.predict, where=self.where),)
        states = ((self.words, self.state), *self.others)
        return tuple(Fault(words, "arithmetic", state=state, where=self.where) for words, state in states)

    def predict(self, mechanism: Mechanism, quantity: str, arguments: tuple[Array, ...]) -> Array:
        """What code that rounds so answers."""
        given = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
        if self.state:
            given = self.state(mechanism, given)
        read = self.mechanism(mechanism) if self.mechanism else mechanism
        return getattr(_loaded(self.loads or REFERENCE.load, read), quantity)(*given.values())


@lru_cache(4)
def _loaded(loads: Callable[[Mechanism], Any], mechanism: Mechanism) -> Any:
    """Most ways to round leave the mechanism as it is."""
    return loads(mechanism)


def roundings(off: Deviation) -> Iterator[Rounding]:
    """Every way to round what the code is given, the simplest first. Large errors leave those to few digits."""
    columns, is_small = off.quantity.arguments, off.typical < THREE_DIGITS
    yield Rounding("nothing")
    yield from _once()
    if is_small:
        for name, made in FORMATS.items():
            bits = (("bits", float(np.finfo(made).nmant + 1)),)
            for chosen in _subsets(columns):
                yield _of_columns(columns, chosen, _to(made), name, bits)
        yield from _of_mechanism(columns)
    yield from _of_gravity(off.mechanism)
    yield from _of_pi()
    for decimals in DECIMALS if is_small else FEW_DECIMALS:
        for chosen in _subsets(columns):
            given = (("decimals", float(decimals)),)
            yield _of_columns(columns, chosen, _decimals(decimals), f"{decimals} decimals", given)
    if is_small:
        yield from _of_joints(off)


def _of_columns(
    columns: tuple[str, ...],
    chosen: tuple[str, ...],
    change: Callable[[Array], Array],
    to: str,
    numbers: tuple[tuple[str, float], ...],
) -> Rounding:
    """Some columns are rounded. Whether the columns that the quantity does not take are rounded as well, others tell."""

    def named(names: tuple[str, ...]) -> tuple[str, wrong_states.Wrong]:
        words = f"{listing(list(names))} {'is' if len(names) == 1 else 'are'} rounded to {to}"
        return words, rounded_columns(names, change)

    others = []
    if chosen == columns:
        if columns == ("q",):
            others.append(named(("q", "v")))
        others.append((f"{INPUTS} are rounded to {to}", rounded_columns(ARGUMENTS, change)))
    words, state = named(chosen)
    return Rounding(words, state, numbers=numbers, others=tuple(others))


def _of_mechanism(columns: tuple[str, ...]) -> Iterator[Rounding]:
    single = FLOAT32.numbers
    constants = Reference(RoundedConstants())
    whole = f"{WHOLE} are rounded to float32"
    both = f"{INPUTS} and {whole}"
    for loads in (partial(rounded_dynamics, FLOAT32.change), constants.load):
        yield Rounding(whole, loads=loads, numbers=single)
        yield Rounding(both, rounded_columns(columns, _to(np.float32)), loads=loads, numbers=single)
    for digits in rounded_numbers.FORMATS:
        for what, read in rounded_numbers.rounded_parts(digits.change):
            yield Rounding(f"{what} are rounded to {digits.words}", mechanism=read, numbers=digits.numbers)


def _of_joints(off: Deviation) -> Iterator[Rounding]:
    """Columns of some joints alone: those of which the code does not see a change that is lost in rounding."""
    for name, slices in (("q", off.mechanism.q_slices), ("v", off.mechanism.v_slices)):
        if name not in off.quantity.arguments:
            continue
        own = [s for s in slices if s.stop > s.start]
        seen = [_is_seen(off, name, part, MOVED) for part in own]
        blind = [part for part, is_seen in zip(own, seen, strict=True) if not is_seen and _is_seen(off, name, part, 1e-3)]
        if not blind or not any(seen):
            continue
        where = tuple(body.joint.name for body, s in zip(off.mechanism.bodies, slices, strict=True) if s in blind)
        chosen = np.concatenate([np.arange(part.start, part.stop) for part in blind])
        ways: dict[str, Callable[[Array], Array]] = {form: _to(made) for form, made in FORMATS.items()}
        ways |= {f"{n} decimals": _decimals(n) for n in DECIMALS}
        for to, change in ways.items():
            yield Rounding(f"{name} of {listing(list(where))} is rounded to {to}", _part(name, chosen, change), where=where)


def _is_seen(off: Deviation, name: str, part: slice, size: float) -> bool:
    """Whether the code answers otherwise where a part of a column is changed."""
    index = off.quantity.arguments.index(name)
    base = off.few.arguments
    moved = [x.copy() for x in base]
    moved[index][:, part] *= 1 + size
    one, other = off.ask(off.name, *base), off.ask(off.name, *moved)
    return one is None or other is None or not np.array_equal(one, other)


def _part(name: str, chosen: Array, change: Callable[[Array], Array]) -> wrong_states.Wrong:
    def wrong(m: Mechanism, state: wrong_states.State) -> wrong_states.State:
        if name not in state:
            return state
        column = state[name].copy()
        column[:, chosen] = change(column[:, chosen])
        return {**state, name: column}

    return wrong


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
            yield Rounding(f"π is {digits} where angles are {way}", _angles(first), numbers=(("pi", pi),), orders=orders)


def _through_degrees(pi: float, back: float) -> tuple[Callable[[Array], Array], ...]:
    """To degrees with one π and back with another, in every order of operations. Of many turns each has its own rounding."""
    to_degrees: tuple[Callable[[Array], Array], ...] = (
        lambda q: q * (180 / pi),
        lambda q: q * 180 / pi,
        lambda q: q / (pi / 180),
        lambda q: q / pi * 180,
    )
    from_degrees: tuple[Callable[[Array], Array], ...] = (
        lambda d: d * (back / 180),
        lambda d: d * back / 180,
        lambda d: d / (180 / back),
        lambda d: d / 180 * back,
    )
    return tuple(lambda q, to=to, fro=fro: fro(to(q)) for to, fro in product(to_degrees, from_degrees))


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
            factor = Fraction(digits) / Fraction(length)
            change = wrong_mechanisms.gravity((factor,) * 3)
            yield Rounding(
                f"gravity is {digits} m/s² instead of {length:.9g} m/s²", mechanism=change, numbers=(("gravity", float(digits)),)
            )


def _subsets(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [
        *((name,) for name in columns),
        *([columns] if len(columns) > 1 else []),
        *([columns[:2]] if len(columns) > 2 else []),
    ]


def rounded_columns(names: tuple[str, ...], change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return lambda m, state: {name: change(x) if name in names else x for name, x in state.items()}


def _to(made: Any) -> Callable[[Array], Array]:
    return lambda x: x.astype(made).astype(np.float64)


def _decimals(count: int) -> Callable[[Array], Array]:
    return lambda x: np.round(x, count)


def _angles(change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return wrong_states.in_slots("angle", change)
