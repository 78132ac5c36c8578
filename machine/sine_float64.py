"""Cosine and sine of float64 numbers.

As in :mod:`machine.sine`, with polynomials in one word; r = high + low has two, and low is kept to first order:

    sin r = r + (r³·(s1 + s2 x + …) + low·(1 − x/2)),    cos r = 1 − x/2 + (x²·(c2 + c3 x + …) − r·low), with x = r².

Error: below 1 ulp of the result, for |q| ≤ 2^30. Larger angles give NaN.
"""

from __future__ import annotations

from machine.arithmetic import Arithmetic, Value
from machine.double_double import Pair
from machine.quarter_turns import quadrant, reduced_word
from machine.sine import COSINE, SINE

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

    # The cosine's series begins one term later, because 1 − x/2 is taken apart.
    coefficients = [ops.select(cosine_needed, COSINE[n + 1][0], SINE[n][0]) for n in range(TERMS)]
    x = r[0] * r[0]
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = coefficient + x * total
    half = 0.5 * x
    near_one = 1.0 - half
    rest = (1.0 - near_one) - half
    # Added at once: what is large, what is small of the polynomial, and what the low word contributes.
    large = ops.select(cosine_needed, near_one, r[0])
    small = x * ops.select(cosine_needed, x, r[0]) * total
    correction = ops.select(cosine_needed, rest - r[0] * r[1], r[1] * near_one)
    result = large + (small + correction)
    return ops.select(negative, -result, result)
