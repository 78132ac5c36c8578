"""What the equations of every mechanism satisfy, as identities of polynomials where they are that."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
from mechanisms import Mechanism
from mechanisms.generate import random_mechanism

MECHANISMS = {
    "tree": lambda: random_mechanism(2, 6),
    "floating": lambda: random_mechanism(3, 4, free_base=True),
    "free inside": lambda: random_mechanism(0, 3, kinds=("free", "revolute"), shape="chain"),
}


@pytest.fixture(params=MECHANISMS, scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return MECHANISMS[request.param]()


@pytest.fixture(scope="module")
def equations(mechanism: Mechanism) -> oracle.Equations:
    return oracle.derive(mechanism)


def test_mass_matrix_rate_minus_twice_coriolis_is_skew(equations: oracle.Equations) -> None:
    n, G, dM = range(equations.nv), equations.christoffel, equations.dM
    N = [[[dM[k][i][j] - 2 * G[i][j][k] for k in n] for j in n] for i in n]
    assert not any(N[i][j][k] + N[j][i][k] for i in n for j in n for k in n)
    assert any(N[i][j][k] for i in n for j in n for k in n) or equations.nv == 1


def test_results_are_in_normal_form(equations: oracle.Equations) -> None:
    ring = equations.ring
    every = [entry for A in (equations.M, *equations.dM) for row in A for entry in row] + [*equations.g, equations.V]
    assert all(ring.normal(p) == ring.present(p) == p for p in every)


def test_coriolis_matrix_carries_the_coriolis_force(mechanism: Mechanism, equations: oracle.Equations) -> None:
    draw = np.random.default_rng(11)
    q, v = draw.normal(size=(3, mechanism.nq)), draw.normal(size=(3, mechanism.nv))
    e = oracle.Evaluator(equations, np.longdouble)
    without = (
        e.nonlinear_effects(q, v) - e.nonlinear_effects(q, 0 * v) - (e.nonlinear_effects(q, v) - e.nonlinear_effects(q, -v)) / 2
    )
    np.testing.assert_allclose(np.einsum("bij,bj->bi", e.coriolis_matrix(q, v), v), without, rtol=1e-14, atol=1e-15)
