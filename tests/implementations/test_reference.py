"""The reference in floating point: against the oracle, against formulas written out by hand, and on batches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_joint import chain

from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.prove.proof.prove import prove
from implementations.algorithms import evaluate_in_blocks
from implementations.field import Real
from implementations.protocol import Implementation, Unsupported
from implementations.recorded.traced import PRECISE, TRACED
from implementations.spatial_algebra.integration import INTEGRATION
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import (
    TEXTBOOK,
    Body,
    Inertia,
    Joint,
    Mechanism,
    Placement,
    Rotation,
    find_mechanism,
    on_free_base,
    random_mechanism,
    textbook,
)
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import GROUPS, QUANTITIES, USUAL

Array = np.ndarray[Any, Any]

BOTH = pytest.mark.parametrize("implementation", [REFERENCE, TRACED], ids=lambda implementation: implementation.name)
EVERY_QUANTITY = pytest.mark.parametrize("quantity", USUAL)
EXPLICIT = ["forward_dynamics", *(name for name in USUAL if QUANTITIES[name].has_value)]
"""The quantities that have a true value, and forward dynamics, which has to satisfy an equation."""
OFFERED = [(REFERENCE, name) for name in USUAL] + [(TRACED, name) for name in USUAL]
EVERYTHING_OFFERED = pytest.mark.parametrize(("implementation", "quantity"), OFFERED)
MIXED = random_mechanism(3, 5, ("revolute", "prismatic", "free"))


NAMES = [name for name in QUANTITIES if name not in GROUPS["integration"]]


def states_of(mechanism: Mechanism, count: int) -> States:
    states = sample(mechanism, 1, count)
    return states.with_forces(REFERENCE.load(mechanism).inverse_dynamics(states.q, states.v, states.a))


def ask(implementation: Implementation, mechanism: Mechanism, quantity: str, states: States) -> Array:
    return getattr(implementation.load(mechanism), quantity)(*states.arguments(QUANTITIES[quantity].arguments))


def each_state(states: States) -> list[States]:
    return [states.pick(np.array([k])) for k in range(len(states))]


# Against the oracle


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_quantity_is_proven_for_every_joint(kind: Kind) -> None:
    """In exact arithmetic, with armature and damping: the oracle knows neither twists nor recursions over them."""
    certificate = prove(chain("revolute", kind), kind, quantities=NAMES)
    assert (certificate.verdict, set(certificate.quantities)) == ("proven", set(NAMES))


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["random:4:5:revolute,prismatic,cylindrical", "random:3:4:mimic"])
def test_every_quantity_is_proven_on_branches(spec: str) -> None:
    assert prove(find_mechanism(spec), spec, quantities=NAMES).verdict == "proven"


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTBOOK)
def test_within_rounding_of_the_oracle(name: str) -> None:
    """Float64 rounds what is summed a few times over, and never more than this."""
    mechanism = find_mechanism(name)
    truth, scale, states = Truth(mechanism), ErrorScale(mechanism), states_of(mechanism, 21)
    assert truth.name == ("jets" if name in ("every-joint", "swarm") else "symbolic")
    for name in EXPLICIT:
        arguments = states.arguments(QUANTITIES[name].arguments)
        got = getattr(REFERENCE.load(mechanism), name)(*arguments)
        if name == "forward_dynamics":
            # q̈ itself is as uncertain as M is ill-conditioned; what it misses of τ is not.
            q, v, tau = arguments
            missed, size = truth.values("inverse_dynamics", q, v, got) - tau, scale.shared_force(q, v, got)
        else:
            missed, size = got - truth.values(name, *arguments), scale.size(name, *arguments)
        assert in_epsilons(missed, size).max() <= 4, name


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("name", TEXTBOOK)
def test_within_rounding_of_double_doubles_of_the_oracle(name: str) -> None:
    """The reference serves as truth where the oracle cannot go, so it has to be as good. Circles have no exact length."""
    mechanism = find_mechanism(name)
    precise, truth, scale = PRECISE.load(mechanism), Truth(mechanism), ErrorScale(mechanism)
    bound = 1 / 128 if any(mechanism.slots("circle")) else 2.0**-40
    states = states_of(mechanism, 21)
    for name in EXPLICIT:
        if name == "forward_dynamics":
            continue
        arguments = states.arguments(QUANTITIES[name].arguments)
        error = getattr(precise, name)(*arguments) - truth.values(name, *arguments)
        assert in_epsilons(error, scale.size(name, *arguments)).max() <= bound, name


# Formulas written out by hand


def test_pendulum() -> None:
    m, l, I, d, g = 1.2, 0.4, 0.064, 0.05, 9.81
    q, v, a = np.random.default_rng(0).normal(size=(3, 20, 1))
    pendulum = REFERENCE.load(textbook.pendulum())
    M, weight = I + m * l**2, m * g * l * np.sin(q)
    np.testing.assert_allclose(pendulum.mass_matrix(q)[:, 0], np.full((20, 1), M), rtol=1e-15)
    np.testing.assert_allclose(pendulum.gravity(q), weight, rtol=1e-14)
    np.testing.assert_allclose(pendulum.inverse_dynamics(q, v, a), M * a + weight + d * v, rtol=0, atol=1e-14)
    np.testing.assert_allclose(pendulum.forward_dynamics(q, v, a), (a - weight - d * v) / M, rtol=0, atol=1e-13)
    np.testing.assert_allclose(pendulum.kinetic_energy(q, v), (M * v**2 / 2)[:, 0], rtol=1e-14)
    np.testing.assert_allclose(pendulum.potential_energy(q), (-m * g * l * np.cos(q))[:, 0], rtol=1e-14)


def turned(quaternion: Array, vector: Array) -> Array:
    """``vector`` of the world in coordinates of a body with this orientation (x y z w)."""
    out = []
    for (x, y, z, w), row in zip(quaternion, np.broadcast_to(vector, (len(quaternion), 3)), strict=True):
        R = np.array(Rotation(w, x, y, z).matrix, dtype=float)
        out.append(R.T @ row)
    return np.array(out)


@pytest.mark.parametrize("length", [1.0, 1e-3, 700.0])
def test_free_body_obeys_newton_and_euler_about_its_centre_of_mass(length: float) -> None:
    """Force: R m (c̈ − g); moment about the centre of mass: I ω̇ + ω × I ω, whatever length the quaternion has."""
    m, c, about = 2.5, np.array([0.02, -0.03, 0.05]), (0.031, 0.042, 0.027, -0.004, 0.003, 0.005)
    xx, yy, zz, xy, xz, yz = about
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(20, 7)), rng.normal(size=(20, 6)), rng.normal(size=(20, 6))
    q[:, 3:] *= length
    w, u, dw, du = v[:, :3], v[:, 3:], a[:, :3], a[:, 3:]
    # In the body's axes, the acceleration of the point c: the spatial one is u̇, the origin's own is u̇ + ω × u.
    acceleration = du + np.cross(w, u) + np.cross(dw, c) + np.cross(w, np.cross(w, c))
    force = m * (acceleration - turned(q[:, 3:], np.array([0, 0, -9.81])))
    moment = dw @ I + np.cross(w, w @ I) + np.cross(c, force)
    got = REFERENCE.load(textbook.free_rigid_body()).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(got, np.hstack([moment, force]), rtol=0, atol=4e-14)


@BOTH
def test_what_falls_freely_accelerates_as_gravity_does(implementation: Implementation) -> None:
    """Without forces and at rest, every point has the acceleration g, in the body's own axes."""
    mechanism = on_free_base(random_mechanism(2, 4, tilted_gravity=True))
    q = sample(mechanism, 5, 14).q
    at_rest = np.zeros((14, mechanism.nv))
    a = implementation.load(mechanism).forward_dynamics(q, at_rest, at_rest)
    expected = np.zeros_like(a)
    expected[:, 3:6] = turned(q[:, 3:7], np.array([float(g) for g in mechanism.gravity]))
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-11)


