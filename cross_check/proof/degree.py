"""The degree of what an algorithm computes, found by running the algorithm itself.

:class:`Degree` is a scalar that stands for a rational function and knows only how large the degree of its numerator can
be, and its denominator as a product of the functions that were divided by, so that common factors are common. With
f = a/B and g = c/D, where B and D are such products and M their least common multiple,

    f + g = (a M/B + c M/D) / M,        f g = a c / (B D),        f / g = a (D/(B, D)) / (c B/(B, D)),

and c joins the factors. It bounds from above: nothing else is taken to cancel. That it bounds exact arithmetic in any
field rests on algorithms that do not branch on the numbers they are given.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

Product = frozenset[tuple["Degree", int]]
"""Powers of factors. A factor is known by the object that it is: one that is computed twice counts twice."""

ONE: Product = frozenset()


class Degree:
    """A rational function whose numerator has degree ``top`` at most, over the product ``bottom``; zero's degree is −1."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: int, bottom: Product = ONE) -> None:
        self.top = top
        self.bottom = bottom

    def __add__(self, other: Any) -> Degree:
        other = of(other)
        if self.top < 0 or other.top < 0:
            return other if self.top < 0 else self
        if self.bottom is other.bottom:
            return self if self.top >= other.top else other
        common = _common(self.bottom, other.bottom)
        return Degree(degree(common) + max(self.top - degree(self.bottom), other.top - degree(other.bottom)), common)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Degree:
        other = of(other)
        if self.top < 0 or other.top < 0:
            return Degree(-1)
        return Degree(self.top + other.top, _times(self.bottom, other.bottom))

    __rmul__ = __mul__

    def __neg__(self) -> Degree:
        return self

    def __truediv__(self, other: Any) -> Degree:
        other = of(other)
        if other.top < 0:
            raise ZeroDivisionError("division by the function zero")
        if self.top < 0:
            return self
        raised = self.top + degree(_without(other.bottom, self.bottom))
        rest = _without(self.bottom, other.bottom)
        return Degree(raised, _times(rest, _factor(other)) if other.top else rest)

    def __rtruediv__(self, other: Any) -> Degree:
        return of(other) / self


def of(x: Any) -> Degree:
    """``x``, or the degree of a number."""
    return x if isinstance(x, Degree) else Degree(0 if x else -1)


@lru_cache(2**16)
def degree(product: Product) -> int:
    """The degree of a product of factors."""
    return sum(factor.top * power for factor, power in product)


# The entries of a matrix share few denominators: what is found for two of them holds for thousands of sums.
@lru_cache(2**16)
def _common(a: Product, b: Product) -> Product:
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


@lru_cache(2**16)
def _factor(divisor: Degree) -> Product:
    # A divisor is the factor itself where nothing was divided by before, so that dividing by it twice is its square.
    return frozenset({(divisor if not divisor.bottom else Degree(divisor.top), 1)})
