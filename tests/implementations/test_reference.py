"""The reference in floating point: against the oracle, against Newton and Euler, and on batches."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_joint import states

from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from implementations.algorithms import evaluate_in_blocks
from implementations.classical.newton_euler import NEWTON_EULER
from implementations.field import Rational, Real
from implementations.protocol import Implementation, Unsupported
from implementations.recorded.traced import PRECISE, TRACED
from implementations.spatial_algebra.external_forces import generalised_forces
from implementations.spatial_algebra.model import build
from implementations.spatial_algebra.reference import ALGORITHMS, REFERENCE
from mechanisms import TEXTBOOK, Body, Inertia, Joint, Mechanism, Placement, Rotation, find_mechanism, random_mechanism
from mechanisms.joint import MOVING
from mechanisms.library import textbook
from mechanisms.quantities import PARAMETERS, QUANTITIES, USUAL

BOTH = pytest.mark.parametrize("implementation", [REFERENCE, TRACED], ids=lambda implementation: implementation.name)
EXPLICIT = ["forward_dynamics", *(name for name in USUAL if QUANTITIES[name].has_value)]
"""The quantities that have a true value, and forward dynamics, which has to satisfy an equation."""
MIXED = random_mechanism(3, 5, ("revolute", "prismatic", "free"))


def states_of(mechanism: Mechanism, count: int) -> States:
    drawn = sample(mechanism, 1, count)
    return drawn.with_forces(REFERENCE.load(mechanism).inverse_dynamics(drawn.q, drawn.v, drawn.a))


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("precise", [False, True], ids=["float64", "double-double"])
@pytest.mark.parametrize("name", TEXTBOOK)
def test_within_rounding_of_the_oracle(name: str, precise: bool) -> None:
    """Float64 rounds what is summed a few times over, and never more than this.

    The reference in double-double serves as truth where the oracle cannot go. Circles have no exact length.
    """
    mechanism = find_mechanism(name)
    truth, scale, drawn = Truth(mechanism), ErrorScale(mechanism), states_of(mechanism, 21)
    assert truth.name == ("jets" if name in ("every-joint", "swarm") else "symbolic")
    bound = 4.0 if not precise else 1 / 128 if any(mechanism.slots("circle")) else 2.0**-40
    dynamics = (PRECISE if precise else REFERENCE).load(mechanism)
    for quantity in EXPLICIT:
        arguments = drawn.arguments(QUANTITIES[quantity].arguments)
        got = getattr(dynamics, quantity)(*arguments)
        if quantity != "forward_dynamics":
            missed, size = got - truth.values(quantity, *arguments), scale.size(quantity, *arguments)
        elif precise:
            continue
        else:
            # q̈ itself is as uncertain as M is ill-conditioned; what it misses of τ is not.
            q, v, tau = arguments
            missed, size = truth.values("inverse_dynamics", q, v, got) - tau, scale.shared_force(q, v, got)
        assert in_epsilons(missed, size).max() <= bound, quantity


def test_free_body_obeys_newton_and_euler_about_its_centre_of_mass() -> None:
    """Force: R m (c̈ − g); moment about the centre of mass: I ω̇ + ω × I ω, whatever length the quaternion has."""
    m, c, about = 2.5, np.array([0.02, -0.03, 0.05]), (0.031, 0.042, 0.027, -0.004, 0.003, 0.005)
    xx, yy, zz, xy, xz, yz = about
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    rng = np.random.default_rng(1)
    q, v, a = rng.normal(size=(21, 7)), rng.normal(size=(21, 6)), rng.normal(size=(21, 6))
    turns = [np.array(Rotation(w, x, y, z).matrix, dtype=float) for x, y, z, w in q[:, 3:]]
    q[:, 3:] *= np.repeat([1, 1e-3, 700], 7)[:, None]
    w, u, dw, du = v[:, :3], v[:, 3:], a[:, :3], a[:, 3:]
    # In the body's axes, the acceleration of the point c: the spatial one is u̇, the origin's own is u̇ + ω × u.
    acceleration = du + np.cross(w, u) + np.cross(dw, c) + np.cross(w, np.cross(w, c))
    force = m * (acceleration - [R.T @ [0, 0, -9.81] for R in turns])
    moment = dw @ I + np.cross(w, w @ I) + np.cross(c, force)
    got = REFERENCE.load(textbook.free_rigid_body()).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(got, np.hstack([moment, force]), rtol=0, atol=4e-14)


@pytest.mark.parametrize("implementation", [REFERENCE, TRACED, NEWTON_EULER], ids=lambda implementation: implementation.name)
def test_what_needs_a_regular_mass_matrix_names_the_joint_behind_which_nothing_resists(implementation: Implementation) -> None:
    bodies = random_mechanism(0, 2).bodies
    loose = Mechanism("loose", (*bodies, Body("end", "body2", Joint("wobbly", "universal"))))
    dynamics, drawn = implementation.load(loose), sample(loose, 0, 3).with_forces(np.zeros((3, loose.nv)))
    asked = [name for name in QUANTITIES if QUANTITIES[name].needs_regular_mass_matrix and hasattr(dynamics, name)]
    assert asked[0] == "forward_dynamics" and len(asked) == (1 if implementation is NEWTON_EULER else 4)
    for name in asked:
        with pytest.raises(Unsupported, match="joint 'wobbly' moves nothing that has mass or armature"):
            getattr(dynamics, name)(*drawn.arguments(QUANTITIES[name].arguments))
    assert not dynamics.mass_matrix(drawn.q)[:, -2:].any(), "the other quantities are well defined"


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
    asked = {"mass_matrix": (q,), "inverse_dynamics_dq": (q, v, a), "inverse_dynamics_dv": (q, v), "coriolis_matrix": (q, v)}
    for name, arguments in asked.items():
        assert not getattr(dynamics, name)(*arguments)[:, ~carries].any(), name


@pytest.mark.parametrize("quantity", ["center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix"])
def test_what_has_no_mass_has_no_centre_of_mass(quantity: str) -> None:
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute", armature=1)),))
    dynamics, state = REFERENCE.load(rotor), np.zeros((2, 1))
    with pytest.raises(Unsupported, match="no centre of mass"):
        getattr(dynamics, quantity)(*[state] * len(QUANTITIES[quantity].arguments))
    assert dynamics.velocities_local(state, state + 1)[0].tolist() == [[0, 0, 1, 0, 0, 0]], "the rest is well defined"


def test_generalised_forces_are_felt_by_the_joints_that_carry_the_body() -> None:
    """By hand: two rods of length 2 along x, hinged about z; 5 N along y at the second tip, 3 N at the first, and a bystander."""
    rod, beside = Inertia(1, (1, 0, 0), (0, 1, 1, 0, 0, 0)), Placement(translation=(2, 0, 0))
    first, other = (Body(name, "world", Joint(name, "revolute"), rod) for name in ("first", "other"))
    second = Body("second", "first", Joint("second", "revolute", placement=beside), rod)
    model = build(Mechanism("rods", (first, second, other)), Rational())
    pushes = np.array([[0, 0, 2 * push, 0, push, 0] for push in (3, 5, 0)], dtype=object)[..., None]
    felt = generalised_forces(model, np.array([[Fraction(0)]] * 3), pushes)
    assert felt[:, 0].tolist() == [2 * 3 + 4 * 5, 2 * 5, 0]


def test_components_of_the_regressor_are_named_after_bodies_and_parameters() -> None:
    mechanism, regressor = find_mechanism("cart-pole"), QUANTITIES["joint_torque_regressor"]
    assert regressor.dimensions(mechanism) == (2, 20)
    second = mechanism.bodies[1].name
    assert regressor.component(mechanism, (1, 17)) == f"{mechanism.coordinates[1]}, {second}.{PARAMETERS[7]}"
    assert PARAMETERS[7] == "Ixy"


# Batches


@BOTH
@pytest.mark.parametrize("quantity", USUAL)
def test_every_quantity_has_its_shape_and_leaves_inputs_alone(implementation: Implementation, quantity: str) -> None:
    for mechanism in (MIXED, textbook.pendulum(), textbook.free_rigid_body()):
        for count in (3, 0):
            arguments = states_of(mechanism, 3).pick(np.arange(count)).arguments(QUANTITIES[quantity].arguments)
            for given in arguments:
                given.flags.writeable = False
            answer = getattr(implementation.load(mechanism), quantity)(*arguments)
            assert answer.shape == (count, *QUANTITIES[quantity].dimensions(mechanism))
            assert answer.dtype == np.float64


@pytest.mark.slow
@pytest.mark.parametrize("quantity", USUAL)
def test_blocks_join_to_the_batch(quantity: str) -> None:
    model, arguments = build(MIXED, Real(np.longdouble)), states_of(MIXED, 14).arguments(QUANTITIES[quantity].arguments)
    # Without BLAS, which has no extended precision, a state's answer is the same in every batch.
    at_once, *blocked = (evaluate_in_blocks(ALGORITHMS[quantity], model, arguments, size) for size in (1000, 1, 4, 14))
    for one in blocked:
        np.testing.assert_array_equal(one, at_once)


def test_rows_may_lie_anywhere_in_memory() -> None:
    drawn, every_other, dynamics = states_of(MIXED, 6), states_of(MIXED, 12), REFERENCE.load(MIXED)
    given = [drawn.q, drawn.v, drawn.a]
    expected: Any = dynamics.inverse_dynamics(*given)
    for wide, x in zip((every_other.q, every_other.v, every_other.a), given, strict=True):
        wide[::2] = x
    np.testing.assert_array_equal(dynamics.inverse_dynamics(every_other.q[::2], every_other.v[::2], every_other.a[::2]), expected)
    np.testing.assert_array_equal(dynamics.inverse_dynamics(*map(np.asfortranarray, given)), expected)
