"""The arithmetic keeps its bounds, judged by balls of 1000 bits, and by fractions."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from recorded_programs import ball, worst_error

from machine.arithmetic import double_double
from machine.arithmetic.exact_product import split_product
from machine.arithmetic.quarter_turns import LARGEST_ANGLE, PI
from machine.arithmetic.sine import PAIRED, PLAIN
from machine.backends.numpy_backend import ARITHMETIC, NumPyArithmetic

# The backends ignore these warnings; a recipe alone does not.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

U = 2.0**-53

BOUNDS: list[tuple[str, Callable[..., arb], float]] = [
    ("add", lambda a, b: a + b, 3 * U**2 + 13 * U**3),
    ("subtract", lambda a, b: a - b, 3 * U**2 + 13 * U**3),
    ("multiply", lambda a, b: a * b, 7 * U**2),
    ("divide", lambda a, b: a / b, 15 * U**2 + 56 * U**3),
]


def pairs(seed: int, count: int, spread: int) -> tuple[Any, Any]:
    """Double-doubles whose exponents differ by up to ``spread``; every fourth low word is zero or tiny."""
    rng = np.random.default_rng(seed)
    high = rng.choice([-1.0, 1.0], count) * rng.uniform(1, 2, count) * 2.0 ** rng.integers(-spread, spread + 1, count)
    low = np.spacing(np.abs(high)) / 2 * rng.uniform(-1, 1, count) * rng.choice([1, 1, 1, 0, 2.0**-40], count)
    return double_double.two_sum(high, low)


@pytest.mark.parametrize("spread", [0, 3, 400])
@pytest.mark.parametrize(("name", "exact", "bound"), BOUNDS)
def test_random_numbers(name: str, exact: Callable[..., arb], bound: float, spread: int) -> None:
    """Also where words cancel. And high is high + low rounded: what the proofs of the next operation need."""
    x, y, operation = pairs(1, 400, spread), pairs(2, 400, spread), getattr(double_double, name)
    sign = -1 if name == "add" else 1
    near = np.random.default_rng(4).choice([1, 1 + 2.0**-30, 0.5, -1], 400)
    for other in (y, double_double.two_sum(sign * x[0], sign * x[1] * near)):
        assert worst_error(operation, exact, x, other) <= bound
        high, low = operation(ARITHMETIC, x, other)
        assert np.array_equal(high + low, high)


@pytest.mark.parametrize(("name", "exact", "bound"), BOUNDS[:2])
def test_cancellation_of_one_word_against_the_other(name: str, exact: Callable[..., arb], bound: float) -> None:
    """The high words leave one unit in the last place, and both low words together take nearly all of it away."""
    x, rng = pairs(6, 400, 5)[0], np.random.default_rng(7)
    x = np.abs(np.where(np.frexp(np.abs(x))[0] == 0.5, 1.25 * x, x))
    unit = np.spacing(x)
    parts = [0.5 * unit * (1 - 2.0 ** -rng.integers(2, 40, 400) * rng.uniform(0, 1, 400)) for _ in range(2)]
    sign = -1 if name == "add" else 1
    assert worst_error(getattr(double_double, name), exact, (x + unit, -parts[0]), (sign * x, -sign * -parts[1])) <= bound


@pytest.mark.parametrize("spread", [0, 60, 800])
def test_square_root(spread: int) -> None:
    x = pairs(5, 400, spread)
    positive = np.sign(x[0]) * x[0], np.sign(x[0]) * x[1]
    assert worst_error(double_double.square_root, lambda a: a.sqrt(), positive) <= 25 / 8 * U**2


@pytest.mark.parametrize("words", [(np.inf, 0.0), (-np.inf, np.nan), (1.0, np.nan), (1e308, np.inf)])
def test_what_is_not_finite_becomes_nan_twice(words: tuple[float, float]) -> None:
    high, low = double_double.canonical(ARITHMETIC, tuple(np.array([x]) for x in words))
    nan = np.array([np.nan]).view(np.int64)
    assert np.array_equal(high.view(np.int64), nan)
    assert np.array_equal(low.view(np.int64), nan)


# The rest of a product without a fused multiply-add is that of a fused multiply-add, for all factors


BORDERS = [
    2.0**n * m for n in (-1074, -1022, -969, -600, -485, -400, -1, 0, 400, 512, 996, 1022) for m in (1.0, 1.9999999999999998)
]
FLOATS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([*BORDERS, *(-x for x in BORDERS), 0.0, -0.0])


def fused(a: float, b: float) -> tuple[float, float]:
    """a·b rounded, and a·b − p rounded once; Python rounds a fraction to float64 correctly."""
    product = a * b
    exact = Fraction(a) * Fraction(b) - Fraction(product) if math.isfinite(product) else None
    if exact is None:
        return product, -product
    # An exact zero is +0; what underflows keeps its sign.
    return product, math.copysign(float(exact), exact if exact else 1)


def split(a: float, b: float) -> tuple[float, float]:
    with np.errstate(all="ignore"):
        product, rest = split_product(ARITHMETIC, np.array([a]), np.array([b]))
    return float(product[0]), float(rest[0])


def same(x: tuple[float, float], y: tuple[float, float]) -> bool:
    return all(a == b and math.copysign(1, a) == math.copysign(1, b) for a, b in zip(x, y, strict=True))


def test_at_all_borders() -> None:
    numbers = [*BORDERS, *(-x for x in BORDERS), 0.0, -0.0, 3.0, math.pi]
    assert [(a, b) for a in numbers for b in numbers if not same(split(a, b), fused(a, b))] == []


@pytest.mark.parametrize("special", [math.inf, -math.inf, math.nan])
def test_the_rest_of_no_number_is_no_number(special: float) -> None:
    for other in (0.0, 1.0, 1e300, 5e-324, math.inf):
        assert not math.isfinite(split(special, other)[1])


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=5))
def test_the_short_way_of_numpy_gives_the_same_bits(pairs: list[tuple[float, float]]) -> None:
    a, b = np.array(pairs).T
    with np.errstate(all="ignore"):
        short, full = NumPyArithmetic().two_product(a, b), split_product(ARITHMETIC, a, b)
    assert all(np.array_equal(x.view(np.int64), y.view(np.int64)) for x, y in zip(short, full, strict=True))


# Cosine and sine: random angles, hard ones and special ones


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
