"""Derivatives of the reference, and of Pinocchio: against closed forms, against their own forces, against each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_joint import chain, states
from exact import Dual, DualRational, moving, numbers, part, position, same

from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.pinocchio.mimic import depth_first
from implementations.protocol import Unsupported
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.derivatives import coriolis_matrix, inverse_dynamics_dq, inverse_dynamics_dv
from implementations.spatial_algebra.forward_derivatives import (
    accelerations,
    forward_dynamics_dq,
    forward_dynamics_dtau,
    forward_dynamics_dv,
)
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import REFERENCE
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import QUANTITIES
from mechanisms.split_joints import elementary

Array = np.ndarray[Any, Any]

DERIVATIVES = [name for name, quantity in QUANTITIES.items() if quantity.group == "derivatives"]

MOVING_AXES = ("universal", "euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx")
"""Kinds whose axes move in the body's frame, which Pinocchio's derivatives do not reckon with."""


def pendulum(**options: Any) -> Mechanism:
    bob = Inertia(2, (0, 0, "-0.5"), ("0.3", 1, 1, 0, 0, 0))
    return Mechanism("pendulum", (Body("bob", "world", Joint("pivot", "revolute", (1, 0, 0), **options), bob),))


IMPLEMENTATIONS = pytest.mark.parametrize(
    "implementation",
    [REFERENCE, pytest.param(Pinocchio(), marks=pytest.mark.engines)],
    ids=lambda implementation: implementation.name,
)


@pytest.fixture(autouse=True)
def _installed(request: pytest.FixtureRequest) -> None:
    if "pinocchio" in request.node.name:
        pytest.importorskip("pinocchio")


@IMPLEMENTATIONS
def test_pendulum_closed_form(implementation: Any) -> None:
    """M q̈ + m g l sin q + d q̇ = τ with M = I + m l² + armature."""
    dynamics = implementation.load(pendulum(armature="0.4", damping="0.7"))
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M, weight = 0.3 + 2 * 0.25 + 0.4, 9.81 * np.cos(q)
    tau = dynamics.inverse_dynamics(q, v, a)
    close: Any = {"rtol": 1e-14, "atol": 0}
    np.testing.assert_allclose(dynamics.inverse_dynamics_dq(q, v, a), weight[..., None], **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics_dv(q, v), np.full((2, 1, 1), 0.7), **close)
    np.testing.assert_allclose(dynamics.forward_dynamics_dq(q, v, tau), -weight[..., None] / M, **close)
    np.testing.assert_allclose(dynamics.forward_dynamics_dv(q, v), np.full((2, 1, 1), -0.7 / M), **close)
    np.testing.assert_allclose(dynamics.forward_dynamics_dtau(q), np.full((2, 1, 1), 1 / M), **close)
    np.testing.assert_array_equal(dynamics.coriolis_matrix(q, v), np.zeros((2, 1, 1)))


@IMPLEMENTATIONS
def test_two_links_in_the_plane_closed_form(implementation: Any) -> None:
    """Two point masses m on arms l: M₁₁ = m l² (3 + 2 c₂), M₁₂ = m l² (1 + c₂), so C v = m l² s₂ (−2 v₁ v₂ − v₂², v₁²)."""
    tip = Inertia(1, (1, 0, 0), (0, 0, 0, 0, 0, 0))
    joints = [Joint("one", "revolute"), Joint("two", "revolute", placement=Placement(translation=(1, 0, 0)))]
    arm = Mechanism("arm", (Body("a", "world", joints[0], tip), Body("b", "a", joints[1], tip)), gravity=(0, 0, -9))
    q, (v1, v2), (a1, a2) = np.array([[0.3, 0.8]]), (2.0, -3.0), (5.0, 7.0)
    c, s = np.cos(0.8), np.sin(0.8)
    v, a = np.array([[v1, v2]]), np.array([[a1, a2]])
    dynamics = implementation.load(arm)
    dq = [[0, -s * (2 * a1 + a2) - c * (2 * v1 * v2 + v2**2)], [0, -s * a1 + c * v1**2]]
    dv = [[-2 * s * v2, -2 * s * (v1 + v2)], [2 * s * v1, 0]]
    np.testing.assert_allclose(dynamics.inverse_dynamics_dq(q, v, a)[0], dq, rtol=0, atol=1e-13)
    np.testing.assert_allclose(dynamics.inverse_dynamics_dv(q, v)[0], dv, rtol=0, atol=1e-13)
    # Christoffel's: Γ₁₁₂ = Γ₁₂₁ = Γ₁₂₂ = −s₂, Γ₂₁₁ = s₂
    np.testing.assert_allclose(dynamics.coriolis_matrix(q, v)[0], [[-s * v2, -s * (v1 + v2)], [s * v1, 0]], rtol=0, atol=1e-14)


def exact_case(mechanism: Mechanism, seed: int = 0) -> tuple[Any, ...]:
    """The model over fractions, q, v, and two of the shape of v."""
    draw = random.Random(seed)
    q = position(draw, mechanism)
    # At a right angle Euler angles lock, and M is singular.
    while (abs(q) == 1).any():
        q = position(draw, mechanism)
    return build(mechanism, DualRational()), q, *(numbers(draw, mechanism.nv) for _ in range(3))


def columns(slope: Callable[[Array], Array], n: int) -> Array:
    """``slope`` along every direction, side by side: (nv, nv, 1)."""
    return np.stack([slope(step[:, None]) for step in np.eye(n, dtype=int) * Fraction(1)], axis=1)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_they_differentiate_forces_and_accelerations_exactly(kind: Kind) -> None:
    """RNEA and ABA run on dual numbers of fractions; M a and M by CRBA for the rate of M."""
    mechanism = chain("revolute", kind, "prismatic", kind, armature=True, damping=True)
    model, q, v, a, tau = exact_case(mechanism)

    def moved(x: Array, along: Array) -> Array:
        return np.array([Dual(*pair) for pair in zip(x.flat, along.flat, strict=True)], dtype=object).reshape(x.shape)

    def by_q(algorithm: Callable[..., Array], *rates: Array) -> Array:
        return columns(lambda step: part(algorithm(model, moving(mechanism, q, step), *rates), 1), mechanism.nv)

    def by_v(algorithm: Callable[..., Array], x: Array) -> Array:
        return columns(lambda step: part(algorithm(model, q, moved(v, step), x), 1), mechanism.nv)

    assert same(inverse_dynamics_dq(model, q, v, a), by_q(rnea, v, a))
    assert same(inverse_dynamics_dv(model, q, v), by_v(rnea, a))
    assert same(forward_dynamics_dq(model, q, v, tau), by_q(aba, v, tau))
    assert same(forward_dynamics_dv(model, q, v), by_v(aba, tau))
    C, nothing = coriolis_matrix(model, q, v), 0 * v
    assert same(C + C.swapaxes(0, 1), part(crba(model, moving(mechanism, q, v)), 1))
    twice = rnea(model, q, v, nothing) + rnea(model, q, -v, nothing) - 2 * rnea(model, q, nothing, nothing)
    assert same(2 * mul(C, v), twice)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ("cylindrical", "translation", *MOVING_AXES))
def test_a_joint_of_several_is_the_joints_it_is_made_of(kind: Kind) -> None:
    """Exactly: with a massless body for every angle and distance there is no S that depends on q."""
    whole = chain("revolute", kind, "free")
    model, q, v, a, tau = exact_case(whole)
    parts = build(elementary(whole), DualRational())
    assert same(inverse_dynamics_dq(model, q, v, a), inverse_dynamics_dq(parts, q, v, a))
    assert same(inverse_dynamics_dv(model, q, v), inverse_dynamics_dv(parts, q, v))
    assert same(coriolis_matrix(model, q, v), coriolis_matrix(parts, q, v))
    assert same(forward_dynamics_dq(model, q, v, tau), forward_dynamics_dq(parts, q, v, tau))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_forward_derivatives_solve_their_equations_exactly(seed: int) -> None:
    mechanism = random_mechanism(seed, 4, MOVING, tilted_gravity=True)
    model, q, v, tau, _ = exact_case(mechanism, seed)
    M = crba(model, q)
    qdd = aba(model, q, v, tau)
    one = np.eye(mechanism.nv, dtype=int)[..., None]
    assert same(product(M, forward_dynamics_dtau(model, q)), one)
    assert same(product(M, forward_dynamics_dq(model, q, v, tau)), -inverse_dynamics_dq(model, q, v, qdd))
    assert same(product(M, forward_dynamics_dv(model, q, v)), -inverse_dynamics_dv(model, q, v))
    F = numbers(random.Random(seed), mechanism.nv, 3)
    assert same(product(M, accelerations(model, q, F)), F)


def product(A: Array, B: Array) -> Array:
    return np.einsum("ij...,jk...->ik...", A, B)


def test_joints_on_other_branches_feel_nothing() -> None:
    """Entries of joints neither of which carries the other are zero, not small."""
    mechanism = random_mechanism(2, 12, MOVING)
    carries = np.zeros((mechanism.nv, mechanism.nv), bool)
    for i in range(len(mechanism.bodies)):
        j = i
        while j >= 0:
            carries[mechanism.v_slices[i], mechanism.v_slices[j]] = carries[mechanism.v_slices[j], mechanism.v_slices[i]] = True
            j = mechanism.parents[j]
    assert not carries.all()
    dynamics, (q, v, a) = REFERENCE.load(mechanism), states(mechanism)
    for derivative in (dynamics.inverse_dynamics_dq(q, v, a), dynamics.inverse_dynamics_dv(q, v), dynamics.coriolis_matrix(q, v)):
        assert not derivative[:, ~carries].any()


def test_singular_mass_matrices_are_refused() -> None:
    idle = Mechanism("idle", (*pendulum().bodies, Body("end", "bob", Joint("last", "revolute"), Inertia.massless())))
    dynamics, (q, v, a) = REFERENCE.load(idle), states(idle)
    assert dynamics.inverse_dynamics_dq(q, v, a).shape == (len(q), 2, 2)
    for answer in (
        lambda: dynamics.forward_dynamics_dq(q, v, a),
        lambda: dynamics.forward_dynamics_dv(q, v),
        lambda: dynamics.forward_dynamics_dtau(q),
    ):
        with pytest.raises(Unsupported, match="'last'"):
            answer()


def pinocchio_and_reference(mechanism: Mechanism) -> dict[str, tuple[Array, Array]]:
    """What both say of every derivative."""
    ours, theirs, (q, v, a) = REFERENCE.load(mechanism), Pinocchio().load(mechanism), states(mechanism)
    given = {"q": q, "v": v, "a": a, "tau": ours.inverse_dynamics(q, v, a)}
    asked = {name: [given[x] for x in QUANTITIES[name].arguments] for name in DERIVATIVES}
    return {name: (getattr(theirs, name)(*at), getattr(ours, name)(*at)) for name, at in asked.items()}


@pytest.mark.engines
@pytest.mark.parametrize("kind", [kind for kind in MOVING if kind not in MOVING_AXES])
def test_pinocchio_agrees_on_joints_whose_axes_stay(kind: Kind) -> None:
    """Rows and columns in our order, damping and armature in all that they belong to, joints listed breadth first."""
    breadth = random_mechanism(3, 8, ("revolute", kind, "free"), tilted_gravity=True)
    assert depth_first(breadth) != list(range(8))
    for mechanism in (random_mechanism(1, 1, (kind,)), chain("revolute", kind, "revolute"), breadth):
        for name, (got, expected) in pinocchio_and_reference(mechanism).items():
            if name == "coriolis_matrix":
                # There is no true C, but the symmetric part of it is told.
                got, expected = got + got.swapaxes(1, 2), expected + expected.swapaxes(1, 2)
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-10 * (1 + abs(expected).max()), err_msg=name)


@pytest.mark.engines
@pytest.mark.parametrize("kind", MOVING_AXES)
def test_pinocchio_is_off_where_axes_move_in_the_body(kind: Kind) -> None:
    """When this fails, Pinocchio has mended it, and the finding on it has a version to end with."""
    answers = pinocchio_and_reference(chain("revolute", kind))
    off = [name for name, (got, expected) in answers.items() if abs(got - expected).max() > 1e-3 * abs(expected).max()]
    assert off == [name for name in DERIVATIVES if name != "forward_dynamics_dtau"]
