"""Solves linear equations over a field, batch last."""

from __future__ import annotations

import numpy as np

from implementations.field import Tensor


def solve(A: Tensor, b: Tensor) -> Tensor:
    """Solve A x = b for a symmetric positive definite A (n, n, batch) and b (n, …, batch).

    Gaussian elimination without pivoting; positive definite matrices do not need it (Golub & Van Loan, §4.2).
    """
    n = len(A)
    rows = [[A[i, j] for j in range(n)] for i in range(n)]
    x = list(b)
    for k in range(n):
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            rows[i] = [p - factor * q for p, q in zip(rows[i], rows[k], strict=True)]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return np.stack(x)
