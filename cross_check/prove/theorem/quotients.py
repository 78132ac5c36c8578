"""Rational functions over ℚ: quotients of polynomials with integer coefficients, by FLINT.

A denominator is a product of powers of factors. What something is divided by becomes a factor, unless it is a product of known
ones. The sums of squares of quaternions and of 1 + t² are such factors. So a common denominator is found by comparing exponents.

    x = n / (f₁^k₁ f₂^k₂ …)

Known factors are cancelled wherever they divide the numerator. That keeps polynomials small. No result depends on it: x is the
function zero if and only if n is the polynomial zero.
"""

from __future__ import annotations

from typing import Any

from flint import Ordering, fmpz_mpoly_ctx
from flint.utils.flint_exceptions import DomainError

Factors = dict[int, int]
"""The exponents of the factors of a denominator, by their numbers."""


class Quotients:
    """The rational functions of ``count`` variables."""

    def __init__(self, count: int) -> None:
        self._polynomials = fmpz_mpoly_ctx.get(("x", max(1, count)), Ordering.lex)
        self.factors: list[Any] = []
        """Polynomials that are neither zero nor a unit."""

    def variables(self) -> list[Quotient]:
        return [Quotient(self, x, {}) for x in self._polynomials.gens()]

    def number(self, n: int) -> Quotient:
        """The integer ``n``."""
        return Quotient(self, self._polynomials.constant(n), {})

    def factored(self, polynomial: Any) -> tuple[int, Factors]:
        """A polynomial as a sign and factors. What the known factors leave becomes a factor."""
        powers: Factors = {}
        rest = polynomial
        for k in range(len(self.factors)):
            rest, power = self.divided(rest, k, -1)
            if power:
                powers[k] = power
        if not (rest.is_one() or (-rest).is_one()):
            self.factors.append(rest)
            powers[len(self.factors) - 1] = 1
            return 1, powers
        return (1 if rest.is_one() else -1), powers

    def divided(self, polynomial: Any, k: int, most: int) -> tuple[Any, int]:
        """The polynomial divided by factor k as often as possible, and how often: ``most`` times at most, unless that is −1."""
        times = 0
        while times != most:
            try:
                polynomial = polynomial / self.factors[k]
            except DomainError:
                break
            times += 1
        return polynomial, times

    def power(self, powers: Factors) -> Any:
        """The product of powers of factors."""
        product = self._polynomials.constant(1)
        for k, power in powers.items():
            product = product * self.factors[k] ** power
        return product

    def reduced(self, numerator: Any, powers: Factors, candidates: Any) -> Quotient:
        """The quotient, with those of its factors cancelled that are among the ``candidates``."""
        if not numerator:
            return Quotient(self, numerator, {})
        left = dict(powers)
        for k in candidates:
            if k in left:
                numerator, times = self.divided(numerator, k, left[k])
                left[k] -= times
        return Quotient(self, numerator, {k: power for k, power in left.items() if power})


class Quotient:
    """A rational function. Only + − × ÷ with others of the same ring, and a test for zero."""

    __slots__ = ("numerator", "powers", "ring")

    def __init__(self, ring: Quotients, numerator: Any, powers: Factors) -> None:
        self.ring, self.numerator, self.powers = ring, numerator, powers

    def is_zero(self) -> bool:
        return not self.numerator

    def __add__(self, other: Quotient) -> Quotient:
        a, b = self.powers, other.powers
        if a == b:
            return self.ring.reduced(self.numerator + other.numerator, a, a)
        whole = {k: max(a.get(k, 0), b.get(k, 0)) for k in {*a, *b}}
        # A prime factor divides a sum only if both terms have the same power of it.
        same = [k for k in whole if a.get(k) == b.get(k)]
        x, y = (z.numerator * self.ring.power({k: n - z.powers.get(k, 0) for k, n in whole.items()}) for z in (self, other))
        return self.ring.reduced(x + y, whole, same)

    def __neg__(self) -> Quotient:
        return Quotient(self.ring, -self.numerator, self.powers)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    def __mul__(self, other: Quotient) -> Quotient:
        powers = {k: self.powers.get(k, 0) + other.powers.get(k, 0) for k in {*self.powers, *other.powers}}
        return self.ring.reduced(self.numerator * other.numerator, powers, powers)

    def __truediv__(self, other: Quotient) -> Quotient:
        """Raises :class:`ZeroDivisionError` where the divisor is the function zero."""
        if other.is_zero():
            raise ZeroDivisionError
        sign, powers = self.ring.factored(other.numerator)
        upper = self.numerator * self.ring.power(other.powers) * sign
        below = {k: self.powers.get(k, 0) + powers.get(k, 0) for k in {*self.powers, *powers}}
        return self.ring.reduced(upper, below, below)
