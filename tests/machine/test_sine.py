"""Cosine and sine keep their bounds, judged by balls of 1000 bits: random angles, hard ones and special ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from recorded_programs import ball, worst_error

from machine.arithmetic.quarter_turns import LARGEST_ANGLE, PI
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


@pytest.mark.slow
@pytest.mark.parametrize("size", [2.0**-1022, 1e-170, 2.0**-60, 1e-3, 0.8, 1e3, 2.0**30])
def test_random_angles(size: float) -> None:
    angles = with_low(np.random.default_rng(1).uniform(-size, size, 500), 2)
    for pair, exact in PAIRS:
        assert worst_error(pair, exact, angles) <= BOUND
    for word, exact in WORDS:
        assert error_in_ulps(word, exact, angles[0]) < 0.85


@pytest.mark.slow
def test_angles_near_multiples_of_a_quarter_turn() -> None:
    high, low = near_multiples(300)
    angles = np.r_[high, hardest()]
    assert min(float(abs(arb.sin(2 * ball(q))).lower()) for q in angles) < 2.0**-55, "these angles are not hard"
    for word, exact in WORDS:
        assert error_in_ulps(word, exact, angles) < 0.85
    for pair, exact in PAIRS:
        assert worst_error(pair, exact, (angles, 0 * angles)) <= 2.0**-101
        with np.errstate(all="ignore"):
            results = zip(*pair(ARITHMETIC, (high, low)), strict=True)
        for q, rest, result in zip(high, low, results, strict=True):
            truth = exact(ball(q, rest))
            assert abs(ball(*result) - truth) <= abs(truth) * arb(2) ** -102 + arb(2) ** -165


def test_an_angle_that_is_too_large_gives_nan() -> None:
    angles = np.array([LARGEST_ANGLE, -LARGEST_ANGLE, np.nextafter(LARGEST_ANGLE, np.inf), -2e9, 1e300, np.inf, -np.inf, np.nan])
    with np.errstate(all="ignore"):
        results = [f(ARITHMETIC, (angles, 0 * angles))[0] for f, _ in PAIRS] + [f(ARITHMETIC, angles) for f, _ in WORDS]
    assert all(np.array_equal(np.isnan(x), [False] * 2 + [True] * 6) for x in results)
