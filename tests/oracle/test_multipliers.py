"""The equations with multipliers: solved in double-double, with the independent rows of J found."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from machine.double_doubles import DoubleDoubles
from oracle.multipliers import independent_rows, solve

RNG = np.random.default_rng(0)


def exactly(x: Any) -> DoubleDoubles:
    return DoubleDoubles(np.asarray(x, float), np.zeros(np.shape(x)))


def fractions(x: DoubleDoubles) -> np.ndarray[Any, Any]:
    return np.vectorize(Fraction)(x.high) + np.vectorize(Fraction)(x.low)


def test_the_solution_satisfies_both_equations_to_thirty_digits() -> None:
    A, J = RNG.normal(size=(1, 5, 5)), RNG.normal(size=(1, 2, 5))
    M = A @ A.swapaxes(1, 2) + np.eye(5)
    b, c = RNG.normal(size=(1, 5, 3)), RNG.normal(size=(1, 2, 3))
    x, μ = (fractions(part)[0] for part in solve(exactly(M), exactly(J), exactly(b), exactly(c)))
    M, J, b, c = (np.vectorize(Fraction)(part[0]) for part in (M, J, b, c))
    assert np.abs((M @ x - b - J.T @ μ).astype(float)).max() < 1e-28
    assert np.abs((J @ x - c).astype(float)).max() < 1e-28


@pytest.mark.parametrize("rows", [3, 7])
def test_rows_that_follow_from_others_come_last(rows: int) -> None:
    own, mix = RNG.normal(size=(4, 2, 5)), RNG.normal(size=(4, rows - 2, 2))
    # Products of integers of few bits are exact, and so is the dependence.
    own, mix = np.round(own * 64), np.round(mix * 64)
    J = np.concatenate([mix @ own, own], axis=1)
    rank, order, _ = independent_rows(exactly(J))
    assert rank.tolist() == [2] * 4
    for state in range(4):
        assert sorted(order[state]) == list(range(rows))
        assert np.linalg.matrix_rank(J[state, order[state, :2]]) == 2


def test_a_rank_between_the_two_limits_is_not_decided() -> None:
    J = np.array([[[1.0, 0.0], [0.0, size]] for size in (2.0**-19, 2.0**-40, 2.0**-61, 0.0)])
    rank, _, least = independent_rows(exactly(J))
    assert rank.tolist() == [2, -1, 1, 1]
    assert least.tolist() == [2.0**-19, 1, 1, 1]


def test_no_rows_at_all_count_where_j_is_zero() -> None:
    assert independent_rows(exactly(np.zeros((1, 2, 3))))[0].tolist() == [0]
