"""Products of homogeneous transforms [R p] (3, 4, …, batch), whose last row [0 0 0 1] is not stored, over any field.

The derivatives of a transform have the last row [0 0 0 0]. Zeros and ones are left out of sums; nothing else changes, not even
the rounding.
"""

from __future__ import annotations

from functools import reduce
from operator import add

import numpy as np

from oracle.by_jets.jets import Jet, mul
from oracle.fields import Array


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
