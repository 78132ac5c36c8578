"""Lagrange's equations with multipliers, solved on batches of states: in double-double, or over any field.

    [ M  Jᵀ ] [  x ]   [ b ]
    [ J  0  ] [ −μ ] = [ c ]          M x = b + Jᵀ μ,   J x = c                          docs/notes/constraints.md, eq. 5

The rows of J must be independent, M positive definite. Then elimination in the given order divides by no zero: the pivots are
those of M, and then those of −J M⁻¹ Jᵀ (eq. 6). In double-double, the errors are 2⁻¹⁰⁰ times the condition of the equations.

Rows that follow from others are left out before. :func:`independent_rows` eliminates with complete pivoting; a pivot is zero
where it is below 2⁻⁶⁰ of J's largest entry, and not zero where it is above 2⁻²⁰. In between, nothing is decided.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from machine.double_doubles import DoubleDoubles

Array = np.ndarray[Any, Any]

NOT_ZERO, ZERO = 2.0**-20, 2.0**-60
"""Pivots above the first, and below the second, relative to the largest entry of J."""


def solve(M: Any, J: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """x (batch, nv, columns) and μ (batch, rows, columns) of M (batch, nv, nv), J (batch, rows, nv), and several b and c."""
    batch, rows, n = J.shape
    zero = 0 * np.broadcast_to(J[:, :, :1], (batch, rows, rows))
    K: Any = np.concatenate([np.concatenate([M, J.swapaxes(1, 2)], 2), np.concatenate([J, zero], 2)], 1)
    x = gauss_jordan(np.concatenate([K, np.concatenate([b, c], 1)], 2))
    return x[:, :n], -x[:, n:]


def gauss_jordan(A: Any) -> Any:
    """X (batch, n, columns) with K X = B, from A = [K B] (batch, n, n + columns), by elimination in the given order."""
    n = A.shape[1]
    for k in range(n):
        row = A[:, k] / A[:, k, k, None]
        A = A - A[:, :, k, None] * row[:, None]
        A = np.concatenate([A[:, :k], row[:, None], A[:, k + 1 :]], 1)
    return A[:, :, n:]


class Rows(NamedTuple):
    """The rank of J (batch,), −1 where it is not decided, all rows (batch, rows), the independent ones first, and the least pivot
    that is not zero, relative to J's largest entry (batch,)."""

    rank: Array
    order: Array
    least: Array


def independent_rows(J: DoubleDoubles) -> Rows:
    """The rows of J (batch, rows, n) of which none follows from the others."""
    batch, rows, n = J.shape
    scale = np.abs(J.high).reshape(batch, -1).max(axis=1)
    rank, order, least = np.zeros(batch, int), np.zeros((batch, rows), int), np.ones(batch)
    left = np.ones((batch, rows), bool)
    every, rest = np.arange(batch), J
    for k in range(min(rows, n)):
        size = np.where(left[:, :, None], np.abs(rest.high), -1.0).reshape(batch, -1)
        i, j = np.divmod(size.argmax(axis=1), n)
        largest = size.max(axis=1)
        counts = (largest > NOT_ZERO * scale) & (rank == k)
        rank[counts], least[counts] = k + 1, largest[counts] / scale[counts]
        rank[(largest <= NOT_ZERO * scale) & (largest > ZERO * scale) & (rank == k)] = -1
        order[:, k] = i
        left[every, i] = False
        pivot = np.where(largest == 0, 1.0, rest.high[every, i, j])
        row = rest[every, i] / DoubleDoubles(pivot, np.where(largest == 0, 0.0, rest.low[every, i, j]))[:, None]
        rest = rest - rest[every, :, j][:, :, None] * row[:, None]
    if rows > n:
        for state in range(batch):
            order[state, n:] = np.flatnonzero(left[state])
    return Rows(rank, order, least)
