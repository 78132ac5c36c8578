"""Matrices that depend on time, as truncated Taylor series, and products of homogeneous transforms.

The two leading axes of an array are the matrix's, and the last is the batch. Axes between them are treated elementwise.
Constants have a batch of one.

The last row [0 0 0 1] of a transform [R p] (3, 4, …, batch) is not stored. The derivatives of a transform have the last row
[0 0 0 0]. Zeros and ones are left out of sums; nothing else changes, not even the rounding.
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

    @property
    def shorter(self) -> Jet:
        """x(t), known to one order less."""
        return Jet(*self.terms[:-1])

    def each(self, linear: Callable[[Array], Array]) -> Jet:
        """``linear``(x(t))."""
        return Jet(*map(linear, self.terms))


def product(bilinear: Callable[[Array, Array], Array], a: Jet, b: Jet) -> Jet:
    """``bilinear``(a(t), b(t)), by Cauchy's product."""
    orders = range(min(len(a.terms), len(b.terms)))
    return Jet(*(reduce(add, (bilinear(a.terms[k], b.terms[n - k]) for k in range(n + 1))) for n in orders))


def compose(a: Array, b: Array) -> Array:
    """a b for a transform b; a (rows, 4, …) is any matrix."""
    product = mul(a[:, :3], b)
    product[:, 3] = product[:, 3] + a[:, 3]
    return product


def after_rate(a: Array, b: Array) -> Array:
    """a b for a derivative b of a transform; a (rows, 4, …) is any matrix."""
    return mul(a[:, :3], b)


def outward(A: Array, x: Array) -> Array:
    """A x for a transform A and any matrix x (4, columns, …)."""
    product = np.empty_like(x, order="C", shape=(4, x.shape[1], *np.broadcast_shapes(A.shape[2:], x.shape[2:])))
    mul(A, x, out=product[:3])
    product[3:] = x[3:]
    return product


def outward_rate(A: Array, x: Array) -> Array:
    """A x for a derivative A of a transform and any matrix x (4, columns, …)."""
    product = mul(A, x)
    return np.concatenate([product, 0 * product[:1]])


def outward_series(A: Jet, x: Jet) -> Jet:
    """A(t) x(t) for a transform A(t), to the lower order of the two."""
    orders = range(min(len(A.terms), len(x.terms)))
    rates = [[outward_rate(A.terms[k], x.terms[n - k]) for k in range(1, n + 1)] for n in orders]
    return Jet(*(reduce(add, rates[n], outward(A.now, x.terms[n])) for n in orders))
