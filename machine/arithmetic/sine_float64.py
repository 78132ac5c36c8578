"""Cosine and sine of float64 numbers.

As in :mod:`machine.arithmetic.sine`, with polynomials in one word; r = high + low has two, and low is kept to first order:

    sin r = r + (r³·(s1 + s2 x + …) + low·(1 − x/2)),    cos r = 1 − x/2 + (x²·(c2 + c3 x + …) − r·low), with x = r².

Error: below 1 ulp of the result, for |q| ≤ 2^30. Larger angles give NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from machine.arithmetic.double_double import Pair
from machine.arithmetic.operations import Arithmetic, Value
from machine.arithmetic.quarter_turns import quadrant, reduced_word
from machine.arithmetic.sine import COSINE, SINE

TERMS = 8
"""The terms left out are below 2^-58 of the result."""


def cosine(ops: Arithmetic, angle: Value) -> Value:
    """cos q."""
    k, r = reduced_word(ops, angle)
    return shifted_sine(ops, k + 1.0, r)


def sine(ops: Arithmetic, angle: Value) -> Value:
    """sin q."""
    return shifted_sine(ops, *reduced_word(ops, angle))


def shifted_sine(ops: Arithmetic, k: Value, r: Pair) -> Value:
    """sin(r + k·π/2)."""
    cosine_needed, negative = quadrant(ops, k)
    result = polynomial(r, lambda cosine, sine: ops.select(cosine_needed, cosine, sine))
    return ops.select(negative, -result, result)


def cosine_and_sine(ops: Arithmetic, angle: Value) -> tuple[Value, Value]:
    """cos q and sin q, with the same bits as from the two functions: both polynomials for every state, and one reduction."""
    k, r = reduced_word(ops, angle)
    cosine_of_r, sine_of_r = polynomial(r, lambda cosine, _: cosine), polynomial(r, lambda _, sine: sine)

    def shifted(k: Value) -> Value:
        cosine_needed, negative = quadrant(ops, k)
        result = ops.select(cosine_needed, cosine_of_r, sine_of_r)
        return ops.select(negative, -result, result)

    return shifted(k + 1.0), shifted(k)


def polynomial(r: Pair, choose: Callable[[Any, Any], Value]) -> Value:
    """cos r or sin r; ``choose`` takes what belongs to the cosine, and what belongs to the sine."""
    # The cosine's series begins one term later, because 1 − x/2 is taken apart.
    coefficients = [choose(COSINE[n + 1][0], SINE[n][0]) for n in range(TERMS)]
    x = r[0] * r[0]
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = coefficient + x * total
    half = 0.5 * x
    near_one = 1.0 - half
    rest = (1.0 - near_one) - half
    # Added at once: what is large, what is small of the polynomial, and what the low word contributes.
    large = choose(near_one, r[0])
    small = x * choose(x, r[0]) * total
    correction = choose(rest - r[0] * r[1], r[1] * near_one)
    return large + (small + correction)
