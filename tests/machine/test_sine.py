"""Cosine and sine keep their bounds, judged by balls of 1000 bits: random angles, hard ones and special ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from recorded_programs import ball, worst_error

from machine.arithmetic.quarter_turns import LARGEST_ANGLE, PI, QUARTER
from machine.arithmetic.sine import PAIRED, PLAIN
from machine.backends.numpy_backend import ARITHMETIC

BOUND = 2.0**-102
PAIRS = [(PAIRED.cosine, arb.cos), (PAIRED.sine, arb.sin)]
WORDS = [(PLAIN.cosine, arb.cos), (PLAIN.sine, arb.sin)]


def with_low(high: Any, seed: int) -> tuple[Any, Any]:
    low = high * np.random.default_rng(seed).uniform(-1, 1, len(high)) * 2.0**-53
    total = high + low
    return total, low - (total - high)


def near_multiples(count: int) -> tuple[Any, Any]:
    """Multiples of π/2, rounded to double-doubles."""
    rng = np.random.default_rng(7)
    multiples = np.r_[1:60, rng.integers(1, 2**29, count), -rng.integers(1, 2**20, count)]
    exact = [int(k) * PI / 2 for k in multiples]
    high = np.array([float(x) for x in exact])
    return high, np.array([float(x - Fraction(h)) for x, h in zip(exact, high.tolist(), strict=True)])


def hardest() -> Any:
    """Float64 angles very near to multiples of π/2: m·2^e with m/(k·π/2) by continued fractions, up to the largest angle."""
    found = []
    for exponent in range(-52, -22):
        # k/m ≈ 2^e/(π/2): convergents with m < 2^53.
        x, (p, q), (p0, q0) = Fraction(2) ** exponent / (PI / 2), (0, 1), (1, 0)
        p, q, p0, q0 = 1, 0, 0, 1
        while x and q < 2**53:
            n = math.floor(x)
            p, q, p0, q0 = n * p + p0, n * q + q0, p, q
            x = 1 / (x - n) if x != n else Fraction(0)
            if 0 < q < 2**53 and q * 2.0**exponent <= LARGEST_ANGLE:
                found += [m * q * 2.0**exponent for m in (1, -1, 2) if m * q * 2.0**exponent <= LARGEST_ANGLE]
    return np.array(found)


def error_in_ulps(recipe: Any, exact: Any, angles: Any) -> float:
    with np.errstate(all="ignore"):
        results = recipe(ARITHMETIC, angles)
    truths = [exact(ball(q)) for q in angles]
    return max(float(abs(ball(x) - t).upper()) / math.ulp(float(t.mid())) for x, t in zip(results, truths, strict=True))


def test_the_pieces_are_a_quarter_turn() -> None:
    pi = arb.pi()
    assert abs(arb(PI.numerator) / arb(PI.denominator) - pi) < arb(2) ** -318
    assert abs(sum(map(Fraction, QUARTER)) - PI / 2) < Fraction(1, 2**196)
    for piece, end in zip(QUARTER, (22, 45, 68, 91, 144, 197), strict=True):
        assert Fraction(piece) * 2**end == int(Fraction(piece) * 2**end)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-3, 0.8, 3, 1e3, 1e6, 2.0**30])
@pytest.mark.parametrize(("recipe", "exact"), PAIRS)
def test_random_angles(recipe: Any, exact: Any, size: float) -> None:
    angles = with_low(np.random.default_rng(1).uniform(-size, size, 500), 2)
    assert worst_error(recipe, exact, angles) <= BOUND


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "exact"), PAIRS)
def test_float64_angles_near_multiples_of_a_quarter_turn(recipe: Any, exact: Any) -> None:
    angles = np.r_[near_multiples(300)[0], hardest()]
    assert min(float(abs(arb.sin(2 * ball(q))).lower()) for q in angles) < 2.0**-55, "these angles are not hard"
    assert worst_error(recipe, exact, (angles, 0 * angles)) <= 2.0**-101


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "exact"), PAIRS)
def test_double_double_angles_near_multiples_of_a_quarter_turn(recipe: Any, exact: Any) -> None:
    high, low = near_multiples(300)
    with np.errstate(all="ignore"):
        results = zip(*recipe(ARITHMETIC, (high, low)), strict=True)
    for q, rest, result in zip(high, low, results, strict=True):
        truth = exact(ball(q, rest))
        assert abs(ball(*result) - truth) <= abs(truth) * arb(2) ** -102 + arb(2) ** -165


@pytest.mark.parametrize("size", [2.0**-1074, 2.0**-1060, 2.0**-1022, 1e-300, 1e-170, 2.0**-60, 2.0**-27])
def test_tiny_angles(size: float) -> None:
    angles = np.array([size, -size, 3 * size, 1.7 * size])
    for pair, exact in PAIRS:
        assert worst_error(pair, exact, (angles, 0 * angles)) <= BOUND
    for word, exact in WORDS:
        assert error_in_ulps(word, exact, angles) < 1


def test_zero() -> None:
    zero = np.zeros(1), np.zeros(1)
    assert [float(x[0]) for x in PAIRED.sine(ARITHMETIC, zero)] == [0, 0]
    assert [float(x[0]) for x in PAIRED.cosine(ARITHMETIC, zero)] == [1, 0]
    assert PLAIN.sine(ARITHMETIC, np.zeros(1))[0] == 0
    assert PLAIN.cosine(ARITHMETIC, np.zeros(1))[0] == 1


@pytest.mark.parametrize("angle", [np.nextafter(LARGEST_ANGLE, np.inf), -2e9, 1e300, np.inf, -np.inf, np.nan])
def test_an_angle_that_is_too_large_gives_nan(angle: float) -> None:
    angles = np.array([angle, LARGEST_ANGLE, -LARGEST_ANGLE])
    with np.errstate(all="ignore"):
        results = [f(ARITHMETIC, (angles, 0 * angles))[0] for f, _ in PAIRS] + [f(ARITHMETIC, angles) for f, _ in WORDS]
    assert all(np.array_equal(np.isnan(x), [True, False, False]) for x in results)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e-3, 0.8, 3, 1e3, 1e6, 2.0**30])
@pytest.mark.parametrize(("recipe", "exact"), WORDS)
def test_random_float64_angles(recipe: Any, exact: Any, size: float) -> None:
    assert error_in_ulps(recipe, exact, np.random.default_rng(3).uniform(-size, size, 1000)) < 0.85


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "exact"), WORDS)
def test_hard_float64_angles(recipe: Any, exact: Any) -> None:
    assert error_in_ulps(recipe, exact, np.r_[near_multiples(300)[0], hardest()]) < 0.85


@given(st.floats(-LARGEST_ANGLE, LARGEST_ANGLE), st.floats(-1, 1))
def test_any_angle(high: float, part: float) -> None:
    angle = with_low(np.array([high]), 0) if high else (np.zeros(1), np.zeros(1))
    for recipe, exact in PAIRS:
        (h,), (l,) = recipe(ARITHMETIC, angle)
        truth = exact(ball(angle[0][0], angle[1][0]))
        assert abs(ball(h, l) - truth) <= abs(truth) * arb(2) ** -102 + arb(2) ** -165
    for word, exact in WORDS:
        assert error_in_ulps(word, exact, np.array([high])) < 1