@BOTH
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "free"])
def test_forward_dynamics_names_the_joint_behind_which_nothing_resists(implementation: Implementation, kind: Any) -> None:
    mechanism = random_mechanism(0, 2)
    loose = Mechanism("loose", (*mechanism.bodies, Body("end", "body2", Joint("wobbly", kind))))
    dynamics, states = implementation.load(loose), sample(loose, 0, 3)
    with pytest.raises(Unsupported, match="joint 'wobbly' moves nothing that has mass or armature"):
        dynamics.forward_dynamics(states.q, states.v, states.a)
    assert np.isfinite(dynamics.inverse_dynamics(states.q, states.v, states.a)).all(), "the other quantities are well defined"
    assert not dynamics.mass_matrix(states.q)[:, -1].any()


def test_massless_body_on_the_way_hinders_nothing() -> None:
    """A body without mass between two with mass is a joint of two degrees of freedom."""
    mass = Inertia(1, (0, 0, "-0.5"), ("0.1", "0.1", "0.1", 0, 0, 0))
    ring = Body("ring", "world", Joint("outer", "revolute", (1, 0, 0)))
    gimbal = Mechanism("gimbal", (ring, Body("bob", "ring", Joint("inner", "revolute", (0, 1, 0)), mass)))
    q, v, a = np.random.default_rng(0).normal(size=(3, 9, 2))
    dynamics = REFERENCE.load(gimbal)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, dynamics.inverse_dynamics(q, v, a)), a, rtol=0, atol=1e-13)


