"""The derivation against L itself: its energies as the text writes them, differentiated by finite differences or by SymPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oracle
from mechanisms import Mechanism, textbook
from mechanisms.generate import random_mechanism

LONG = np.longdouble
SEEDS = range(6)


def number(value: Any) -> Any:
    return np.array([LONG(x.numerator) / LONG(x.denominator) for x in value], LONG)


def energies(mechanism: Mechanism, q: Any, v: Any) -> tuple[Any, Any]:
    """(T, V) with T = Σ ½ m vᵀv + ½ ωᵀ I ω at the centres of mass (text 001), revolute and prismatic joints only."""
    at: dict[str, Any] = {mechanism.root: (np.eye(3, dtype=LONG), np.zeros(3, LONG), np.zeros(3, LONG), np.zeros(3, LONG))}
    T = V = LONG(0)
    for k, body in enumerate(mechanism.bodies):
        R, p, w, speed = at[body.parent]
        arm, u = R @ number(body.joint.placement.translation), number(body.joint.axis)
        p, speed = p + arm, speed + np.cross(w, arm)
        R = R @ np.array([number(row) for row in body.joint.placement.rotation.matrix])
        if body.joint.kind == "revolute":
            w = w + R @ u * v[k]
            half = q[k] / 2
            x, y, z = np.sin(half) * u
            s = np.cos(half)
            R = R @ np.array(
                [
                    [1 - 2 * (y * y + z * z), 2 * (x * y - s * z), 2 * (x * z + s * y)],
                    [2 * (x * y + s * z), 1 - 2 * (x * x + z * z), 2 * (y * z - s * x)],
                    [2 * (x * z - s * y), 2 * (y * z + s * x), 1 - 2 * (x * x + y * y)],
                ]
            )
        else:
            slide = R @ u * q[k]
            p, speed = p + slide, speed + np.cross(w, slide) + R @ u * v[k]
        at[body.name] = R, p, w, speed
        m, c = number([body.inertia.mass])[0], R @ number(body.inertia.com)
        I = R @ np.array([number(row) for row in body.inertia.matrix]) @ R.T
        com_speed = speed + np.cross(w, c)
        T += (m * com_speed @ com_speed + w @ I @ w + number([body.joint.armature])[0] * v[k] ** 2) / 2
        V -= m * number(mechanism.gravity) @ (p + c)
    return T, V


def euler_lagrange(mechanism: Mechanism, q: Any, v: Any, a: Any) -> Any:
    """τ by central differences of L along q + v t + ½ a t², in extended precision."""
    n, h = mechanism.nv, LONG("1e-5")
    e = np.eye(n, dtype=LONG)
    damping = number([body.joint.damping for body in mechanism.bodies])

    def lagrangian(q: Any, v: Any) -> Any:
        T, V = energies(mechanism, q, v)
        return T - V

    def momentum(t: Any) -> Any:
        now, rate = q + v * t + a * t * t / 2, v + a * t
        return np.array(
            [(lagrangian(now, rate + e[i]) - lagrangian(now, rate - e[i])) / 2 for i in range(n)]
        )  # exact: T is quadratic

    slope = np.array([(lagrangian(q + h * e[i], v) - lagrangian(q - h * e[i], v)) / (2 * h) for i in range(n)])
    return (momentum(h) - momentum(-h)) / (2 * h) - slope + damping * v


@pytest.fixture(params=[*SEEDS, "spatial", "stanford", "branched"], scope="module")
def mechanism(request: pytest.FixtureRequest) -> Mechanism:
    named = {"spatial": textbook.arms.spatial_3r, "stanford": textbook.arms.stanford_arm, "branched": textbook.branched_tree}
    if request.param in named:
        return named[request.param]()
    return random_mechanism(request.param, 5, tilted_gravity=True, shape="chain" if request.param % 3 == 0 else "tree")


@pytest.fixture(scope="module")
def evaluator(mechanism: Mechanism) -> oracle.Evaluator:
    return oracle.Evaluator(oracle.derive(mechanism), LONG)


@pytest.fixture
def state(mechanism: Mechanism) -> Any:
    return np.random.default_rng(7).normal(size=(3, 2, mechanism.nv)).astype(LONG)


def test_inverse_dynamics_is_euler_lagrange(mechanism: Mechanism, evaluator: oracle.Evaluator, state: Any) -> None:
    expected = np.array([euler_lagrange(mechanism, *(x[b] for x in state)) for b in range(2)])
    np.testing.assert_allclose(evaluator.inverse_dynamics(*state), expected, rtol=1e-7, atol=1e-8)


def test_energies_are_those_of_the_text(mechanism: Mechanism, evaluator: oracle.Evaluator, state: Any) -> None:
    q, v, _ = state
    expected = np.array([energies(mechanism, q[b], v[b]) for b in range(2)])
    np.testing.assert_allclose(evaluator.kinetic_energy(q, v), expected[:, 0], rtol=1e-15)
    np.testing.assert_allclose(evaluator.potential_energy(q), expected[:, 1], rtol=1e-15, atol=1e-15)


def test_the_mass_matrix_is_the_second_derivative_of_energy(
    mechanism: Mechanism, evaluator: oracle.Evaluator, state: Any
) -> None:
    e, q = np.eye(mechanism.nv, dtype=LONG), state[0]
    T = [[energies(mechanism, q[0], e[i] + e[j])[0] for j in range(mechanism.nv)] for i in range(mechanism.nv)]
    expected = [[T[i][j] - T[i][i] / 4 - T[j][j] / 4 for j in range(mechanism.nv)] for i in range(mechanism.nv)]
    np.testing.assert_allclose(evaluator.mass_matrix(q)[0], np.array(expected), atol=1e-15)
