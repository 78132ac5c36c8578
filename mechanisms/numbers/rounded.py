"""Elementary functions, correctly rounded: the same float64 on every machine. And the precision of FLINT's balls.

The C library's cosine may differ in the last bit from one system to another, and then a mechanism would have other numbers.
Here a function is evaluated in balls of Arb, with more precision until both ends of the ball round to the same float64. That
ends, because these functions of a rational number are irrational where they are not exact (Lindemann and Weierstrass).

The precision belongs to the whole process. Without a lock, one thread would change it while another one computes. The results
would still contain the exact values, but would be too wide to decide anything.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from threading import RLock
from typing import Any

FIRST_BITS = 128
"""The precision that is tried first; it suffices for nearly every number."""

LONG_BITS = 256
"""The precision of an irrational number that enters further exact arithmetic: nothing of its rounding is left in a float64."""


def cosine_sine(angle: float) -> tuple[float, float]:
    """The cosine and the sine of a finite angle (rad)."""
    x = Fraction(angle)
    return _nearest(lambda ball: ball(x).cos()), _nearest(lambda ball: ball(x).sin())


def cosine_sine_of_degrees(angle: Fraction) -> tuple[float, float]:
    """The cosine and the sine of an angle in degrees."""
    turns = angle / 180
    return _nearest(lambda ball: ball(turns).cos_pi()), _nearest(lambda ball: ball(turns).sin_pi())


def arctangent(y: Fraction, x: Fraction) -> float:
    """The angle (rad) of the vector (x, y), between −π and π; zero for the zero vector."""
    if y == 0 and x >= 0:
        return 0.0
    return _nearest(lambda ball: type(ball(y)).atan2(ball(y), ball(x)))


def square_root(x: Fraction) -> float:
    """The square root of a rational number, zero or more. Raises ValueError for a negative one."""
    # The floor of a root that has 60 bits or more, with one more bit for what was cut off, rounds as the root itself does.
    places = max(0, 64 - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    scaled = (x.numerator << (2 * places)) // x.denominator
    root = math.isqrt(scaled)
    is_exact = root * root * x.denominator == x.numerator << (2 * places)
    return (2 * root + (not is_exact)) / (2 << places)


@cache
def pi() -> Fraction:
    """π, rounded to :data:`LONG_BITS`."""
    from flint import arb

    with precision(LONG_BITS):
        return _exactly(arb.pi().mid())


def long_root(x: Fraction) -> Fraction:
    """The square root of a rational number, zero or more: exactly if it is rational, else rounded down to :data:`LONG_BITS`."""
    n, d = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if n * n == x.numerator and d * d == x.denominator:
        return Fraction(n, d)
    places = max(0, LONG_BITS - (x.numerator.bit_length() - x.denominator.bit_length()) // 2)
    return Fraction(math.isqrt((x.numerator << (2 * places)) // x.denominator), 1 << places)


def _nearest(evaluate: Callable[[Callable[[Fraction], Any]], Any]) -> float:
    """The float64 nearest to what ``evaluate`` gives; it gets the function that makes a ball of a number."""
    # Most mechanisms have right angles alone, and come without FLINT.
    from flint import arb, fmpq

    bits = FIRST_BITS
    while True:
        with precision(bits):
            ball = evaluate(lambda x: arb(fmpq(x.numerator, x.denominator)))
        middle, radius = (_exactly(part) for part in (ball.mid(), ball.rad()))
        lower, upper = float(middle - radius), float(middle + radius)
        if lower == upper:
            return lower + 0.0
        bits *= 2


def _exactly(number: Any) -> Fraction:
    mantissa, exponent = (int(part) for part in number.man_exp())
    return Fraction(mantissa) * Fraction(2) ** exponent


_computing = RLock()


def _unlocked() -> None:
    """A process that is forked while another thread computes would wait for a thread that it does not have."""
    global _computing
    _computing = RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_unlocked)


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Compute with ``bits``; other threads that ask for a precision wait."""
    from flint import ctx  # Most mechanisms need no balls, and come without FLINT.

    with _computing, ctx.workprec(bits):
        yield
