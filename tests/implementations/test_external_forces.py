"""External forces: what they are equal to, by other ways to the same numbers. That they are so for all mechanisms, the
catalogue proves (000.31, 000.37, 001.inverse, 003.29)."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import numbers, same

from implementations.field import Rational, Real
from implementations.spatial_algebra.external_forces import generalised_forces, in_bodies, inverse, rnea_with_external_forces
from implementations.spatial_algebra.jcalc import from_quaternion, transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import velocities
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import Plucker, crf, mul
from mechanisms import Body, Inertia, Joint, Mechanism, random_mechanism
from mechanisms.joint import MOVING

EXACT = Rational()


def model(seed: int, bodies: int = 5, **details: Any) -> Model:
    return build(random_mechanism(seed, bodies, ("revolute", "prismatic", "universal", "free"), **details), EXACT)


def state(model: Model, draw: random.Random) -> tuple[Any, Any, Any]:
    nq = model.links[-1].q.stop
    return numbers(draw, nq), numbers(draw, model.nv), numbers(draw, model.nv)


@pytest.fixture(params=range(3))
def draw(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


def test_no_forces_are_the_plain_algorithm(draw: random.Random) -> None:
    it = model(draw.randrange(99))
    q, v, a = state(it, draw)
    assert same(rnea_with_external_forces(it, q, v, a, numbers(draw, 5, 6) * 0), rnea(it, q, v, a))


def test_what_they_do_for_the_joints_is_taken_off(draw: random.Random) -> None:
    """By RNEA, which takes them off every body, and by what they do for the joints."""
    it, f = model(draw.randrange(99)), numbers(draw, 5, 6)
    q, v, a = state(it, draw)
    taken = generalised_forces(it, q, in_bodies(it, q, f))
    assert same(rnea_with_external_forces(it, q, v, a, f), rnea(it, q, v, a) - taken)


def test_power_is_the_same_in_every_frame_and_at_the_joints(draw: random.Random) -> None:
    it, f = model(draw.randrange(99)), numbers(draw, 5, 6)
    q, v, _ = state(it, draw)
    fx = in_bodies(it, q, f)
    power = (generalised_forces(it, q, fx) * v).sum()
    assert (fx * velocities(it, q, v, "local")).sum() == power
    assert (f * velocities(it, q, v, "world")).sum() == power


def test_a_force_on_one_body_is_felt_by_the_joints_that_carry_it_only(draw: random.Random) -> None:
    it = model(3, 6)
    q, _, _ = state(it, draw)
    for i in range(6):
        force = numbers(draw, 6, 6) * np.array([j == i for j in range(6)], dtype=int)[:, None, None]
        carriers, j = set(), i
        while j >= 0:
            carriers.add(j)
            j = it.parents[j]
        felt = generalised_forces(it, q, force)
        for k, link in enumerate(it.links):
            assert felt[link.v].all() if k in carriers else not felt[link.v].any()


def test_bodies_that_are_held_up_leave_nothing_to_their_joints(draw: random.Random) -> None:
    """What outweighs each body's weight, in the root's frame, takes the load off at rest."""
    it = model(draw.randrange(99), armature=False, damping=False)
    q, _, _ = state(it, draw)
    rest = numbers(draw, it.nv) * 0
    assert rnea(it, q, rest, rest).any()
    X0 = transforms_from_root(it, transforms(it, q)[0])
    held = [X.T @ mul(link.I, X @ -it.gravity) for X, link in zip(X0, it.links, strict=True)]
    assert same(rnea_with_external_forces(it, q, rest, rest, np.stack(held)), rest)


def test_the_inverse_of_a_transform_undoes_it(draw: random.Random) -> None:
    X, m, f = Plucker(from_quaternion(numbers(draw, 4)), numbers(draw, 3)), numbers(draw, 6), numbers(draw, 6)
    assert same(inverse(X) @ (X @ m), m)
    assert same(inverse(X).T @ (X.T @ f), f)
    v = numbers(draw, 6)
    assert same(inverse(X).T @ crf(v, f), crf(X @ v, inverse(X).T @ f)), "X*(v ×* f) = Xv ×* X*f"


def test_batches_are_states_side_by_side() -> None:
    mechanism = random_mechanism(2, 6, MOVING)
    it, rng = build(mechanism, Real()), np.random.default_rng(0)
    q = np.ones((mechanism.nq, 1)) / np.sqrt(2) + 0 * rng.normal(size=(mechanism.nq, 4))
    v, a, f = rng.normal(size=(mechanism.nv, 4)), rng.normal(size=(mechanism.nv, 4)), rng.normal(size=(6, 6, 4))
    whole = rnea_with_external_forces(it, q, v, a, f)
    assert whole.shape == (mechanism.nv, 4)
    for k in range(4):
        one = rnea_with_external_forces(it, *(x[..., k : k + 1] for x in (q, v, a, f)))
        np.testing.assert_allclose(whole[:, k : k + 1], one, rtol=1e-12, atol=1e-12)


def test_a_push_at_the_tip_of_a_rod() -> None:
    """By hand: a rod of length 2 along x, hinged about z; 5 N along y at its tip are 10 N m at the hinge."""
    rod = Body("rod", "world", Joint("hinge", "revolute"), Inertia(1, (1, 0, 0), (0, 1, 1, 0, 0, 0)))
    push = np.array([0, 0, 2 * 5, 0, 5, 0], dtype=object)[None, :, None]
    felt = generalised_forces(build(Mechanism("rod", (rod,)), EXACT), np.array([[Fraction(0)]]), push)
    assert felt[0, 0] == 10
