"""Kinematics of the reference: against the oracle, its own definitions and formulas written out by hand, without tolerance."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from exact import Dual, DualRational, moving, numbers, part, position, same

from implementations.field import Rational
from implementations.protocol import Unsupported
from implementations.recorded.traced import TRACED
from implementations.spatial_algebra.centroidal import center_of_mass, centroidal_momentum, centroidal_momentum_matrix
from implementations.spatial_algebra.kinematics import (
    accelerations,
    classical_accelerations,
    drifts,
    jacobians,
    placements,
    velocities,
)
from implementations.spatial_algebra.model import Model, build
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import cross, mul
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.quantities import FRAMES, QUANTITIES
from oracle import EulerLagrange
from oracle import Rational as OracleRational

Tensor = np.ndarray[Any, Any]

KINEMATICS = [name for name, quantity in QUANTITIES.items() if quantity.group == "kinematics"]
TREES = [random_mechanism(seed, 5, MOVING, tilted_gravity=True) for seed in range(14)]
EVERY_FRAME = pytest.mark.parametrize("frame", FRAMES)


@dataclass
class Case:
    """A mechanism over the rationals at a random state; an angle q is given by tan(q/2). f is (bodies, 6, 1)."""

    mechanism: Mechanism
    model: Model
    q: Tensor
    v: Tensor
    a: Tensor
    f: Tensor

    @property
    def moving(self) -> tuple[Tensor, Tensor]:
        """q and v with their rates."""
        pairs = zip(self.v.flat, self.a.flat, strict=True)
        return moving(self.mechanism, self.q, self.v), np.array([Dual(*pair) for pair in pairs], dtype=object)[:, None]


def case_of(mechanism: Mechanism, seed: int = 0) -> Case:
    draw = random.Random(seed)
    q, v, a = position(draw, mechanism), numbers(draw, mechanism.nv), numbers(draw, mechanism.nv)
    return Case(mechanism, build(mechanism, DualRational()), q, v, a, numbers(draw, len(mechanism.bodies), 6))


@pytest.fixture(params=TREES, ids=lambda mechanism: mechanism.name)
def case(request: pytest.FixtureRequest) -> Case:
    return case_of(request.param)


def test_the_trees_reach_every_joint() -> None:
    assert {body.joint.kind for tree in TREES for body in tree.bodies} == set(MOVING)


# Against the oracle, which knows neither twists nor recursions over them


@pytest.mark.slow
@pytest.mark.parametrize("quantity", KINEMATICS)
@pytest.mark.parametrize("kind", MOVING)
def test_equals_the_oracle_for_every_joint(kind: Any, quantity: str) -> None:
    case = case_of(random_mechanism(5, 3, (kind,), tilted_gravity=True), seed=1)
    arguments = [getattr(case, name) for name in QUANTITIES[quantity].arguments]
    ours = ALGORITHMS[quantity](build(case.mechanism, Rational()), *arguments)
    theirs = getattr(EulerLagrange(case.mechanism, OracleRational()), quantity)(*(np.moveaxis(x, -1, 0) for x in arguments))
    assert same(np.moveaxis(ours, -1, 0), theirs)


# What the quantities mean


def hat(w: Tensor) -> Tensor:
    """[w]× of (bodies, 3, batch)."""
    x, y, z = w[:, 0], w[:, 1], w[:, 2]
    o = 0 * x
    return np.stack([np.stack([o, -z, y], 1), np.stack([z, o, -x], 1), np.stack([-y, x, o], 1)], 1)


def by(a: Tensor, b: Tensor) -> Tensor:
    """a b of every body."""
    return np.einsum("bij...,bj...->bi...", a, b)


def test_velocities_are_the_rates_of_placements(case: Case) -> None:
    """Local: Ṙ = R [ω]×, ṗ = R v. World: Ṙ = [ω]× R, ṗ = v + ω × p. Aligned: Ṙ = [ω]× R, ṗ = v."""
    T = placements(case.model, moving(case.mechanism, case.q, case.v))
    (R, p), (dR, dp) = ((part(T, k)[:, :, :3], part(T, k)[:, :, 3]) for k in (0, 1))
    local, world, aligned = (velocities(case.model, case.q, case.v, frame) for frame in FRAMES)
    assert same(np.einsum("bij...,bjk...->bik...", R, hat(local[:, :3])), dR)
    assert same(by(R, local[:, 3:]), dp)
    for turning in (world, aligned):
        assert same(np.einsum("bij...,bjk...->bik...", hat(turning[:, :3]), R), dR)
    assert same(world[:, 3:] + by(hat(world[:, :3]), p), dp)
    assert same(aligned[:, 3:], dp)


@EVERY_FRAME
def test_velocities_are_linear_in_v_by_the_jacobians(case: Case, frame: str) -> None:
    J = jacobians(case.model, case.q, frame)
    assert same(np.stack([mul(Ji, case.v) for Ji in J]), velocities(case.model, case.q, case.v, frame))


@pytest.mark.parametrize("frame", ["local", "world"])
def test_spatial_accelerations_are_the_rates_of_velocities(case: Case, frame: str) -> None:
    rate = part(velocities(case.model, *case.moving, frame), 1)
    assert same(rate, accelerations(case.model, case.q, case.v, case.a, frame))


def test_classical_accelerations_are_the_rates_of_aligned_velocities(case: Case) -> None:
    rate = part(velocities(case.model, *case.moving, "aligned"), 1)
    assert same(rate, classical_accelerations(case.model, case.q, case.v, case.a))


@pytest.mark.slow
@EVERY_FRAME
def test_drifts_are_the_rates_of_jacobians_times_v(case: Case, frame: str) -> None:
    Jdot = part(jacobians(case.model, case.moving[0], frame), 1)
    assert Jdot.any()
    assert same(np.stack([mul(Ji, case.v) for Ji in Jdot]), drifts(case.model, case.q, case.v, frame))


@pytest.mark.slow
def test_frames_are_related_by_the_adjoint(case: Case) -> None:
    """Ad = [[R, 0], [p× R, R]] from local to world; R alone, twice, from local to aligned: motions and columns of J alike."""
    T = placements(case.model, case.q)
    R, p = T[:, :, :3], T[:, :, 3]
    lever = np.einsum("bij...,bjk...->bik...", hat(p), R)
    moved = [velocities(case.model, case.q, case.v, frame) for frame in FRAMES]
    pushed = [accelerations(case.model, case.q, case.v, case.a, frame) for frame in FRAMES]
    for local, world, aligned in (moved, pushed):
        turned = np.concatenate([by(R, local[:, :3]), by(R, local[:, 3:])], 1)
        assert same(aligned, turned)
        assert same(world, turned + np.concatenate([0 * turned[:, :3], by(lever, local[:, :3])], 1))
    local, world, aligned = (jacobians(case.model, case.q, frame) for frame in FRAMES)
    for k in range(case.mechanism.nv):
        turned = np.concatenate([by(R, local[:, :3, k]), by(R, local[:, 3:, k])], 1)
        assert same(aligned[:, :, k], turned)
        assert same(world[:, :, k], turned + np.concatenate([0 * turned[:, :3], by(lever, local[:, :3, k])], 1))


def test_momentum_is_the_rate_of_the_mass_s_first_moment(case: Case) -> None:
    """l = M ċ."""
    mass = sum(body.inertia.mass for body in case.mechanism.bodies)
    rate = part(center_of_mass(case.model, moving(case.mechanism, case.q, case.v)), 1)
    assert same(mass * rate, centroidal_momentum(case.model, case.q, case.v)[3:])


def test_centroidal_momentum_is_that_of_every_body_about_the_centre_of_mass(case: Case) -> None:
    """k = Σ R I_c ω + (c_i − c) × m ċ_i, body by body."""
    T, V = placements(case.model, case.q), velocities(case.model, case.q, case.v, "aligned")
    c = center_of_mass(case.model, case.q)
    k, l = 0 * c, 0 * c
    for body, Ti, Vi in zip(case.mechanism.bodies, T, V, strict=True):
        R, arm = Ti[:, :3], mul(Ti[:, :3], np.array(body.inertia.com, dtype=object)[:, None])
        moved = body.inertia.mass * (Vi[3:] + cross(Vi[:3], arm))
        about_com = np.array(body.inertia.matrix, dtype=object)[..., None]
        k = k + mul(R, mul(about_com, mul(R.swapaxes(0, 1), Vi[:3]))) + cross(Ti[:, 3] + arm - c, moved)
        l = l + moved
    assert same(np.concatenate([k, l]), centroidal_momentum(case.model, case.q, case.v))


def test_centroidal_momentum_matrix_takes_v_to_the_momentum(case: Case) -> None:
    A = centroidal_momentum_matrix(case.model, case.q)
    assert same(mul(A, case.v), centroidal_momentum(case.model, case.q, case.v))


def test_external_forces_pass_through_the_jacobians(case: Case) -> None:
    J = jacobians(case.model, case.q, "local")
    missing = rnea(case.model, case.q, case.v, case.a) - rnea(case.model, case.q, case.v, case.a, case.f)
    assert same(missing, np.sum([mul(Ji.swapaxes(0, 1), fi) for Ji, fi in zip(J, case.f, strict=True)], axis=0))


def test_weights_from_outside_are_gravity(case: Case) -> None:
    """Forces m g at every centre of mass do what gravity does, about each body's origin and along its axes."""
    m = case.mechanism
    weightless = build(Mechanism(m.name, m.bodies, gravity=(0, 0, 0)), Rational())
    weights = []
    for body, T in zip(m.bodies, placements(case.model, case.q), strict=True):
        down = mul(T[:, :3].swapaxes(0, 1), np.array(m.gravity, dtype=object)[:, None] * body.inertia.mass)
        weights.append(np.concatenate([cross(np.array(body.inertia.com, dtype=object)[:, None], down), down]))
    assert same(rnea(weightless, case.q, case.v, case.a, np.stack(weights)), rnea(case.model, case.q, case.v, case.a))


