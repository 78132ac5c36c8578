"""Inputs, constants and answers that are rounded: to float32, float16, decimals; π and g with few digits; degrees and back.

Code that rounds what it is given answers what right code answers to the rounded numbers. Code that rounds its answers gives
numbers of few digits, none further from the right one than half of their spacing. Both are tried together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from cross_check.diagnosis.digits.deviation import Arithmetic, Deviation, answering
from cross_check.faults import wrong_mechanisms, wrong_states
from cross_check.memory import Array
from cross_check.results.causes import Observation
from implementations.field import Real
from implementations.spatial_algebra.reference import REFERENCE, Reference
from mechanisms import Mechanism
from mechanisms.numbers import Scalar
from mechanisms.quantities import QUANTITIES

FORMATS: dict[str, type[np.floating[Any]]] = {"float32": np.float32, "float16": np.float16}
DECIMALS = range(1, 13)
FEW_DIGITS = range(3, 8)
FEW_DIGITS_OF_PI = ("3.14", "3.142", "3.1416", "3.14159", "3.141593", "3.1415927")
USUAL_GRAVITIES = ("9.8", "9.81", "9.80665", "9.807", "9.806", "10")


@dataclass(frozen=True)
class RoundedConstants(Real):
    """float64, in which every number of the mechanism is rounded to another format first."""

    stored: Any = np.float32

    def number(self, value: Scalar) -> Any:
        return np.float64(self.stored(float(value)))


class Rounding(NamedTuple):
    """One way to round. ``state`` and ``mechanism`` change what the code is given; ``loads`` computes with it."""

    words: str
    state: wrong_states.Wrong | None = None
    mechanism: Callable[[Mechanism], Mechanism] | None = None
    loads: Any = REFERENCE
    is_fault: bool = True
    numbers: tuple[tuple[str, float], ...] = ()

    def predict(self, mechanism: Mechanism, quantity: str, arguments: tuple[Array, ...]) -> Array:
        """What code that rounds so answers."""
        given = dict(zip(QUANTITIES[quantity].arguments, arguments, strict=True))
        if self.state:
            given = self.state(mechanism, given)
        read = self.mechanism(mechanism) if self.mechanism else mechanism
        return getattr(_loaded(self.loads, read), quantity)(*given.values())


@lru_cache(4)
def _loaded(implementation: Reference, mechanism: Mechanism) -> Any:
    """Most ways to round leave the mechanism as it is."""
    return implementation.load(mechanism)


class Written(NamedTuple):
    """How all answers are written: ``words``, and half of the spacing of every number."""

    words: str
    half: Array | float
    numbers: tuple[tuple[str, float], ...] = ()


def explain_rounding(off: Deviation) -> Arithmetic | None:
    """The rounding that predicts every answer, or None."""
    form = written(off.answer)
    for rounding in roundings(off):
        if rounding.words == "nothing" and form is None:
            continue
        for slack in [form, None] if form and rounding.words != "nothing" else [form]:
            if (found := _explained(off, rounding, slack)) is not None:
                return found
    return None


def _explained(off: Deviation, rounding: Rounding, form: Written | None) -> Arithmetic | None:
    for part in (off.few, off):
        try:
            with np.errstate(all="ignore"):
                predicted = rounding.predict(part.mechanism, part.name, part.arguments)
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return None
        half: Array | float = 0.0
        if form:
            spacing = written(part.answer) if part is not off else form
            half = spacing.half if spacing else 0.0
        if not part.is_explained(predicted, half):
            return None
    rounds = [words for words in (rounding.words, form.words if form else "") if words not in ("nothing", "")]
    sentence = " and ".join(rounds)
    fault = None
    if not form:
        fault = answering(sentence, rounding.predict)
    seen = off.observe("code of which " + sentence, off.distance(predicted, half))
    if form:
        seen = (*seen, Observation(f"the digits of {off.answer.size} answers", form.words))
    numbers = dict((*rounding.numbers, *(form.numbers if form else ())))
    return Arithmetic(sentence, seen, numbers, rounding.is_fault or form is not None, fault, off.answer.size)


def written(answer: Array) -> Written | None:
    """The format with the fewest digits in which every answer can be written exactly; None if that is float64."""
    if len(np.unique(answer)) < 8:
        return None
    for name, made in reversed(FORMATS.items()):
        with np.errstate(over="ignore"):
            rounded = answer.astype(made)
        if np.array_equal(rounded.astype(np.float64), answer) and not np.array_equal(np.rint(answer), answer):
            half = np.spacing(np.abs(rounded)).astype(np.float64) / 2
            return Written(f"answers are rounded to {name}", half, (("bits", float(np.finfo(made).nmant + 1)),))
    for decimals in range(13):
        if np.array_equal(np.round(answer, decimals), answer):
            return Written(f"answers are rounded to {decimals} decimals", 0.5 * 10.0**-decimals, (("decimals", float(decimals)),))
    return None


def roundings(off: Deviation) -> Iterator[Rounding]:
    """Every way to round what the code is given, the simplest first."""
    columns = off.quantity.arguments
    yield Rounding("nothing")
    yield from _once(off)
    for name, made in FORMATS.items():
        bits = (("bits", float(np.finfo(made).nmant + 1)),)
        for chosen in _subsets(columns):
            yield Rounding(
                f"{_list(chosen)} {'is' if len(chosen) == 1 else 'are'} rounded to {name}",
                _columns(chosen, _to(made)),
                numbers=bits,
            )
    single = (("bits", 24.0),)
    constants = Reference(RoundedConstants())
    yield Rounding("the numbers of the mechanism are rounded to float32", loads=constants, numbers=single)
    for what, change in _parts_of_mechanism(lambda x: Fraction(float(np.float32(float(x))))):
        yield Rounding(f"{what} are rounded to float32", mechanism=change, numbers=single)
    words = f"{_list(columns)} and the numbers of the mechanism are rounded to float32"
    yield Rounding(words, _columns(columns, _to(np.float32)), loads=constants, numbers=single)
    yield from _of_gravity(off.mechanism)
    yield from _of_pi()
    for decimals in DECIMALS:
        given = (("decimals", float(decimals)),)
        for chosen in _subsets(columns):
            rounded = _columns(chosen, _decimals(decimals))
            yield Rounding(
                f"{_list(chosen)} {'is' if len(chosen) == 1 else 'are'} rounded to {decimals} decimals", rounded, numbers=given
            )
    for digits in FEW_DIGITS:
        of_decimals = _parts_of_mechanism(partial(_to_decimals, digits))
        of_digits = _parts_of_mechanism(partial(_to_digits, digits))
        for words, parts in (("decimals", of_decimals), ("significant digits", of_digits)):
            for what, read in parts:
                yield Rounding(f"{what} are rounded to {digits} {words}", mechanism=read, numbers=((words, float(digits)),))


def _to_decimals(digits: int, x: Scalar) -> Fraction:
    return Fraction(round(float(x), digits))


def _to_digits(digits: int, x: Scalar) -> Fraction:
    return Fraction(f"{float(x):.{digits}g}")


def _once(off: Deviation) -> Iterator[Rounding]:
    """Correct code that rounds an angle once more."""
    sentence = "angles are rounded once: they are "
    yield Rounding(sentence + "converted to degrees and back", _angles(lambda q: np.deg2rad(np.rad2deg(q))), is_fault=False)
    yield Rounding(
        sentence + "converted to degrees and back", _angles(lambda q: q * (180 / np.pi) * (np.pi / 180)), is_fault=False
    )
    wraps: tuple[Callable[[Array], Array], ...] = (
        lambda q: np.remainder(q + np.pi, 2 * np.pi) - np.pi,
        lambda q: np.arctan2(np.sin(q), np.cos(q)),
        lambda q: q - 2 * np.pi * np.round(q / (2 * np.pi)),
        lambda q: np.remainder(q, 2 * np.pi),
        lambda q: np.fmod(q, 2 * np.pi),
    )
    for wrap in wraps:
        yield Rounding(sentence + "wrapped to one turn", _angles(wrap), is_fault=False)


def _of_pi() -> Iterator[Rounding]:
    for digits in FEW_DIGITS_OF_PI:
        pi = float(digits)
        given = (("pi", pi),)
        for way, change in (
            ("converted from degrees", lambda q, pi=pi: q * (180 / np.pi) * (pi / 180)),
            ("converted to degrees", lambda q, pi=pi: q * (180 / pi) * (np.pi / 180)),
            ("wrapped to one turn", lambda q, pi=pi: q - 2 * pi * np.round(q / (2 * pi))),
            ("wrapped to one turn", lambda q, pi=pi: np.remainder(q + pi, 2 * pi) - pi),
            ("wrapped to one turn", lambda q, pi=pi: np.remainder(q, 2 * pi)),
        ):
            yield Rounding(f"π is {digits} where angles are {way}", _angles(change), numbers=given)


def _of_gravity(mechanism: Mechanism) -> Iterator[Rounding]:
    length = float(np.linalg.norm(mechanism.arrays.gravity))
    for digits in USUAL_GRAVITIES:
        if length and abs(float(digits) / length - 1) > 1e-12:
            factor = Fraction(digits) / Fraction(length)
            change = wrong_mechanisms.gravity((factor,) * 3)
            yield Rounding(
                f"gravity is {digits} m/s² instead of {length:.9g} m/s²", mechanism=change, numbers=(("gravity", float(digits)),)
            )


def _parts_of_mechanism(change: Callable[[Scalar], Fraction]) -> Iterator[tuple[str, Callable[[Mechanism], Mechanism]]]:
    """Groups of the mechanism's numbers, all changed. Rotations are left as they are."""

    def all_of(vector: Any) -> tuple[Fraction, ...]:
        return tuple(map(change, vector))

    def inertias(m: Mechanism) -> Mechanism:
        return wrong_mechanisms.inertia(
            lambda I: replace(I, mass=change(I.mass), com=all_of(I.com), about_com=all_of(I.about_com))
        )(m)

    def lengths(m: Mechanism) -> Mechanism:
        return wrong_mechanisms.placement(lambda p: replace(p, translation=all_of(p.translation)))(m)

    yield "masses, centres of mass and inertias", inertias
    yield "the joints' positions", lengths
    yield "inertias and the joints' positions", lambda m: lengths(inertias(m))


def _subsets(columns: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [
        *((name,) for name in columns),
        *([columns] if len(columns) > 1 else []),
        *([columns[:2]] if len(columns) > 2 else []),
    ]


def _columns(names: tuple[str, ...], change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return lambda m, state: {name: change(x) if name in names else x for name, x in state.items()}


def _to(made: Any) -> Callable[[Array], Array]:
    return lambda x: x.astype(made).astype(np.float64)


def _decimals(count: int) -> Callable[[Array], Array]:
    return lambda x: np.round(x, count)


def _angles(change: Callable[[Array], Array]) -> wrong_states.Wrong:
    return wrong_states.in_slots("angle", change)


def _list(words: tuple[str, ...]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
