"""Cosine and sine, of double-doubles and of float64 numbers.

The angle is reduced to q = k·π/2 + r with |r| ≤ π/4 (:mod:`machine.arithmetic.quarter_turns`). k decides which of sin r and cos r
is needed, and its sign. Both are Taylor's polynomials in x = r², of the same form:

    sin r = r + r·x·(s1 + s2 x + … + s13 x^12),    cos r = 1 + x·(c1 + c2 x + … + c13 x^12),

so that one evaluation serves both, with the coefficients that each state needs. The terms left out are below 2^-107 of the
result. From the ninth coefficient on one word suffices, because these terms are below 2^-58 of the result.

Error: at most 2^-102 of the result, plus 2^-165 if k is not 0, for |q| ≤ 2^30. So it is at most 2^-101 of the result for every
float64 angle, as none is nearer than 2^-62 to a multiple of π/2 other than 0. Angles that are too large give NaN. The bound is
the sum, in units of u² = 2^-106 of the result: the rounding of r 2, the last addition 3, the two products and the polynomial 10,
because their part of the result is at most 0.41, and the terms left out 0.4. Random angles reach 2^-105.

In float64 the polynomials have one word; r = high + low has two, and low is kept to first order:

    sin r = r + (r³·(s1 + s2 x + …) + low·(1 − x/2)),    cos r = 1 − x/2 + (x²·(c2 + c3 x + …) − r·low).

Error: below 1 ulp of the result, for |q| ≤ 2^30. Larger angles give NaN.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import factorial
from typing import Any

from machine.arithmetic.double_double import Pair, add, add_smaller, add_word, multiply
from machine.arithmetic.operations import Condition, Operations, Value
from machine.arithmetic.quarter_turns import quadrant, reduced_pair, reduced_word
from machine.program import words_of

TERMS = 13
PAIRS = 8
"""The number of leading coefficients that have two words."""

TERMS_OF_WORD = 8
"""In float64; the terms left out are below 2^-58 of the result."""

SINE = tuple(words_of(Fraction((-1) ** n, factorial(2 * n + 1))) for n in range(1, TERMS + 1))
COSINE = tuple(words_of(Fraction((-1) ** n, factorial(2 * n))) for n in range(1, TERMS + 1))


Words = tuple[Value, ...]
"""One word or two."""

Choose = Callable[[Any, Any], Value]
"""Takes what belongs to the cosine, and what belongs to the sine."""


@dataclass(frozen=True)
class Sines:
    """Cosine and sine of angles of as many ``words``; ``reduced`` gives k and r, ``polynomial`` the words of cos r or sin r."""

    words: int
    reduced: Callable[[Operations, Any], tuple[Value, Pair]]
    polynomial: Callable[[Operations, Pair, Choose], Words]

    def cosine(self, ops: Operations, angle: Any) -> Any:
        """cos q."""
        k, r = self.reduced(ops, angle)
        return self._shifted(ops, k + 1.0, r)

    def sine(self, ops: Operations, angle: Any) -> Any:
        """sin q."""
        return self._shifted(ops, *self.reduced(ops, angle))

    def cosine_and_sine(self, ops: Operations, angle: Any) -> tuple[Any, Any]:
        """cos q and sin q, with the same bits as from the two functions: both polynomials for every state, and one reduction."""
        k, r = self.reduced(ops, angle)
        both = self.polynomial(ops, r, lambda cosine, _: cosine), self.polynomial(ops, r, lambda _, sine: sine)

        def shifted(k: Value) -> Any:
            cosine_needed, negative = quadrant(ops, k)
            return self._signed(ops, negative, tuple(ops.select(cosine_needed, c, s) for c, s in zip(*both, strict=True)))

        return shifted(k + 1.0), shifted(k)

    def _shifted(self, ops: Operations, k: Value, r: Pair) -> Any:
        """sin(r + k·π/2)."""
        cosine_needed, negative = quadrant(ops, k)
        return self._signed(ops, negative, self.polynomial(ops, r, lambda cosine, sine: ops.select(cosine_needed, cosine, sine)))

    def _signed(self, ops: Operations, negative: Condition, words: Words) -> Any:
        signed = tuple(ops.select(negative, -word, word) for word in words)
        return signed if self.words == 2 else signed[0]


def _pair(ops: Operations, r: Pair, choose: Choose) -> Words:
    """cos r or sin r."""

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


def _word(ops: Operations, r: Pair, choose: Choose) -> Words:
    """cos r or sin r."""
    # The cosine's series begins one term later, because 1 − x/2 is taken apart.
    coefficients = [choose(COSINE[n + 1][0], SINE[n][0]) for n in range(TERMS_OF_WORD)]
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
    return (large + (small + correction),)


PAIRED, PLAIN = Sines(2, reduced_pair, _pair), Sines(1, reduced_word, _word)
"""Of double-doubles, and of float64 numbers."""
