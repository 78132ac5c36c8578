"""Scalars that move: their Taylor series in time, cut off, over any field; derivatives are exact.

A vector or matrix that moves is an array of them, and goes through the reference's algorithms as any other would.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from implementations.field import Tensor


class Series:
    """x(t) = x₀ + x₁ t + x₂ t² + …; a sum or product of two is known to the lower of their orders. Other numbers rest."""

    __slots__ = ("terms",)

    def __init__(self, *terms: Any) -> None:
        self.terms = terms

    def __add__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented  # NumPy adds elementwise
        if not isinstance(other, Series):
            return Series(self.terms[0] + other, *self.terms[1:])
        return Series(*(x + y for x, y in zip(self.terms, other.terms, strict=False)))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        if not isinstance(other, Series):
            return Series(*(x * other for x in self.terms))
        a, b = self.terms, other.terms
        return Series(*(sum((a[k] * b[n - k] for k in range(1, n + 1)), a[0] * b[n]) for n in range(min(len(a), len(b)))))

    def __truediv__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series(*(x / other for x in self.terms))
        found: list[Any] = []
        for x in self.terms[: len(other.terms)]:
            rest = sum((q * y for q, y in zip(found, other.terms[len(found) : 0 : -1], strict=True)), 0 * x)
            found.append((x - rest) / other.terms[0])
        return Series(*found)

    def __rtruediv__(self, other: Any) -> Any:
        return (0 * self + other) / self

    def __neg__(self) -> Series:
        return Series(*(-x for x in self.terms))

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__, __rmul__ = __add__, __mul__


def constant(x: Any, order: int) -> Series:
    """x at rest, known to t^order. Its zeros are the field's: Python's would become floats when divided."""
    return Series(x, *(0 * x for _ in range(order)))


def now(x: Any) -> Any:
    """x(0)."""
    return x.terms[0] if isinstance(x, Series) else x


def rate(x: Tensor) -> Tensor:
    """ẋ(t), elementwise, of one order less."""
    return each(lambda s: Series(*(k * c for k, c in enumerate(s.terms) if k)) if isinstance(s, Series) else 0, x)


def each(function: Callable[[Any], Any], x: Tensor) -> Tensor:
    """``function`` of every element."""
    values = np.empty(x.size, object)
    values[:] = [function(value) for value in x.flat]
    return values.reshape(x.shape)


def flow(start: Tensor, velocity: Callable[[Tensor], Tensor], order: int) -> Tensor:
    """The path with x(0) = ``start`` and ẋ = ``velocity``(x), known to t^order: the one solution, term by term."""
    x = each(lambda value: Series(now(value)), start)
    for k in range(order):
        v = velocity(x)
        x = np.array([Series(*s.terms, r.terms[k] / (k + 1)) for s, r in zip(x.flat, v.flat, strict=True)], dtype=object)
    return x
