"""Scalars that depend on time: truncated Taylor series over any field, whose derivatives are exact.

A vector or matrix that moves is an array of series. The reference's algorithms accept it like any other array.
docs/notes/catalogue-points.md, eqs. 1–3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cross_check.prove.proof.scalars import Incomparable
from implementations.field import Tensor
from oracle.fields import each


class Series(Incomparable):
    """x(t) = x₀ + x₁ t + x₂ t² + …, with x_k = ``terms[k]``.

    A sum, product or quotient of two series is known to the lower of their orders. Scalars that are not series are constant.
    """

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
        if len(a) == 1 or len(b) == 1:  # Half of all products; the sum below takes three times as long.
            return Series(a[0] * b[0])
        return Series(*(sum((a[k] * b[n - k] for k in range(1, n + 1)), a[0] * b[n]) for n in range(min(len(a), len(b)))))

    def __truediv__(self, other: Any) -> Series:
        if not isinstance(other, Series):
            return Series(*(x / other for x in self.terms))
        quotient: list[Any] = []
        for x in self.terms[: len(other.terms)]:
            known = sum((q * y for q, y in zip(quotient, other.terms[len(quotient) : 0 : -1], strict=True)), 0 * x)
            quotient.append((x - known) / other.terms[0])
        return Series(*quotient)

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
    """The constant x, known to t^order. Its zeros are elements of the field; a Python zero would become a float when divided."""
    return Series(x, *(0 * x for _ in range(order)))


def now(x: Any) -> Any:
    """x(0)."""
    return x.terms[0] if isinstance(x, Series) else x


def rate(x: Tensor) -> Tensor:
    """ẋ(t), elementwise, known to one order less."""
    return each(lambda s: Series(*(k * c for k, c in enumerate(s.terms) if k)) if isinstance(s, Series) else 0, x)


def flow(start: Tensor, velocity: Callable[[Tensor], Tensor], order: int) -> Tensor:
    """The solution of ẋ = ``velocity``(x) with x(0) = ``start``, known to t^order (docs/notes/catalogue-points.md, eq. 3)."""
    x = each(lambda value: Series(now(value)), start)
    for k in range(order):
        v = velocity(x)
        x = np.array([Series(*s.terms, r.terms[k] / (k + 1)) for s, r in zip(x.flat, v.flat, strict=True)], dtype=object)
    return x