# By hand


def double_pendulum(l: Fraction, masses: tuple[int, int] = (2, 3)) -> Mechanism:
    """Two arms of length l that turn about z, each with a point mass at its end; the second hangs at the first's end."""
    ends = (Inertia(m, (l, 0, 0)) for m in masses)
    first = Body("upper", "world", Joint("shoulder", "revolute"), next(ends))
    second = Body("lower", "upper", Joint("elbow", "revolute", placement=Placement(translation=(l, 0, 0))), next(ends))
    return Mechanism("double pendulum", (first, second), gravity=(0, 0, 0))


@pytest.mark.parametrize("recorded", [False, True])
def test_double_pendulum(recorded: bool) -> None:
    """By the reference, and by programs recorded of it."""
    rng = np.random.default_rng(0)
    (q1, q2), (v1, v2), (a1, a2) = rng.normal(size=(3, 2, 20))
    q, v, a = (np.stack(x, 1) for x in ((q1, q2), (v1, v2), (a1, a2)))
    m1, m2, l = 2, 3, 0.5
    mechanism, o = double_pendulum(Fraction(1, 2)), 0 * q1
    reference, program = REFERENCE.load(mechanism), TRACED.load(mechanism)
    c1, s1, c12, s12 = np.cos(q1), np.sin(q1), np.cos(q1 + q2), np.sin(q1 + q2)
    w, dw = v1 + v2, a1 + a2
    close: Any = {"rtol": 0, "atol": 3e-15}

    def check(quantity: str, expected: Any, *state: Any) -> None:
        got = program.values(quantity, *state) if recorded else getattr(reference, quantity)(*state)
        got = got[:, 1] if QUANTITIES[quantity].axes[0] == "bodies" else got
        np.testing.assert_allclose(got, np.moveaxis(np.array(expected), -1, 0), **close, err_msg=quantity)

    elbow = l * c1, l * s1
    v_elbow = -l * v1 * s1, l * v1 * c1
    p_ddot = -l * (a1 * s1 + v1**2 * c1), l * (a1 * c1 - v1**2 * s1)
    check("placements", [[c12, -s12, o, elbow[0]], [s12, c12, o, elbow[1]], [o, o, o + 1, o]], q)
    check("velocities_aligned", [o, o, w, *v_elbow, o], q, v)
    check("velocities_local", [o, o, w, l * v1 * np.sin(q2), l * v1 * np.cos(q2), o], q, v)
    # The point of the lower arm at the root's origin: ṗ − ω × p.
    check("velocities_world", [o, o, w, v_elbow[0] + w * elbow[1], v_elbow[1] - w * elbow[0], o], q, v)
    check("jacobians_aligned", [[o, o], [o, o], [o + 1, o + 1], [-l * s1, o], [l * c1, o], [o, o]], q)
    check("jacobians_world", [[o, o], [o, o], [o + 1, o + 1], [o, l * s1], [o, -l * c1], [o, o]], q)
    check("classical_accelerations", [o, o, dw, *p_ddot, o], q, v, a)
    # Less ω × ṗ, the turning of a velocity that stays as long as it is.
    check("accelerations_aligned", [o, o, dw, p_ddot[0] + w * v_elbow[1], p_ddot[1] - w * v_elbow[0], o], q, v, a)
    check("accelerations_world", [o, o, dw, l * (a2 * s1 + v1 * v2 * c1), l * (v1 * v2 * s1 - a2 * c1), o], q, v, a)
    check("drifts_local", [o, o, o, l * v1 * v2 * np.cos(q2), -l * v1 * v2 * np.sin(q2), o], q, v)
    check("drifts_aligned", [o, o, o, -l * v1**2 * c1, -l * v1**2 * s1, o], q, v)
    check("drifts_world", [o, o, o, l * v1 * v2 * c1, l * v1 * v2 * s1, o], q, v)
    check("center_of_mass", [(m1 * l * c1 + m2 * l * (c1 + c12)) / 5, (m1 * l * s1 + m2 * l * (s1 + s12)) / 5, o], q)
    # Of two masses about their centre: the reduced mass times r × ṙ between them.
    momentum = l * (5 * -s1 * v1 - m2 * s12 * w), l * (5 * c1 * v1 + m2 * c12 * w)
    check("centroidal_momentum", [o, o, m1 * m2 / 5 * l**2 * w, *momentum, o], q, v)
    # A force (0, 3, 0) at the end of the lower arm, along its axes, and a couple of 5 about z.
    f = np.zeros((20, 2, 6))
    f[:, 1, 4], f[:, 1, 2] = 3, 5 + 3 * l
    elbow_torque = o + 5 + 3 * l
    tau = reference.inverse_dynamics(q, v, a)
    expected = tau.T - np.array([elbow_torque + 3 * l * np.cos(q2), elbow_torque])
    check("inverse_dynamics_with_forces", expected, q, v, a, f)


@pytest.mark.parametrize("quantity", ["center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix"])
def test_what_has_no_mass_has_no_centre_of_mass(quantity: str) -> None:
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute", armature=1)),))
    dynamics, state = REFERENCE.load(rotor), np.zeros((2, 1))
    with pytest.raises(Unsupported, match="no centre of mass"):
        getattr(dynamics, quantity)(*[state] * len(QUANTITIES[quantity].arguments))
    assert dynamics.velocities_local(state, state + 1)[0].tolist() == [[0, 0, 1, 0, 0, 0]], "the rest is well defined"
