"""The degree of what an algorithm computes, found by running the algorithm itself.

:class:`Degree` is a scalar that stands for a rational function and knows only how large the degrees of its numerator
and denominator can be. Denominators are kept as products of the functions that were divided by, so that common ones are
common. It bounds from above: nothing is assumed to cancel.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Degree:
    """A rational function whose numerator has degree ``top`` at most, over the product of ``bottom``'s factors."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: int, bottom: Mapping[Degree, int] | None = None) -> None:
        self.top = top
        self.bottom: Mapping[Degree, int] = bottom or {}

    @property
    def below(self) -> int:
        """The degree of the denominator."""
        return sum(factor.top * power for factor, power in self.bottom.items())

    def __add__(self, other: Any) -> Degree:
        other = of(other)
        common = dict(self.bottom)
        for factor, power in other.bottom.items():
            common[factor] = max(power, common.get(factor, 0))
        below = sum(factor.top * power for factor, power in common.items())
        return Degree(max(self.top + below - self.below, other.top + below - other.below), common)

    __radd__ = __sub__ = __rsub__ = __add__

    def __mul__(self, other: Any) -> Degree:
        other = of(other)
        return Degree(self.top + other.top, _product(self.bottom, other.bottom))

    __rmul__ = __mul__

    def __neg__(self) -> Degree:
        return self

    def __truediv__(self, other: Any) -> Degree:
        other = of(other)
        # (a/b) / (c/d) = a d / (b c), where c is a factor of its own.
        raised = self.top + other.below
        return Degree(raised, _product(self.bottom, {other if not other.bottom else Degree(other.top): 1}))

    def __rtruediv__(self, other: Any) -> Degree:
        return of(other) / self


def of(x: Any) -> Degree:
    """``x``, or the degree of a constant."""
    return x if isinstance(x, Degree) else Degree(0)


def of_difference(a: Degree, b: Degree) -> int:
    """A bound on the degree of the numerator of a − b, and so on the zeros of it that are no identity."""
    return max(a.top + b.below, b.top + a.below)


def _product(a: Mapping[Degree, int], b: Mapping[Degree, int]) -> dict[Degree, int]:
    return {factor: a.get(factor, 0) + b.get(factor, 0) for factor in {**a, **b}}
