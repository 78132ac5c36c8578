"""Code that is wrong only where numbers are zero, equal, round or enormous is wrong at a state of every run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.case import CHOSEN, Case, prepare, solution
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.error_scale.sizes import EPSILON
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Inertia, find_mechanism
from mechanisms.quantities import QUANTITIES

Array = Any

CONDITIONS: dict[str, tuple[str, Callable[..., Array]]] = {
    "no force": ("forward_dynamics", lambda q, v, tau: ~tau.any(axis=1)),
    "one force is zero": ("forward_dynamics", lambda q, v, tau: (tau == 0).any(axis=1) & tau.any(axis=1)),
    "the velocities have the sum zero": ("inverse_dynamics", lambda q, v, a: (v.sum(axis=1) == 0) & v.any(axis=1)),
    "accelerations equal velocities": ("inverse_dynamics", lambda q, v, a: (v == a).all(axis=1) & v.any(axis=1)),
    "two angles are equal": ("gravity", lambda q: _any_pair(q, lambda x, y: (x == y) & (abs(x) < 3))),
    "two angles are opposite": ("gravity", lambda q: _any_pair(q, lambda x, y: (x == -y) & (abs(x) < 3) & (x != 0))),
    "a whole turn": ("gravity", lambda q: (abs(q) == 2 * np.pi).any(axis=1)),
    "one radian a second": ("inverse_dynamics", lambda q, v, a: (abs(v) == 1).any(axis=1)),
    "a velocity above 10⁴": ("inverse_dynamics", lambda q, v, a: (abs(v) > 1e4).any(axis=1)),
    "an acceleration above 10⁵": ("inverse_dynamics", lambda q, v, a: (abs(a) > 1e5).any(axis=1)),
}
"""A quantity, and the states (batch,) at which it is off."""


def _any_pair(q: Array, are_alike: Callable[[Array, Array], Array]) -> Array:
    n = q.shape[1]
    return np.any([are_alike(q[:, i], q[:, j]) for i in range(n) for j in range(i)], axis=0)


@pytest.fixture(scope="module")
def case() -> Case:
    return prepare(find_mechanism("spatial-3r"), 0, 98)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_code_that_is_off_under_a_condition_is_wrong(condition: str, case: Case) -> None:
    name, is_off = CONDITIONS[condition]
    arguments = case.states.arguments(QUANTITIES[name].arguments)
    answer = getattr(REFERENCE.load(case.mechanism), name)(*arguments)
    assert compare(case, QUANTITIES[name], answer).units.max() <= BAR
    answer[is_off(*arguments)] *= 1 + 1e-9
    assert compare(case, QUANTITIES[name], answer).units.max() > BAR


@pytest.mark.parametrize("name", ["every-joint", "pendulum"])
def test_accelerations_belong_to_the_forces_that_are_zero(name: str) -> None:
    case = prepare(find_mechanism(name), 0, 98)
    s, kinds = case.states, np.array(case.states.kinds)
    for kind, is_kept in CHOSEN.items():
        for k in np.flatnonzero(kinds == kind):
            assert (s.tau[k] != 0).tolist() == is_kept(case.mechanism.nv, int(k)).tolist()
    needed = case.truth.high_low("inverse_dynamics", s.q, s.v, s.a)[0]
    rounding = EPSILON * case.scale.shared_force(s.q, s.v, s.a)
    assert (np.abs(needed - s.tau) <= 4 * rounding).all()


def test_the_solution_solves() -> None:
    A = np.random.default_rng(0).normal(size=(5, 7, 7))
    M, x = A @ A.swapaxes(1, 2) + np.eye(7), np.arange(35.0).reshape(5, 7)
    np.testing.assert_allclose(solution(M, (M @ x[..., None])[..., 0]), x, rtol=1e-11, atol=1e-11)


def test_where_m_is_singular_states_stay_as_they_are() -> None:
    pendulum = find_mechanism("pendulum")
    light = [replace(body, inertia=Inertia.massless(), joint=replace(body.joint, armature=0)) for body in pendulum.bodies]
    mechanism = replace(pendulum, bodies=tuple(light), physical=False)
    np.testing.assert_array_equal(prepare(mechanism, 0, 98).states.a, sample(mechanism, 0, 98).a)
