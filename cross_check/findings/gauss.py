"""Motion under given rows of constraints, at one state: what repairs of engines add is the difference of two such solutions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from implementations.protocol import Array

RANK = 1e-9
"""Singular values below this, relative to the largest, belong to rows that follow from others."""


class Solution(NamedTuple):
    """x (nv,), Jᵀ μ (nv,) and the shortest μ (rows,)."""

    x: Array
    forces: Array
    multipliers: Array


def solved(M: Array, J: Array, b: Array, c: Array) -> Solution:
    """M x = b + Jᵀ μ, J x = c, with M = L Lᵀ and the singular values of L⁻¹ Jᵀ.

    No matrix is inverted that squares the condition of J, so the difference of two solutions has the digits that a cell needs.
    """
    L = np.linalg.cholesky(M)
    U, σ, V = np.linalg.svd(np.linalg.solve(L, J.T), full_matrices=False)
    free = np.linalg.solve(L, b)
    counts = σ > RANK * σ[0]
    along = np.divide(V @ c, σ, out=np.zeros_like(σ), where=counts) - np.where(counts, U.T @ free, 0)
    x = np.linalg.solve(L.T, free + U @ along)
    return Solution(x, L @ (U @ along), V.T @ np.divide(along, σ, out=np.zeros_like(σ), where=counts))
