"""The symbolic equations: their evaluation, what it refuses, and what the equations of every mechanism satisfy."""

from __future__ import annotations

from typing import Any

import flint
import numpy as np
import pytest
import sympy

import oracle
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.library import textbook
from mechanisms.library.generate import random_mechanism
from oracle.fields import rounded
from oracle.symbolic import evaluate

LONG = np.longdouble
EXTENDED = np.finfo(LONG).eps < 1e-18


@pytest.mark.slow
@pytest.mark.skipif(not EXTENDED, reason="np.longdouble is no wider than float64 here")
@pytest.mark.parametrize(("dtype", "bound"), [(LONG, 2e-18), (np.float64, 4e-15)])
@pytest.mark.parametrize("name", ["puma560", "random:0:5:revolute"])
def test_error_against_balls(name: str, dtype: Any, bound: float) -> None:
    mechanism = find_mechanism(name)
    q, v, a = 2 * np.random.default_rng(3).normal(size=(3, 2, mechanism.nv))
    tau = oracle.Evaluator(oracle.derive(mechanism), dtype).inverse_dynamics(q, v, a)
    assert tau.dtype == dtype
    with flint.ctx.workprec(300):
        truth = oracle.EulerLagrange(mechanism, oracle.Balls()).inverse_dynamics(q, v, a)
        high = truth.astype(float)
        low = np.array([float(x - h) for x, h in zip(truth.flat, high.flat, strict=True)]).reshape(high.shape)
    assert np.abs(tau - high - low).max() < bound * np.abs(high).max()


def test_coefficients_keep_what_float64_drops() -> None:
    third = rounded([(1, 3)], np.dtype(LONG))[0]
    assert abs(third * 3 - 1) <= np.finfo(LONG).eps
    assert rounded([(10**400 + 1, 3 * 10**400)], np.dtype(np.float64))[0] == 1 / 3


def test_blocks_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    e = oracle.Evaluator(oracle.derive(textbook.arms.stanford_arm()))
    q, v, a = np.random.default_rng(1).normal(size=(3, 50, 6))
    whole = e.inverse_dynamics(q, v, a)
    monkeypatch.setattr(evaluate, "BLOCK", 700)
    np.testing.assert_allclose(e.inverse_dynamics(q, v, a), whole, rtol=1e-13, atol=1e-13)
    assert e.inverse_dynamics(q[:0], v[:0], a[:0]).shape == (0, 6)


def test_a_quaternions_length_does_not_matter() -> None:
    e = oracle.Evaluator(oracle.derive(textbook.floating_base_link()))
    q, v = np.random.default_rng(2).normal(size=(3, 8)), np.ones((3, 7))
    scaled = q.copy()
    scaled[:, 3:7] *= -2.5
    np.testing.assert_allclose(e.nonlinear_effects(scaled, v), e.nonlinear_effects(q, v), rtol=1e-13)
    with pytest.raises(oracle.OracleError, match="quaternion"):
        e.mass_matrix(np.zeros((1, 8)))


def test_wrong_shapes_and_symbols_are_refused() -> None:
    e = oracle.Evaluator(oracle.derive(textbook.planar_pendulum()))
    with pytest.raises(oracle.OracleError, match=r"give \(batch, 2\)"):
        e.mass_matrix(np.zeros(2))
    with pytest.raises(oracle.OracleError, match=r"give \(3, 2\)"):
        e.kinetic_energy(np.zeros((3, 2)), np.zeros((1, 2)))
    with pytest.raises(oracle.OracleError, match="symbols m"):
        oracle.Evaluator(oracle.derive(textbook.pendulum(mass=sympy.Symbol("m"))))
    with pytest.raises(oracle.OracleError, match="axis"):
        x, y = sympy.symbols("x y")
        oracle.derive(Mechanism("m", (Body("b", "world", Joint("j", "revolute", (x, y, 0)), Inertia(1)),)))
    with pytest.raises(oracle.OracleError, match="neither a number"):
        oracle.derive(Mechanism("m", (Body("b", "world", Joint("j", "prismatic", armature=1j), Inertia(1)),)))


# Identities, as identities of polynomials where they are that


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
