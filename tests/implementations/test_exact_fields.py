"""RNEA, CRBA, ABA and the energies over exact rationals, compared with each other: no tolerance anywhere."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np
import pytest
from exact import DualRational, moving, numbers, part, position, same

import oracle
from cross_check.error_scale.sizes import ErrorScale
from implementations.field import Field, Rational, Real
from implementations.linear import solve
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import gravity, nonlinear_effects
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.energy import kinetic_energy, potential_energy
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms import TEXTBOOK, Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism, random_mechanism
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


def test_random_mechanisms_reach_every_term() -> None:
    """The identities below are worth what these mechanisms hold: free joints that are no base, armature, damping, branches."""
    joints = [(parent, body.joint) for m in RANDOM for parent, body in zip(m.parents, m.bodies, strict=True)]
    assert {joint.kind for _, joint in joints} == set(MOVING), set(MOVING) - {joint.kind for _, joint in joints}
    assert any(parent >= 0 and joint.kind == "free" for parent, joint in joints)
    assert any(joint.armature and joint.damping for _, joint in joints)
    assert any(len(set(mechanism.parents)) < len(mechanism.parents) for mechanism in RANDOM)


def test_inverse_dynamics_is_mass_matrix_times_acceleration_and_what_remains(case: Case) -> None:
    h = nonlinear_effects(case.model, case.q, case.v)
    assert same(rnea(case.model, case.q, case.v, case.a), mul(crba(case.model, case.q), case.a) + h)


def test_forward_dynamics_inverts_inverse_dynamics(case: Case) -> None:
    assert same(aba(case.model, case.q, case.v, rnea(case.model, case.q, case.v, case.a)), case.a)


@pytest.mark.slow
def test_forward_dynamics_solves_the_equations_of_motion(case: Case) -> None:
    """The other way round, where forces and not accelerations are given, and by another elimination."""
    tau, h = case.a, nonlinear_effects(case.model, case.q, case.v)
    qdd = aba(case.model, case.q, case.v, tau)
    assert same(rnea(case.model, case.q, case.v, qdd), tau)
    assert same(solve(crba(case.model, case.q), tau - h), qdd)


def test_mass_matrix_is_symmetric_and_the_hessian_of_kinetic_energy(case: Case) -> None:
    M = crba(case.model, case.q)
    assert same(M, M.swapaxes(0, 1))
    assert kinetic_energy(case.model, case.q, case.v)[0] == (case.v * mul(M, case.v)).sum() / 2


@pytest.mark.slow
def test_armature_adds_to_the_diagonal_and_damping_to_nothing_else(case: Case) -> None:
    """Against the same mechanism without motors."""
    bare = case_of(without_motors(case.mechanism))
    armature = np.concatenate([link.armature for link in case.model.links])
    damping = np.concatenate([link.damping for link in case.model.links])
    assert same(crba(case.model, case.q) - crba(bare.model, case.q), np.diag(armature[:, 0])[..., None])
    h, bare_h = (nonlinear_effects(model, case.q, case.v) for model in (case.model, bare.model))
    assert same(h - bare_h, damping * case.v)
    assert same(gravity(case.model, case.q), gravity(bare.model, case.q))
    T, bare_T = (kinetic_energy(model, case.q, case.v) for model in (case.model, bare.model))
    assert T - bare_T == (armature * case.v**2).sum() / 2


@pytest.mark.nightly
@pytest.mark.slow
def test_gravity_is_the_gradient_of_potential_energy(case: Case) -> None:
    """∂V along every component of v, a free joint's included."""
    steps = np.eye(case.mechanism.nv, dtype=int) * Fraction(1)
    along = [part(potential_energy(case.model, moving(case.mechanism, case.q, step[:, None])), 1)[0] for step in steps]
    assert same(gravity(case.model, case.q)[:, 0], np.array(along))


def test_power_of_the_joints_is_the_rate_of_the_energy_and_what_damping_takes(case: Case) -> None:
    """d/dt (T + V) = vᵀ (τ − D v), along v and v̇ = a."""
    model, v = case.model, case.v
    q_moving = moving(case.mechanism, case.q, v)
    v_moving = np.array([type(q_moving[0, 0])(*pair) for pair in zip(v.flat, case.a.flat, strict=True)], dtype=object)[:, None]
    rate = part(kinetic_energy(model, q_moving, v_moving) + potential_energy(model, q_moving), 1)[0]
    damping = np.concatenate([link.damping for link in model.links])
    assert rate == (v * (rnea(model, case.q, v, case.a) - damping * v)).sum()


def test_velocity_products_are_of_second_degree(case: Case) -> None:
    g, damping = gravity(case.model, case.q), np.concatenate([link.damping for link in case.model.links])

    def products(scale: int) -> Tensor:
        return nonlinear_effects(case.model, case.q, scale * case.v) - g - scale * damping * case.v

    assert products(1).any()
    assert same(products(-3), 9 * products(1))


