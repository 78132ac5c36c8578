"""Matrices that depend on time, as truncated Taylor series.

The two leading axes of an array are the matrix's, and the last is the batch. Axes between them are treated elementwise.
Constants have a batch of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add

import numpy as np

from oracle.fields import Array


def mul(a: Array, b: Array, out: Array | None = None) -> Array:
    """The matrix product, written into ``out`` if it is given."""
    return np.einsum("ik...,kj...->ij...", a, b, out=out)


def trace(a: Array, b: Array) -> Array:
    """tr(a b)."""
    return np.einsum("ik...,ki...->...", a, b)


class Jet:
    """x(t) = x₀ + x₁ t + x₂ t² + …; a sum or a product has the lower order of the two."""

    def __init__(self, *terms: Array) -> None:
        self.terms = terms

    def __add__(self, other: Jet) -> Jet:
        return Jet(*(x + y for x, y in zip(self.terms, other.terms, strict=False)))

    def __matmul__(self, other: Jet) -> Jet:
        return product(mul, self, other)

    @property
    def now(self) -> Array:
        """x(0)."""
        return self.terms[0]

    @property
    def rate(self) -> Jet:
        """ẋ(t), of one order less."""
        return Jet(*(x if k == 1 else k * x for k, x in enumerate(self.terms) if k))

    def each(self, linear: Callable[[Array], Array]) -> Jet:
        """``linear``(x(t))."""
        return Jet(*map(linear, self.terms))


def product(bilinear: Callable[[Array, Array], Array], a: Jet, b: Jet) -> Jet:
    """``bilinear``(a(t), b(t)), by Cauchy's product."""
    orders = range(min(len(a.terms), len(b.terms)))
    return Jet(*(reduce(add, (bilinear(a.terms[k], b.terms[n - k]) for k in range(n + 1))) for n in orders))
