"""An upper bound on the degree of what an algorithm computes, found by running the algorithm itself.

A :class:`Degree` is a scalar that stands for a rational function. It knows an upper bound on the degree of the numerator, and
the denominator as a product of factors: every divisor is one factor. Two denominators share a factor only if both were
divided by the same object. With f = a/B and g = c/D, where B and D are such products, M is their least common multiple and
(B, D) their greatest common divisor,

    f + g = (a M/B + c M/D) / M,        f g = a c / (B D),        f / g = a (D/(B, D)) / (c B/(B, D)),

and in the last one c becomes a factor. No other cancellation is assumed, so the result is an upper bound.

The bound holds for exact arithmetic in any field, for algorithms that do not branch on the numbers that they are given.
Therefore comparing, hashing or testing a :class:`Degree` raises :class:`ComparisonError`. Every result of an operation is a
new object, because it is another function: x + 1 has the degree of x, but 1/x and 1/(x + 1) share no denominator. The one
exception is x + 0, which is x.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np


class RuleError(TypeError):
    """The algorithm breaks a rule that proofs rest on; the message is one clause."""


class ComparisonError(RuleError):
    """The algorithm branches on a number that is drawn."""

    def __init__(self) -> None:
        super().__init__(
            "the algorithm compares numbers that are drawn; a proof holds only for algorithms that do not branch on them"
        )


class Incomparable:
    """A scalar that stands for a function of drawn numbers: comparing, hashing or testing it raises :class:`ComparisonError`."""

    __slots__ = ()

    comparisons = 0
    """How many were refused so far: an algorithm may catch the error."""

    def _compare(self, *other: Any) -> NoReturn:
        Incomparable.comparisons += 1
        raise ComparisonError

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __hash__ = _compare


class Factor:
    """A numerator that something was divided by, with its ``degree``; equal to itself only."""

    __slots__ = ("degree",)

    def __init__(self, degree: int) -> None:
        self.degree = degree


Product = frozenset[tuple[Factor, int]]
"""Factors with their powers."""

ONE: Product = frozenset()


class Degree(Incomparable):
    """A rational function: its numerator has degree ``top`` at most, ``bottom`` is its denominator; zero has ``top`` −1."""

    __slots__ = ("_factor", "bottom", "top")

    def __init__(self, top: int, bottom: Product = ONE) -> None:
        self.top = top
        self.bottom = bottom
        self._factor: Product | None = None

    @property
    def factor(self) -> Product:
        """The numerator as a factor of denominators; the same one every time, so that 1/x + 1/x has the denominator x."""
        if self._factor is None:
            self._factor = frozenset({(Factor(self.top), 1)}) if self.top else ONE
        return self._factor

    def __add__(self, other: Any) -> Degree:
        if type(other) not in SCALARS:
            return NotImplemented  # NumPy adds elementwise, and another class has its own arithmetic
        other = of(other)
        if self.top < 0 or other.top < 0:
            return other if self.top < 0 else self
        if self.bottom is other.bottom:
            return Degree(max(self.top, other.top), self.bottom)
        common = _common(self.bottom, other.bottom)
        return Degree(degree(common) + max(self.top - degree(self.bottom), other.top - degree(other.bottom)), common)

    __radd__ = __add__

    def __pos__(self) -> Degree:
        return self

    def __neg__(self) -> Degree:
        return Degree(self.top, self.bottom)

    def __sub__(self, other: Any) -> Degree:
        return self + -other if type(other) in SCALARS else NotImplemented

    def __rsub__(self, other: Any) -> Degree:
        return -self + other if type(other) in SCALARS else NotImplemented

    def __mul__(self, other: Any) -> Degree:
        if type(other) not in SCALARS:
            return NotImplemented
        other = of(other)
        if self.top < 0 or other.top < 0:
            return Degree(-1)
        return Degree(self.top + other.top, _times(self.bottom, other.bottom))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Degree:
        if type(other) not in SCALARS:
            return NotImplemented
        other = of(other)
        if other.top < 0:
            raise ZeroDivisionError("division by the function zero")
        if self.top < 0:
            return Degree(-1)
        raised = self.top + degree(_without(other.bottom, self.bottom))
        return Degree(raised, _times(_without(self.bottom, other.bottom), other.factor))

    def __rtruediv__(self, other: Any) -> Degree:
        return of(other) / self if type(other) in SCALARS else NotImplemented

    def __pow__(self, n: Any) -> Degree:
        """A power with a whole exponent."""
        if type(n) not in WHOLE:
            return NotImplemented
        if n < 0:
            return 1 / self**-n
        if self.top < 0:
            return Degree(-1 if n else 0)
        return Degree(self.top * int(n), frozenset((factor, power * int(n)) for factor, power in self.bottom) if n else ONE)


class Drawn(Degree):
    """A number that is drawn."""

    __slots__ = ()


WHOLE = {int, *(kind for kind in np.sctypeDict.values() if issubclass(kind, np.integer))}

SCALARS = {Degree, Drawn, bool, np.bool_, Fraction, *WHOLE}
"""What a degree computes with. The classes themselves, as a subclass may have other arithmetic."""


def of(x: Any) -> Degree:
    """``x`` itself, or the degree of a number: 0, or −1 for zero. Raises :class:`RuleError` for anything else."""
    if isinstance(x, Degree):
        return x
    if type(x) not in SCALARS:
        raise RuleError(f"the algorithm computes with a {type(x).__name__}, which is no number of the field")
    return Degree(0 if x else -1)


@lru_cache(2**16)
def degree(product: Product) -> int:
    """The degree of a product of factors."""
    return sum(factor.degree * power for factor, power in product)


# The entries of a matrix share few denominators, so that a result for one pair of them serves thousands of sums.
@lru_cache(2**16)
def _common(a: Product, b: Product) -> Product:
    """The least common multiple of a and b."""
    powers = dict(a)
    return frozenset((powers | {factor: max(power, powers.get(factor, 0)) for factor, power in b}).items())


@lru_cache(2**16)
def _times(a: Product, b: Product) -> Product:
    powers = dict(a)
    return frozenset((powers | {factor: power + powers.get(factor, 0) for factor, power in b}).items())


@lru_cache(2**16)
def _without(a: Product, b: Product) -> Product:
    """a over the greatest common divisor of a and b."""
    powers = dict(b)
    return frozenset((factor, left) for factor, power in a if (left := power - powers.get(factor, 0)) > 0)
