"""The floating-base system agrees with RNEA, CRBA and ABA. The catalogue proves it for all mechanisms (001.base-…)."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from exact import numbers, same

from cross_check.catalogue.floating_base import BASE, floating_base, selection
from implementations.field import Rational, Real
from implementations.protocol import Unsupported
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import nonlinear_effects
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.external_forces import generalised_forces
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.rnea import rnea
from mechanisms import Mechanism, find_mechanism, on_free_base, random_mechanism
from mechanisms.joint import Kind

EXACT = Rational()
KINDS: tuple[Kind, ...] = ("revolute", "prismatic", "universal", "spherical", "cylindrical")


def carried(seed: int, bodies: int = 5) -> Mechanism:
    """One tree on a free base: the other bodies that random trees hang from the root are taken along."""
    return on_free_base(random_mechanism(seed, bodies, KINDS))


@pytest.fixture(params=range(3))
def drawn(request: pytest.FixtureRequest) -> tuple[Model, Any, Any, random.Random]:
    draw = random.Random(request.param)
    mechanism = carried(request.param)
    return build(mechanism, EXACT), numbers(draw, mechanism.nq), numbers(draw, mechanism.nv), draw


def test_blocks_are_those_of_the_mass_matrix_and_the_bias(drawn: Any) -> None:
    model, q, v, _ = drawn
    system, M, h = floating_base(model, q, v), crba(model, q), nonlinear_effects(model, q, v)
    assert same(system.I0c, M[:BASE, :BASE])
    assert same(system.F, M[:BASE, BASE:])
    assert same(system.H, M[BASE:, BASE:])
    assert same(system.p0c, h[:BASE])
    assert same(system.C, h[BASE:])


def test_forward_dynamics_undoes_inverse_dynamics(drawn: Any) -> None:
    model, q, v, draw = drawn
    tau, fx = numbers(draw, model.nv - BASE), numbers(draw, len(model.links), 6)
    a0, qdd = floating_base(model, q, v, fx).forward(tau)
    forces = rnea(model, q, v, np.concatenate([a0, qdd]), fx)
    assert not forces[:BASE].any(), "nothing drives the base"
    assert same(forces[BASE:], tau)


def test_joints_that_are_moved_move_the_base(drawn: Any) -> None:
    model, q, v, draw = drawn
    qdd = numbers(draw, model.nv - BASE)
    a0, tau = floating_base(model, q, v).inverse(qdd)
    assert same(rnea(model, q, v, np.concatenate([a0, qdd])), np.concatenate([0 * a0, tau]))


def test_external_forces_shift_the_bias(drawn: Any) -> None:
    model, q, v, draw = drawn
    fx = numbers(draw, len(model.links), 6)
    free, pushed = floating_base(model, q, v), floating_base(model, q, v, fx)
    difference = np.concatenate([free.p0c - pushed.p0c, free.C - pushed.C])
    assert same(difference, generalised_forces(model, q, fx))
    assert same(free.H, pushed.H)


def test_selection(drawn: Any) -> None:
    model, _, v, draw = drawn
    S, tau = selection(model), numbers(draw, model.nv - BASE)
    assert same(S @ v, v[BASE:])
    assert same(S.T @ tau, np.concatenate([0 * v[:BASE], tau]))


def test_a_base_alone() -> None:
    mechanism = find_mechanism("free-rigid-body")
    model, draw = build(mechanism, EXACT), random.Random(0)
    q, v = numbers(draw, mechanism.nq), numbers(draw, mechanism.nv)
    system = floating_base(model, q, v)
    assert system.F.shape == (6, 0, 1) and system.H.shape == (0, 0, 1) and system.C.shape == (0, 1)
    a0, qdd = system.forward(v[BASE:])
    assert qdd.shape == (0, 1)
    assert same(a0, aba(model, q, v, 0 * v))


def test_batches_are_states_side_by_side() -> None:
    mechanism = carried(1)
    model, rng = build(mechanism, Real()), np.random.default_rng(0)
    q, v = rng.normal(size=(mechanism.nq, 5)), rng.normal(size=(mechanism.nv, 5))
    tau = rng.normal(size=(mechanism.nv - BASE, 5))
    whole = np.concatenate(floating_base(model, q, v).forward(tau))
    for k in range(5):
        one = np.concatenate(floating_base(model, q[:, k : k + 1], v[:, k : k + 1]).forward(tau[:, k : k + 1]))
        np.testing.assert_allclose(whole[:, k : k + 1], one, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("spec", ["pendulum", "random:3:4"])
def test_what_is_no_floating_base_is_said_to_be_none(spec: str) -> None:
    mechanism = find_mechanism(spec)
    model, draw = build(mechanism, EXACT), random.Random(0)
    with pytest.raises(Unsupported, match="put the mechanism on a free joint"):
        floating_base(model, numbers(draw, mechanism.nq), numbers(draw, mechanism.nv))


def test_two_trees_are_no_floating_base() -> None:
    mechanism = random_mechanism(18, 4, ("revolute",), free_base=True)
    assert list(mechanism.parents).count(-1) > 1
    model, draw = build(mechanism, EXACT), random.Random(0)
    with pytest.raises(Unsupported):
        floating_base(model, numbers(draw, mechanism.nq), numbers(draw, mechanism.nv))
