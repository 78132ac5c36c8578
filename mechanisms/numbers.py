"""Exact numbers from floats and decimal text.

A mechanism's data must not be rounded before both sides have read them. So every number of a model is kept as a
:class:`fractions.Fraction`: a float as the binary fraction that it is, the text "0.4318" as the decimal fraction 4318/10000.
Scalars that are not numbers (a SymPy symbol, an element of a finite field) are kept as they are, so that the same
mechanism types describe symbolic and exact models.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from mechanisms.errors import MechanismError

Scalar = Any
"""A :class:`fractions.Fraction`, or an element of another field that supports ``+ - * /``."""

Vector = tuple[Scalar, ...]

MOST_DIGITS = 1000
"""The longest decimal text that is read; no float64 has more than 767 significant digits."""


def exact(value: object, what: str = "number") -> Scalar:
    """The exact scalar equal to ``value``; ``what`` names it in errors.

    Raises :class:`MechanismError` for NaN, infinities and text that is not a decimal number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        # A Fraction would keep NumPy's integers, which overflow.
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (Decimal, Real)) or hasattr(value, "dtype"):
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise MechanismError(f"{what} is {value}; give a finite number")
        return Fraction(value if isinstance(value, Decimal) else float(value))  # type: ignore[arg-type]
    if isinstance(value, str):
        # A fraction of a huge number of digits would take too much time and memory.
        if len(value) > MOST_DIGITS:
            raise MechanismError(f"{what} has {len(value)} characters; give a decimal number of {MOST_DIGITS} at most")
        try:
            decimal = Decimal(value.strip())
        except ArithmeticError:
            raise MechanismError(f"{what} is {value!r}; give a decimal number") from None
        if not decimal.is_finite() or (decimal and not -400 < decimal.adjusted() < 308):
            raise MechanismError(f"{what} is {value!r}; give a finite number within the range of float64")
        return Fraction(decimal)
    return value


def exact_vector(values: Iterable[object], length: int, what: str = "vector") -> Vector:
    """``values`` as a tuple of ``length`` exact scalars."""
    vector = tuple(exact(value, f"component {k} of {what}") for k, value in enumerate(values))
    if len(vector) != length:
        raise MechanismError(f"{what} has {len(vector)} components; give {length}")
    return vector


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
    return sum(x * y for x, y in zip(a, b, strict=True))
