"""Numbers that stay exact on the way in.

A mechanism is data, and data must not be rounded before both sides have seen it. Every number of a model is
therefore kept as a :class:`fractions.Fraction`: a float is the binary fraction it stands for, the text "0.4318" is
the decimal fraction it spells. Scalars that are no numbers at all (a SymPy symbol, an element of a finite field)
pass unchanged, so that the same mechanism types carry symbolic and exact models.
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
    """The exact scalar that ``value`` stands for; ``what`` names it in errors.

    Raises :class:`MechanismError` for NaN, infinities and text that is no decimal number.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Rational):
        # NumPy's integers would stay what they are inside a Fraction, and overflow there.
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (Decimal, Real)) or hasattr(value, "dtype"):
        if not math.isfinite(value):  # type: ignore[arg-type]
            raise MechanismError(f"{what} is {value}; give a finite number")
        return Fraction(value if isinstance(value, Decimal) else float(value))  # type: ignore[arg-type]
    if isinstance(value, str):
        # Huge numbers of digits, written out or by an exponent, would make the fraction itself a denial of service.
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
    """Whether ``value`` can be compared and rounded, as opposed to a symbol or a field element."""
    return isinstance(value, Fraction)


def is_zero(value: Scalar) -> bool:
    """Whether ``value`` is the number zero. A scalar that is no number, such as a symbol or a drawn one, is not compared."""
    return isinstance(value, (int, Fraction)) and value == 0


def stand_in(t: Scalar, bits: int = 61) -> int:
    """What stands for the angle q in exact arithmetic, where it is given by t = tan(q/2): a hash of t, of this many bits.

    An angle has a rational tangent or a rational size, never both, but for zero. What holds of angles for algebraic reasons
    holds with any number in the place of q, though, since q and tan(q/2) satisfy no algebraic relation (Lindemann and
    Weierstrass): one that depends on t as a random number would is as good as drawn beside it. Zero stands for zero.
    """
    if t == 0:
        return 0
    return int.from_bytes(hashlib.shake_256(str(t).encode()).digest(-(-bits // 8))) >> (-bits % 8)


def dot(a: Vector, b: Vector) -> Scalar:
    return sum(x * y for x, y in zip(a, b, strict=True))
