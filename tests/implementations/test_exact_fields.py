"""RNEA, CRBA, ABA and the energies over exact rationals, compared with each other: no tolerance anywhere."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import DualRational, numbers, position, same

from cross_check.judge.error_scale.sizes import ErrorScale
from implementations.field import Field, Rational, Real
from implementations.linear import solve
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import gravity
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.energy import potential_energy
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import QUANTITIES, USUAL

Tensor = np.ndarray[Any, Any]

RANDOM = [random_mechanism(seed, 5, MOVING, tilted_gravity=True) for seed in range(14)]


@dataclass
class Case:
    """A random mechanism over the rationals at a random state; an angle q is given by tan(q/2)."""

    mechanism: Mechanism
    model: Model
    q: Tensor
    v: Tensor
    a: Tensor


def case_of(mechanism: Mechanism, seed: int = 0, field: Field | None = None) -> Case:
    draw = random.Random(seed)
    q, v, a = position(draw, mechanism), numbers(draw, mechanism.nv), numbers(draw, mechanism.nv)
    return Case(mechanism, build(mechanism, field or DualRational()), q, v, a)


@pytest.fixture(params=RANDOM, ids=lambda mechanism: mechanism.name)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


@pytest.mark.parametrize("seed", range(4))
def test_massless_end_body_with_armature_moves_nothing_but_its_rotor(seed: int) -> None:
    """Forward dynamics divides by nothing but what has inertia."""
    mechanism = random_mechanism(seed, 3, MOVING)
    end = Body("end", "body3", Joint("last", "revolute", armature="0.1", placement=Placement(Rotation(1, 2, 3, 4), (1, 0, 0))))
    case = case_of(Mechanism("end", (*mechanism.bodies, end)))
    tau = rnea(case.model, case.q, case.v, case.a)
    assert tau[-1, 0] == Fraction("0.1") * case.a[-1, 0]
    assert same(aba(case.model, case.q, case.v, tau), case.a)


@dataclass(frozen=True)
class HalfAngle(Real):
    """Floating point that takes tan(q/2) as the rationals do, so that both see the same state."""

    def cos_sin(self, angle: Tensor) -> tuple[Tensor, Tensor]:
        return Rational().cos_sin(angle)

    def angle(self, position: Tensor) -> Tensor:
        exact = Rational().angle(exactly(position))
        return np.array([self.number(x) for x in exact.flat]).reshape(exact.shape)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="np.longdouble is no wider than float64 here")
@pytest.mark.parametrize("quantity", [name for name in USUAL if not QUANTITIES[name].needs_regular_mass_matrix])
def test_extended_precision_is_extended_in_every_constant_and_operation(case: Case, quantity: str) -> None:
    """Within a few ε of longdouble: one constant that went through float64 would be off by 2048 of them."""
    forces = numbers(random.Random(1), len(case.mechanism.bodies), 6)
    arguments = [{"q": case.q, "v": case.v, "f": forces}[kind] for kind in QUANTITIES[quantity].inputs]
    extended = Real(np.longdouble)
    floats = [np.array([extended.number(x) for x in given.flat]).reshape(given.shape) for given in arguments]
    # The same number in both: what longdouble cannot hold of 1/3 is not at stake here.
    arguments = [exactly(argument) for argument in floats]
    exact = ALGORITHMS[quantity](case.model, *arguments)
    got = ALGORITHMS[quantity](build(case.mechanism, HalfAngle(np.longdouble)), *floats)
    angles = [2 * np.arctan(x.astype(float)) if k == 0 else x.astype(float) for k, x in enumerate(floats)]
    for body, at in zip(case.mechanism.bodies, case.mechanism.q_slices, strict=True):
        if body.joint.kind != "revolute":
            angles[0][at] = floats[0][at].astype(float)
        if body.joint.kind == "helical":
            angles[0][at] = Rational().angle(arguments[0][at]).astype(float)
    sizes = np.moveaxis(ErrorScale(case.mechanism).size(quantity, *(np.moveaxis(x, -1, 0) for x in angles)), 0, -1)
    errors = np.abs(exactly(got) - exact).astype(float)
    assert (errors <= 8 * float(np.finfo(np.longdouble).eps) * sizes).all()


def exactly(x: Tensor) -> Tensor:
    high = x.astype(np.float64)
    parts = zip(high.flat, (x - high).astype(np.float64).flat, strict=True)
    return np.array([Fraction(float(a)) + Fraction(float(b)) for a, b in parts], dtype=object).reshape(x.shape)


@pytest.mark.parametrize("n", range(1, 7))
def test_solve_is_exact_over_fractions(n: int) -> None:
    draw = random.Random(n)
    half, x, X = numbers(draw, n, n), numbers(draw, n), numbers(draw, n, 3)
    A = np.einsum("ikb,jkb->ijb", half, half)
    assert same(solve(A, mul(A, x)), x)
    assert same(solve(A, np.einsum("ij...,jk...->ik...", A, X)), X)


def test_solve_agrees_with_lapack_on_every_matrix_of_a_batch() -> None:
    rng = np.random.default_rng(0)
    half, b = rng.normal(size=(50, 6, 6)), rng.normal(size=(50, 6, 2))
    A = half @ half.swapaxes(1, 2) + np.eye(6)
    given = A.copy(), b.copy()
    got = np.moveaxis(solve(np.moveaxis(A, 0, -1), np.moveaxis(b, 0, -1)), -1, 0)
    expected = np.linalg.solve(A, b)
    size = np.linalg.norm(expected, axis=1, keepdims=True) * np.linalg.cond(A)[:, None, None]
    assert (np.abs(got - expected) <= 8 * np.finfo(float).eps * size).all()
    assert np.array_equal(A, given[0])
    assert np.array_equal(b, given[1])


def test_solve_takes_a_constant_matrix_for_a_whole_batch() -> None:
    b = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(solve(np.array([[2.0, 0], [0, 4]])[..., None], b), b / [[2], [4]])


def test_steiner_is_in_the_mass_matrix_of_a_pendulum() -> None:
    """M = I + m l² as the textbook has it, in fractions."""
    bob = Inertia(3, (0, 0, "-0.5"), ("0.2", "0.1", "0.2", 0, 0, 0))
    model = build(Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute", (0, 1, 0)), bob),)), Rational())
    t = np.array([[Fraction(1, 3)]], dtype=object)
    sine = Fraction(3, 5)
    assert crba(model, t)[0, 0, 0] == Fraction("0.1") + 3 * Fraction(1, 4)
    assert gravity(model, t)[0, 0] == 3 * Fraction("9.81") * Fraction(1, 2) * sine
    assert potential_energy(model, t)[0] == -3 * Fraction("9.81") * Fraction(1, 2) * Fraction(4, 5)
