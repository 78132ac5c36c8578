"""Elementary functions are correctly rounded, so that a mechanism has the same numbers on every machine."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from hypothesis import given
from hypothesis import strategies as some

from mechanisms.numbers.rounded import arctangent, cosine_sine, square_root

ANGLES = some.floats(-1e6, 1e6)
NUMBERS = some.fractions(-1000, 1000)


def between(low: arb, value: float, high: arb) -> bool:
    """Whether the ball ``low``…``high`` of the exact value lies nearer to ``value`` than half the way to its neighbours."""
    below, above = (Fraction(value) + Fraction(math.nextafter(value, to)) for to in (-math.inf, math.inf))
    return fmpq(below.numerator, 2 * below.denominator) <= high and low <= fmpq(above.numerator, 2 * above.denominator)


@given(ANGLES)
def test_cosine_and_sine_are_the_nearest_numbers(angle):
    with ctx.workprec(400):
        for value, exact in zip(cosine_sine(angle), (arb(angle).cos(), arb(angle).sin()), strict=True):
            assert between(exact, value, exact)


@given(NUMBERS, NUMBERS)
def test_the_arctangent_is_the_nearest_number(y, x):
    value = arctangent(y, x)
    assert value == pytest.approx(math.atan2(y, x), rel=4e-16, abs=1e-300)
    if y:
        with ctx.workprec(400):
            exact = arb.atan2(arb(fmpq(y.numerator, y.denominator)), arb(fmpq(x.numerator, x.denominator)))
            assert between(exact, value, exact)


@given(some.fractions(0, 10**40))
def test_the_square_root_is_the_nearest_number(x):
    value = Fraction(square_root(x))
    below, above = (Fraction(math.nextafter(float(value), to)) for to in (-math.inf, math.inf))
    assert ((value + max(below, 0)) / 2) ** 2 <= x <= ((value + above) / 2) ** 2


def test_square_roots_of_squares_are_exact():
    assert [square_root(Fraction(n * n, 9)) * 3 for n in (0, 1, 3, 12)] == [0, 1, 3, 12]
    assert square_root(Fraction(1, 10**80)) == 1e-40
    with pytest.raises(ValueError, match="nonnegative"):
        square_root(Fraction(-1))
