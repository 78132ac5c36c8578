"""Exact numbers from floats and decimal text.

A mechanism's data must not be rounded before both sides have read them. So every number of a model is kept as a
:class:`fractions.Fraction`: a float as the binary fraction that it is, the text "0.4318" as the decimal fraction 4318/10000.
Scalars that are not numbers (a SymPy symbol, an element of a finite field) are kept as they are, so that the same
mechanism types describe symbolic and exact models.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from mechanisms.errors import MechanismError
from mechanisms.limits import KEPT_BITS, LARGEST, LONGEST_BITS, MOST_DIGITS, SMALLEST

Scalar = Any
"""A :class:`fractions.Fraction`, or an element of another field that supports ``+ - * /``."""

Vector = tuple[Scalar, ...]

DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""The grammar of numbers in text: decimal digits, and an exponent if need be. Python's own also has 1_0, ٣, inf and nan."""

USUAL_BITS = 100
"""Numbers between 2^-100 and 2^100 are surely moderate, which is quick to see."""

WHITESPACE = " \t\r\n"
"""What XML calls white space."""


def exact(value: object, what: str = "number") -> Scalar:
    """The exact scalar equal to ``value``; ``what`` names it in errors.

    Raises :class:`MechanismError` for NaN, infinities and text that is not a decimal number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        # A Fraction would keep NumPy's integers, which overflow.
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, str):
        return _from_text(value.strip(WHITESPACE), what)
    if isinstance(value, Decimal):
        return _from_text(str(value), what)
    if isinstance(value, Real) or hasattr(value, "dtype"):
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise MechanismError(f"{what} is {value}; give a finite number")
        return Fraction(float(value))  # type: ignore[arg-type]
    return value


def _from_text(text: str, what: str) -> Fraction:
    # A fraction of a huge number of digits would take too much time and memory.
    if len(text) > MOST_DIGITS:
        raise MechanismError(f"{what} has {len(text)} characters; give a decimal number of {MOST_DIGITS} at most")
    if not DECIMAL.fullmatch(text):
        raise MechanismError(f"{what} is {text!r}; give a decimal number, such as -1.5 or 2e-3")
    mantissa, _, exponent = text.lower().partition("e")
    if not mantissa.strip("+-0."):
        return Fraction(0)
    # The limits of float64, from the digits alone: 1e-999999999 as a fraction would fill the memory.
    if len(exponent.lstrip("+-0")) > 3 or not -400 < Decimal(text).adjusted() < 308:
        raise MechanismError(f"{what} is {text!r}; give a finite number within the range of float64")
    return Fraction(Decimal(text))


def exact_vector(values: Iterable[object], length: int, what: str = "vector") -> Vector:
    """``values`` as a tuple of ``length`` exact scalars."""
    vector = tuple(exact(value, f"component {k} of {what}") for k, value in enumerate(values))
    if len(vector) != length:
        raise MechanismError(f"{what} has {len(vector)} components; give {length}")
    return vector


def require_moderate(values: Iterable[Scalar], what: str) -> None:
    """Raise :class:`MechanismError` unless the largest magnitude is zero or between SMALLEST and LARGEST of the limits."""
    numbers = [abs(value) for value in values if is_number(value)]
    if all(abs(value.numerator.bit_length() - value.denominator.bit_length()) < USUAL_BITS for value in numbers):
        return
    largest = max(numbers)
    if largest and not SMALLEST <= largest <= LARGEST:
        power = round((largest.numerator.bit_length() - largest.denominator.bit_length()) * math.log10(2))
        low, high = (f"{float(limit):.0e}" for limit in (SMALLEST, LARGEST))
        raise MechanismError(f"{what} is about 1e{power}; give zero, or a magnitude between {low} and {high}")


def shortened(value: Scalar) -> Scalar:
    """``value``; a fraction of more than LONGEST_BITS bits is rounded to KEPT_BITS significant ones."""
    if not is_number(value) or max(value.numerator.bit_length(), value.denominator.bit_length()) <= LONGEST_BITS:
        return value
    places = KEPT_BITS - (value.numerator.bit_length() - value.denominator.bit_length())
    scale = Fraction(2) ** places
    return Fraction(round(value * scale)) / scale


def is_number(value: Scalar) -> bool:
    """Whether ``value`` can be compared and rounded: not a symbol, and not an element of another field."""
    return isinstance(value, Fraction)


def is_zero(value: Scalar) -> bool:
    """Whether ``value`` is the number zero. A scalar that is no number, such as a symbol or a drawn one, is not compared."""
    return isinstance(value, (int, Fraction)) and value == 0


def stand_in(t: Scalar, bits: int = 61) -> int:
    """The number that replaces the angle q in exact arithmetic, where q is given by t = tan(q/2): a hash of t, of this many bits.

    Except for zero, an angle and its tangent are never both rational. But q and tan(q/2) satisfy no algebraic relation
    (Lindemann and Weierstrass), so an algebraic identity in q and tan(q/2) holds with any number in the place of q. A hash of t
    serves as a random number that is the same for the same t. Zero is replaced by zero.
    """
    if t == 0:
        return 0
    return int.from_bytes(hashlib.shake_256(str(t).encode()).digest(-(-bits // 8))) >> (-bits % 8)


def dot(a: Vector, b: Vector) -> Scalar:
    """The scalar product; for fractions with one reduction to lowest terms instead of five."""
    if all(map(is_number, a)) and all(map(is_number, b)):
        (x, over), (y, under) = integers(a), integers(b)
        return Fraction(sum(p * q for p, q in zip(x, y, strict=True)), over * under)
    return sum(x * y for x, y in zip(a, b, strict=True))


def integers(fractions: Vector) -> tuple[list[int], int]:
    """Integers and the denominator that they have in common, by which ``fractions`` are these integers."""
    common = math.lcm(*(x.denominator for x in fractions))
    return [x.numerator * (common // x.denominator) for x in fractions], common