def test_nothing_turns_on_where_a_free_mechanism_is() -> None:
    """Moved as a whole, with gravity turned along, it feels the same."""
    mechanism = random_mechanism(3, 4, ("revolute",), free_base=True, shape="chain", tilted_gravity=True)
    case, at = case_of(mechanism), Placement(Rotation(1, 2, -1, 3), (2, -3, 5))
    root = mechanism.bodies[0]
    moved_root = Body(root.name, root.parent, Joint("joint1", "free", placement=at @ root.joint.placement), root.inertia)
    moved = case_of(Mechanism("moved", (moved_root, *mechanism.bodies[1:]), at.rotation(mechanism.gravity)))
    assert same(rnea(case.model, case.q, case.v, case.a), rnea(moved.model, case.q, case.v, case.a))
    assert same(crba(case.model, case.q), crba(moved.model, case.q))


@pytest.mark.parametrize("seed", range(4))
def test_massless_end_body_with_armature_moves_nothing_but_its_rotor(seed: int) -> None:
    """Forward dynamics divides by nothing but what has inertia."""
    mechanism = random_mechanism(seed, 3, MOVING)
    end = Body("end", "body3", Joint("last", "revolute", armature="0.1", placement=Placement(Rotation(1, 2, 3, 4), (1, 0, 0))))
    case = case_of(Mechanism("end", (*mechanism.bodies, end)))
    tau = rnea(case.model, case.q, case.v, case.a)
    assert tau[-1, 0] == Fraction("0.1") * case.a[-1, 0]
    assert same(aba(case.model, case.q, case.v, tau), case.a)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in TEXTBOOK if name != "every-joint"])
def test_equations_of_the_oracle_give_the_same_fractions(name: str) -> None:
    """Lagrange's polynomials and Newton–Euler's recursions, at random rational states with quaternions of length one."""
    mechanism = find_mechanism(name)
    case, equations = case_of(mechanism, seed=7), oracle.derive(mechanism)
    for _, at in mechanism.slots("quaternion"):
        case.q[at, 0] = [Fraction(k, 5) for k in (-2, 1, 4, 2)]
    cosine, sine = Rational().cos_sin(case.q[:, 0])
    kinds = {"cos": cosine, "sin": sine, "position": case.q[:, 0].copy()}
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "helical":
            kinds["position"][at] = Rational().angle(case.q[at, 0])
    values = [kinds[g.kind][g.index] if g.kind in kinds else 0 for g in equations.ring.generators]

    point = [flint.fmpq(x.numerator, x.denominator) for x in map(Fraction, values)]

    def at_state(polynomial: Any) -> Fraction:
        value = polynomial(*point)
        return Fraction(int(value.p), int(value.q))

    v, Cv = case.v[:, 0], [Fraction(0)] * mechanism.nv
    M = np.array([[at_state(entry) for entry in row] for row in equations.M])
    # C v_i = Σ (∂M_ij/∂q_k − ∂M_jk/∂q_i / 2) v_j v_k. Nearly all of the swarm's 300 000 derivatives are zero.
    places = product(range(mechanism.nv), repeat=3)
    for k, i, j in ((k, i, j) for k, i, j in places if equations.dM[k][i][j]):
        slope = at_state(equations.dM[k][i][j])
        Cv[i] += slope * v[j] * v[k]
        Cv[k] -= slope * v[i] * v[j] / 2
    g, damping = (np.array([at_state(entry) for entry in entries]) for entries in (equations.g, equations.damping))
    assert same(crba(case.model, case.q)[..., 0], M)
    assert same(gravity(case.model, case.q)[:, 0], g)
    assert same(nonlinear_effects(case.model, case.q, case.v)[:, 0], np.array(Cv) + g + damping * v)
    assert potential_energy(case.model, case.q)[0] == at_state(equations.V)


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


def without_motors(mechanism: Mechanism) -> Mechanism:
    bodies = (replace(b, joint=replace(b.joint, armature=0, damping=0)) for b in mechanism.bodies)
    return Mechanism("bare", tuple(bodies), mechanism.gravity)


def test_steiner_is_in_the_mass_matrix_of_a_pendulum() -> None:
    """M = I + m l² as the textbook has it, in fractions."""
    bob = Inertia(3, (0, 0, "-0.5"), ("0.2", "0.1", "0.2", 0, 0, 0))
    model = build(Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute", (0, 1, 0)), bob),)), Rational())
    t = np.array([[Fraction(1, 3)]], dtype=object)
    sine = Fraction(3, 5)
    assert crba(model, t)[0, 0, 0] == Fraction("0.1") + 3 * Fraction(1, 4)
    assert gravity(model, t)[0, 0] == 3 * Fraction("9.81") * Fraction(1, 2) * sine
    assert potential_energy(model, t)[0] == -3 * Fraction("9.81") * Fraction(1, 2) * Fraction(4, 5)
