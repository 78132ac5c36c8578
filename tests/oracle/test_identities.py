"""What the equations of every mechanism satisfy, as identities of polynomials where they are that."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oracle
from mechanisms import Mechanism, textbook
from mechanisms.generate import random_mechanism
from mechanisms.states import integrate

MECHANISMS = {
    "arm": lambda: random_mechanism(1, 4, shape="chain"),
    "tree": lambda: random_mechanism(2, 6),
    "floating": lambda: random_mechanism(3, 4, free_base=True),
    "free inside": lambda: random_mechanism(0, 3, kinds=("free", "revolute"), shape="chain"),
    "puma": textbook.arms.puma560,
    "body": textbook.free_rigid_body,
}


@pytest.fixture(params=MECHANISMS, scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    return MECHANISMS[request.param]()


@pytest.fixture(scope="module")
def equations(mechanism: Mechanism) -> oracle.Equations:
    return oracle.derive(mechanism)


def test_the_mechanisms_differ() -> None:
    inside = MECHANISMS["free inside"]().bodies
    assert any(body.joint.kind == "free" and body.parent != "world" for body in inside)


def test_mass_matrix_rate_minus_twice_coriolis_is_skew(equations: oracle.Equations) -> None:
    n, G, dM = range(equations.nv), equations.christoffel, equations.dM
    N = [[[dM[k][i][j] - 2 * G[i][j][k] for k in n] for j in n] for i in n]
    assert not any(N[i][j][k] + N[j][i][k] for i in n for j in n for k in n)
    assert any(N[i][j][k] for i in n for j in n for k in n) or equations.nv == 1


def test_results_are_in_normal_form(equations: oracle.Equations) -> None:
    ring = equations.ring
    every = [entry for A in (equations.M, *equations.dM) for row in A for entry in row] + [*equations.g, equations.V]
    assert all(ring.normal(p) == ring.present(p) == p for p in every)


def test_mass_matrix_is_symmetric_and_positive(mechanism: Mechanism, equations: oracle.Equations) -> None:
    M = oracle.Evaluator(equations).mass_matrix(_random(mechanism)[0])
    assert (M.transpose(0, 2, 1) == M).all()
    assert np.linalg.eigvalsh(M).min() > 0


def test_coriolis_matrix_carries_the_coriolis_force(mechanism: Mechanism, equations: oracle.Equations) -> None:
    q, v, _ = _random(mechanism)
    e = oracle.Evaluator(equations, np.longdouble)
    without = (
        e.nonlinear_effects(q, v) - e.nonlinear_effects(q, 0 * v) - (e.nonlinear_effects(q, v) - e.nonlinear_effects(q, -v)) / 2
    )
    np.testing.assert_allclose(np.einsum("bij,bj->bi", e.coriolis_matrix(q, v), v), without, rtol=1e-14, atol=1e-15)


def test_power_is_the_rate_of_energy(mechanism: Mechanism, equations: oracle.Equations) -> None:
    """vᵀ(τ − D v) = d/dt (T + V), the right side by differences along the motion q ⊕ (v t + ½ a t²)."""
    q, v, a = _random(mechanism)
    e, h = oracle.Evaluator(equations), 1e-4

    def energy(t: float) -> Any:
        now, rate = integrate(mechanism, q, v * t + a * t * t / 2), v + a * t
        return e.kinetic_energy(now, rate) + e.potential_energy(now)

    damping = np.array([float(body.joint.damping) for body in mechanism.bodies for _ in range(body.joint.nv)])
    power = (v * (e.inverse_dynamics(q, v, a) - damping * v)).sum(1)
    np.testing.assert_allclose((energy(h) - energy(-h)) / (2 * h), power, rtol=1e-5, atol=1e-5)


def test_the_polynomial_energy_is_the_quadratic_form() -> None:
    mechanism = random_mechanism(5, 3, free_base=True)
    equations, (q, v, _) = oracle.derive(mechanism), _random(mechanism)
    s, e = equations.symbolic(), oracle.Evaluator(equations)
    unit = q[0].copy()
    unit[3:7] /= np.linalg.norm(unit[3:7])
    at = dict(zip([*s.q, *s.v], [*unit, *v[0]], strict=True))
    assert float(s.T.subs(at)) == pytest.approx(e.kinetic_energy(q, v)[0], rel=1e-12)
    assert float(s.V.subs(at)) == pytest.approx(e.potential_energy(q)[0], rel=1e-12)


def _random(mechanism: Mechanism) -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(11)
    return draw.normal(size=(3, mechanism.nq)), draw.normal(size=(3, mechanism.nv)), draw.normal(size=(3, mechanism.nv))
