"""Cosine and sine of double-doubles.

The angle is reduced to q = k·π/2 + r with |r| ≤ π/4 (:mod:`machine.arithmetic.quarter_turns`). k decides which of sin r and cos r
is needed, and its sign. Both are Taylor's polynomials in x = r², of the same form:

    sin r = r + r·x·(s1 + s2 x + … + s13 x^12),    cos r = 1 + x·(c1 + c2 x + … + c13 x^12),

so that one evaluation serves both, with the coefficients that each state needs. The terms left out are below 2^-107 of the
result. From the ninth coefficient on one word suffices, because these terms are below 2^-58 of the result.

Error: at most 2^-102 of the result, plus 2^-165 if k is not 0, for |q| ≤ 2^30. So it is at most 2^-101 of the result for every
float64 angle, as none is nearer than 2^-62 to a multiple of π/2 other than 0. Angles that are too large give NaN. The bound is
the sum, in units of u² = 2^-106 of the result: the rounding of r 2, the last addition 3, the two products and the polynomial 10,
because their part of the result is at most 0.41, and the terms left out 0.4. Random angles reach 2^-105.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial
from typing import Any

from machine.arithmetic.double_double import Pair, add, add_smaller, add_word, multiply
from machine.arithmetic.operations import Arithmetic, Value
from machine.arithmetic.quarter_turns import quadrant, reduced_pair
from machine.program import words_of

TERMS = 13
PAIRS = 8
"""The number of leading coefficients that have two words."""

SINE = tuple(words_of(Fraction((-1) ** n, factorial(2 * n + 1))) for n in range(1, TERMS + 1))
COSINE = tuple(words_of(Fraction((-1) ** n, factorial(2 * n))) for n in range(1, TERMS + 1))


def cosine(ops: Arithmetic, angle: Pair) -> Pair:
    """cos q."""
    k, r = reduced_pair(ops, angle)
    return shifted_sine(ops, k + 1.0, r)


def sine(ops: Arithmetic, angle: Pair) -> Pair:
    """sin q."""
    return shifted_sine(ops, *reduced_pair(ops, angle))


def shifted_sine(ops: Arithmetic, k: Value, r: Pair) -> Pair:
    """sin(r + k·π/2)."""
    cosine_needed, negative = quadrant(ops, k)
    high, low = polynomial(ops, r, lambda cosine, sine: ops.select(cosine_needed, cosine, sine))
    return ops.select(negative, -high, high), ops.select(negative, -low, low)


def cosine_and_sine(ops: Arithmetic, angle: Pair) -> tuple[Pair, Pair]:
    """cos q and sin q, with the same bits as from the two functions: both polynomials for every state, and one reduction."""
    k, r = reduced_pair(ops, angle)
    cosine_of_r, sine_of_r = polynomial(ops, r, lambda cosine, _: cosine), polynomial(ops, r, lambda _, sine: sine)

    def shifted(k: Value) -> Pair:
        cosine_needed, negative = quadrant(ops, k)
        high, low = (ops.select(cosine_needed, c, s) for c, s in zip(cosine_of_r, sine_of_r, strict=True))
        return ops.select(negative, -high, high), ops.select(negative, -low, low)

    return shifted(k + 1.0), shifted(k)


def polynomial(ops: Arithmetic, r: Pair, choose: Callable[[Any, Any], Value]) -> Pair:
    """cos r or sin r; ``choose`` takes what belongs to the cosine, and what belongs to the sine."""

    def coefficient(n: int) -> Pair:
        (c, c_low), (s, s_low) = COSINE[n], SINE[n]
        return choose(c, s), choose(c_low, s_low)

    x = multiply(ops, r, r)
    tail = coefficient(TERMS - 1)[0]
    for n in reversed(range(PAIRS, TERMS - 1)):
        tail = coefficient(n)[0] + x[0] * tail
    total = add_word(ops, coefficient(PAIRS - 1), x[0] * tail)
    for n in reversed(range(PAIRS - 1)):
        total = add_smaller(ops, coefficient(n), multiply(ops, x, total))
    first = choose(1.0, r[0]), choose(0.0, r[1])
    return add(ops, first, multiply(ops, first, multiply(ops, x, total)))
