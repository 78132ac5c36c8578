"""The rest of a product without a fused multiply-add is that of a fused multiply-add, for all factors."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from machine.arithmetic.exact_product import split_product
from machine.backends.numpy_backend import ARITHMETIC, NumPyArithmetic

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
