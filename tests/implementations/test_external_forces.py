"""External forces: what they are equal to, by other ways to the same numbers. That they are so for all mechanisms, the
catalogue proves (000.31, 000.37, 001.inverse, 003.29)."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import numbers

from implementations.field import Rational
from implementations.spatial_algebra.external_forces import generalised_forces
from implementations.spatial_algebra.model import Model, build
from mechanisms import Body, Inertia, Joint, Mechanism, random_mechanism

EXACT = Rational()


def model(seed: int, bodies: int = 5, **details: Any) -> Model:
    return build(random_mechanism(seed, bodies, ("revolute", "prismatic", "universal", "free"), **details), EXACT)


def state(model: Model, draw: random.Random) -> tuple[Any, Any, Any]:
    nq = model.links[-1].q.stop
    return numbers(draw, nq), numbers(draw, model.nv), numbers(draw, model.nv)


@pytest.fixture(params=range(3))
def draw(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


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


def test_a_push_at_the_tip_of_a_rod() -> None:
    """By hand: a rod of length 2 along x, hinged about z; 5 N along y at its tip are 10 N m at the hinge."""
    rod = Body("rod", "world", Joint("hinge", "revolute"), Inertia(1, (1, 0, 0), (0, 1, 1, 0, 0, 0)))
    push = np.array([0, 0, 2 * 5, 0, 5, 0], dtype=object)[None, :, None]
    felt = generalised_forces(build(Mechanism("rod", (rod,)), EXACT), np.array([[Fraction(0)]]), push)
    assert felt[0, 0] == 10
