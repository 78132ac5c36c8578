"""Mechanisms whose numbers are rounded: to float32, to decimals, or to significant digits.

Rotations and axes stay as they are here, because rounded ones are no rotations and no unit vectors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Fault
from mechanisms import Inertia, Joint, Mechanism
from mechanisms.errors import MechanismError
from mechanisms.numbers import Scalar

Change = Callable[[Scalar], Fraction]

FEW_DIGITS = range(3, 8)


class Digits(NamedTuple):
    """What numbers are rounded to: ``words``, such as "3 decimals", and the function that rounds."""

    words: str
    change: Change
    numbers: tuple[tuple[str, float], ...]


def _to_float32(x: Scalar) -> Fraction:
    return Fraction(float(np.float32(float(x))))


def _to_decimals(digits: int, x: Scalar) -> Fraction:
    return Fraction(str(round(float(x), digits)))


def _as_numpy(digits: int, x: Scalar) -> Fraction:
    """NumPy rounds the product with a power of ten, so that 0.0125 becomes 0.012 and not 0.013."""
    return Fraction(str(float(np.round(float(x), digits))))


def _to_digits(digits: int, x: Scalar) -> Fraction:
    return Fraction(f"{float(x):.{digits}g}")


FLOAT32 = Digits("float32", _to_float32, (("bits", 24.0),))

FORMATS = (
    FLOAT32,
    *(Digits(f"{n} decimals", partial(to, n), (("decimals", float(n)),)) for n in FEW_DIGITS for to in (_to_decimals, _as_numpy)),
    *(Digits(f"{n} significant digits", partial(_to_digits, n), (("significant digits", float(n)),)) for n in FEW_DIGITS),
)

WHOLE = "the numbers of the mechanism"


def rounded_parts(change: Change) -> Iterator[tuple[str, wm.Wrong]]:
    """Groups of the mechanism's numbers, all changed."""
    yield "masses, centres of mass and inertias", partial(_inertias, change)
    yield "the joints' positions", partial(_positions, change)
    yield "inertias and the joints' positions", lambda m: _positions(change, _inertias(change, m))
    yield WHOLE, partial(rounded, change)


def rounded(change: Change, mechanism: Mechanism) -> Mechanism:
    """All numbers are changed, but for rotations and axes."""
    other = wm.joint(partial(_joint, change))(_positions(change, _inertias(change, mechanism)))
    return replace(other, gravity=_all(change, mechanism.gravity))


def _inertias(change: Change, mechanism: Mechanism) -> Mechanism:
    def other(I: Inertia) -> Inertia:
        return replace(I, mass=change(I.mass), com=_all(change, I.com), about_com=_all(change, I.about_com))

    return wm.inertia(other)(mechanism)


def _positions(change: Change, mechanism: Mechanism) -> Mechanism:
    return wm.placement(lambda p: replace(p, translation=_all(change, p.translation)))(mechanism)


def _joint(change: Change, joint: Joint) -> Joint:
    return replace(joint, armature=change(joint.armature), damping=change(joint.damping), pitch=change(joint.pitch))


def _all(change: Change, vector: Any) -> tuple[Fraction, ...]:
    return tuple(map(change, vector))


def _fault(what: str, digits: Digits, change: wm.Wrong) -> Fault:
    once = lru_cache(8)(change)

    def needs(mechanism: Mechanism) -> bool:
        try:
            other = once(mechanism)
        except MechanismError:
            return False  # A mass that is rounded to zero makes no body.
        return (other.bodies, other.gravity) != (mechanism.bodies, mechanism.gravity)

    return Fault(f"{what} are rounded to {digits.words}", "precision", mechanism=once, needs=needs)


ROUNDED_NUMBERS = tuple(_fault(what, digits, change) for digits in FORMATS for what, change in rounded_parts(digits.change))
"""Faults of a whole mechanism."""