def test_siblings_share_a_parent_and_nothing_else() -> None:
    """The mass matrix couples a joint with its ancestors and descendants only."""
    arm = Inertia(1, ("0.3", "0.1", 0), ("0.1", "0.1", "0.1", 0, 0, 0))
    at = Placement(Rotation(1, 2, 0, 1), (1, 0, 0))
    left, right = (Body(name, "trunk", Joint(name, "revolute", placement=at), arm) for name in ("left", "right"))
    tree = Mechanism("tree", (Body("trunk", "world", Joint("yaw", "revolute"), arm), left, right))
    M = REFERENCE.load(tree).mass_matrix(np.random.default_rng(0).normal(size=(5, 3)))
    assert not M[:, 1, 2].any()
    assert M[:, 0, 1:].all()


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


# Batches


@EVERYTHING_OFFERED
def test_an_answer_for_no_state_has_the_shape_of_an_answer(implementation: Implementation, quantity: str) -> None:
    answer = ask(implementation, MIXED, quantity, states_of(MIXED, 4).pick(np.arange(0)))
    assert answer.shape == (0, *QUANTITIES[quantity].dimensions(MIXED))
    assert answer.dtype == np.float64


@pytest.mark.slow
@pytest.mark.parametrize("quantity", EXPLICIT)
def test_an_answer_does_not_depend_on_the_batch_beyond_rounding(quantity: str) -> None:
    """BLAS sums one column in another order than many; either is within 4 ε-units of the truth, as asserted above."""
    states = states_of(MIXED, 14)
    whole = ask(REFERENCE, MIXED, quantity, states)
    one_by_one = np.concatenate([ask(REFERENCE, MIXED, quantity, state) for state in each_state(states)])
    scale = ErrorScale(MIXED)
    if quantity == "forward_dynamics":
        apart = REFERENCE.load(MIXED).inverse_dynamics(states.q, 0 * states.v, whole - one_by_one)
        size = scale.shared_force(states.q, states.v, whole)
        apart -= REFERENCE.load(MIXED).gravity(states.q)
    else:
        apart, size = whole - one_by_one, scale.size(quantity, *states.arguments(QUANTITIES[quantity].arguments))
    assert in_epsilons(apart, size).max() <= 2 * 4


@pytest.mark.slow
@EVERY_QUANTITY
@pytest.mark.parametrize("block", [1, 4, 7, 14, 15])
def test_blocks_join_to_the_batch(quantity: str, block: int) -> None:
    states, model = states_of(MIXED, 14), build(MIXED, Real(np.longdouble))
    arguments = states.arguments(QUANTITIES[quantity].arguments)
    algorithm = ALGORITHMS[quantity]
    # Without BLAS, which has no extended precision, a state's answer is the same in every batch.
    blocked, at_once = (evaluate_in_blocks(algorithm, model, arguments, size) for size in (block, 1000))
    np.testing.assert_array_equal(blocked, at_once)


@EVERYTHING_OFFERED
def test_inputs_are_left_alone(implementation: Implementation, quantity: str) -> None:
    arguments = states_of(MIXED, 5).arguments(QUANTITIES[quantity].arguments)
    for given in arguments:
        given.flags.writeable = False
    getattr(implementation.load(MIXED), quantity)(*arguments)


@BOTH
def test_rows_may_lie_anywhere_in_memory(implementation: Implementation) -> None:
    states = states_of(MIXED, 6)
    every_other = states_of(MIXED, 12)
    for name in ("q", "v", "a"):
        getattr(every_other, name)[::2] = getattr(states, name)
    dynamics = implementation.load(MIXED)
    expected = dynamics.inverse_dynamics(states.q, states.v, states.a)
    strided = dynamics.inverse_dynamics(every_other.q[::2], every_other.v[::2], every_other.a[::2])
    fortran = dynamics.inverse_dynamics(*(np.asfortranarray(x) for x in (states.q, states.v, states.a)))
    np.testing.assert_array_equal(strided, expected)
    np.testing.assert_array_equal(fortran, expected)


@EVERYTHING_OFFERED
def test_every_quantity_is_offered_in_the_shape_it_should_have(implementation: Implementation, quantity: str) -> None:
    assert isinstance(implementation, Implementation)
    for mechanism in (MIXED, textbook.pendulum(), textbook.free_rigid_body()):
        states = states_of(mechanism, 3)
        answer = ask(implementation, mechanism, quantity, states)
        assert answer.shape == (3, *QUANTITIES[quantity].dimensions(mechanism))
        assert answer.dtype == np.float64


def test_quantities_are_known_by_the_same_names_everywhere() -> None:
    assert [*ALGORITHMS, *INTEGRATION] == list(QUANTITIES)
    assert tuple(INTEGRATION) == GROUPS["integration"]
