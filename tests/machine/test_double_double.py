"""Every operation of double-double keeps its bound, judged by balls of 1000 bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from flint import arb
from recorded_programs import worst_error

from machine.arithmetic import double_double
from machine.backends.numpy_backend import ARITHMETIC

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
