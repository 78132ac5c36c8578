"""Arrays of double-doubles compute what fractions compute, to 100 bits, and behave like NumPy's arrays."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from machine.double_doubles import DoubleDoubles, product_of_words

Array = np.ndarray[Any, Any]


def numbers(*shape: int, seed: int = 0) -> DoubleDoubles:
    high = np.random.default_rng(seed).normal(size=shape)
    return DoubleDoubles(high, high * np.random.default_rng(seed + 1).uniform(-(2.0**-54), 2.0**-54, shape))


def exact(x: Any) -> Array:
    words = (x.high, x.low) if isinstance(x, DoubleDoubles) else (np.asarray(x, float),)
    parts = [np.array([Fraction(y) for y in word.ravel().tolist()], object).reshape(word.shape) for word in words]
    return parts[0] + parts[1] if len(parts) == 2 else parts[0]


def apart(got: DoubleDoubles, expected: Array) -> float:
    assert got.shape == expected.shape
    assert np.array_equal(got.high + got.low, got.high), "the high word is the sum, rounded"
    return float(max(abs(x - y) for x, y in zip(exact(got).flat, expected.flat, strict=True)))


A, B, FLOATS = numbers(3, 4), numbers(3, 4, seed=5), np.random.default_rng(9).normal(size=(3, 4))

EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum with float64": lambda a, b, x: a + x,
    "float64 minus": lambda a, b, x: x - a,
    "cancellation": lambda a, b, x: (a + b) - a,
    "product": lambda a, b, x: a * b,
    "quotient": lambda a, b, x: a / (b * b + 1),
    "negative, absolute": lambda a, b, x: np.abs(-a),
    "parts": lambda a, b, x: a[1:, None, ::2].reshape(2, 2) - b.swapaxes(0, 1)[:2, :2],
    "side by side": lambda a, b, x: np.concatenate((a + b, np.moveaxis(b[None], 0, 0)[0]), axis=1),
    "repeated": lambda a, b, x: np.repeat(a, 2, axis=0),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions(name: str) -> None:
    expression = EXPRESSIONS[name]
    assert apart(expression(A, B, FLOATS), expression(exact(A), exact(B), exact(FLOATS))) < 2.0**-98


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [("bij,bjk->bik", ((3, 2, 4), (3, 4, 5))), ("bij,bj->bi", ((3, 2, 4), (3, 4))), ("bkij,bk->bij", ((2, 3, 2, 2), (2, 3)))],
)
def test_sums_of_products(subscripts: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = numbers(*shapes[0]), np.random.default_rng(2).normal(size=shapes[1])
    assert apart(np.einsum(subscripts, a, b), np.einsum(subscripts, exact(a), exact(b))) < 2.0**-98


def test_sums_of_products_belong_to_one_state() -> None:
    with pytest.raises(ValueError, match="needs the batch as the first axis"):
        np.einsum("ij,jk->ik", numbers(2, 2), FLOATS[:2, :2])


def test_a_product_of_words_is_exact() -> None:
    assert apart(product_of_words(FLOATS, 0.1), exact(FLOATS) * Fraction(0.1)) == 0


def test_wider_formats_keep_their_digits() -> None:
    third = np.array([1], np.longdouble) / 3
    left = (A[0, :1] + third) - A[0, :1]
    assert abs(exact(left)[0] - Fraction(1, 3)) < 2 * float(np.finfo(np.longdouble).eps)


def test_digits_are_not_lost_without_a_word() -> None:
    with pytest.raises(TypeError, match="round it with astype"):
        np.asarray(A)
    assert np.array_equal(A.astype(np.float64), A.high)
