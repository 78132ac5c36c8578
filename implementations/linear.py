"""Solves linear equations over a field, batch last."""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor


def solve(A: Tensor, b: Tensor) -> Tensor:
    """Solve A x = b for a symmetric positive definite A (n, n, batch) and b (n, …, batch).

    Gaussian elimination without pivoting; positive definite matrices do not need it (Golub & Van Loan, §4.2).
    """
    n = len(A)
    rows, x = list(A), list(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = rows[i] - factor * rows[k]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return np.stack(x)
