"""DART's adapter against closed forms and the reference: every joint, every quantity, every difference of conventions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, calls_of, chain, states

from cross_check.findings.finding import Prediction
from cross_check.findings.known import findings_of
from implementations.engines.dart.adapter import DART
from implementations.protocol import Implementation, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import QUANTITIES, USUAL

pytestmark = pytest.mark.engines

CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))

NOT_OFFERED = {
    "centroidal_momentum_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
    "forward_dynamics_dq",
    "forward_dynamics_dv",
    "coriolis_matrix",
    "joint_torque_regressor",
}


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("dartpy", reason="DART has no wheel for this platform")


def hold(mechanism: Mechanism) -> set[str]:
    return agreeing(DART().load(mechanism), mechanism)



def hinge(kind: Kind = "revolute", axis: Any = (0, 0, 1), **extra: Any) -> Mechanism:
    return Mechanism("one", (Body("body", "world", Joint("joint", kind, axis, **extra), CUBE),))


def test_is_an_implementation_with_name_version_and_workarounds() -> None:
    assert isinstance(DART(), Implementation)
    assert DART().name == "dart"
    assert DART().version[0].isdigit()
    assert any("armature" in phrase for phrase in DART().workarounds)


def test_a_damped_pendulum_in_closed_form() -> None:
    """Forward dynamics takes the damping of this instant, not that of the end of a time step."""
    m, length, I, damping, armature = 1.5, 0.7, 0.2, 3.0, 0.4
    bob = Inertia(m, (0, 0, -length), (I, I, I, 0, 0, 0))
    joint = Joint("pivot", "revolute", (1, 0, 0), damping=damping)
    dynamics = DART().load(Mechanism("pendulum", (Body("bob", "world", joint, bob),)))
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M, g = I + m * length**2, m * 9.81 * length * np.sin(q)
    close: Any = {"rtol": 1e-14, "atol": 0}
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v), g + damping * v, **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), M * a + g + damping * v, **close)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, M * a + g + damping * v), a, rtol=1e-13)
    np.testing.assert_allclose(dynamics.potential_energy(q), -m * 9.81 * length * np.cos(q[:, 0]), **close)
    rotor = Joint("pivot", "revolute", (1, 0, 0), armature=armature)
    dynamics = DART().load(Mechanism("pendulum", (Body("bob", "world", rotor, bob),)))
    np.testing.assert_allclose(dynamics.mass_matrix(q), np.full((2, 1, 1), M + armature), **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), (M + armature) * a + g, **close)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), (M + armature) * v[:, 0] ** 2 / 2, **close)


def test_what_armature_changes_and_dart_does_not_have_is_unsupported() -> None:
    dynamics = DART().load(hinge(armature="0.1"))
    one = np.zeros((1, 1))
    for ask in (lambda: dynamics.forward_dynamics(one, one, one), lambda: dynamics.forward_dynamics_dtau(one)):
        with pytest.raises(Unsupported, match="DART has no armature, joint 'joint' has one"):
            ask()


@pytest.mark.slow
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_alone_and_behind_its_like(kind: Kind) -> None:
    hold(chain(kind, seed=2))
    assert hold(chain(kind, kind, seed=1, armature=False)) == set(USUAL) - NOT_OFFERED


@pytest.mark.slow
@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_trees_of_every_joint(seed: int, free_base: bool) -> None:
    hold(random_mechanism(seed, 14, MOVING, free_base, tilted_gravity=True))


@pytest.mark.parametrize(
    ("kind", "types"),
    [
        ("continuous", ["RevoluteJoint"]),
        ("helical", ["ScrewJoint"]),
        ("cylindrical", ["RevoluteJoint", "PrismaticJoint"]),
        ("universal", ["UniversalJoint"]),
        ("translation", ["TranslationalJoint"]),
        ("euler-xyz", ["EulerJoint"]),
        ("euler-zxy", ["EulerJoint"]),
        ("euler-yxz", ["RevoluteJoint"] * 3),
        ("euler-zyx", ["RevoluteJoint"] * 3),
        ("spherical", ["BallJoint"]),
        ("planar", ["PlanarJoint"]),
        ("free", ["FreeJoint"]),
    ],
)
def test_darts_own_joints_are_held_to_account(kind: Kind, types: list[str]) -> None:
    extra = {"pitch": "0.1"} if kind == "helical" else {}
    skeleton = calls_of(DART().load(hinge(kind, (0.48, 0.6, 0.64), **extra)))._skeleton
    assert [joint.getType() for joint in skeleton.getJoints()] == types


def test_answers_do_not_depend_on_earlier_calls() -> None:
    mechanism = random_mechanism(4, 6, MOVING, True, armature=False)
    q, v, a = states(mechanism)
    forces = np.random.default_rng(1).normal(size=(len(q), len(mechanism.bodies), 6))
    dynamics = DART().load(mechanism)
    before = dynamics.inverse_dynamics(q, v, a), dynamics.gravity(q), dynamics.forward_dynamics(q, v, a)
    pushed = dynamics.inverse_dynamics_with_forces(q, v, a, forces)
    dynamics.accelerations_world(q, 2 * v, 3 * a)
    dynamics.mass_matrix(q[::-1])
    after = dynamics.inverse_dynamics(q, v, a), dynamics.gravity(q), dynamics.forward_dynamics(q, v, a)
    assert all(np.array_equal(x, y) for x, y in zip(before, after, strict=True))
    assert abs(pushed - before[0]).max() > 0.1


AXIS = np.array([0.48, 0.6, 0.64])


def turned(angle: float, sign: int) -> Any:
    """The position of a ball joint, by the quaternion of this sign."""
    return sign * np.array([[*(np.sin(angle / 2) * AXIS), np.cos(angle / 2)]])


@pytest.mark.parametrize("angle", [0, 1e-300, 1e-170, 1e-12, 1e-9, 1e-6, 2e-3, 1.0, 3.0, np.pi - 1e-9, np.pi])
@pytest.mark.parametrize("sign", [1, -1])
def test_every_orientation_by_either_quaternion(angle: float, sign: int) -> None:
    ball, q = hinge("spherical"), turned(angle, sign)
    expected = REFERENCE.load(ball).placements(q)
    np.testing.assert_allclose(DART().load(ball).placements(q), expected, rtol=0, atol=2e-15)


@pytest.mark.parametrize("kind", ["spherical", "free"])
def test_small_turns_are_still_wrong_and_the_finding_undoes_it(kind: Kind) -> None:
    """Once they are right, the finding's versions must not include that release."""
    ball, q = hinge(kind), turned(0.9e-3, 1)
    q = q if kind == "spherical" else np.hstack([np.array([[1.0, 2.0, 3.0]]), q])
    expected, dynamics = REFERENCE.load(ball).placements(q), DART().load(ball)
    assert abs(dynamics.placements(q) - expected).max() == pytest.approx(0.64 * 0.9e-3**3 / 6, rel=1e-3)
    given = q.copy()
    repaired = Prediction(findings_of("dart", DART().version), ball).without(dynamics).placements(q)
    np.testing.assert_allclose(repaired, expected, rtol=0, atol=2e-15)
    assert np.array_equal(q, given)


@pytest.mark.parametrize("kind", ["revolute", "helical", "universal", "planar"])
def test_many_turns_about_a_skew_axis_keep_their_digits(kind: Kind) -> None:
    extra = {"pitch": "0.1"} if kind == "helical" else {"second_axis": (0.6, 0, 0.8)} if kind == "universal" else {}
    skew = hinge(kind, (1 / math.sqrt(3),) * 3 if kind != "universal" else (0, 1, 0), **extra)
    q, dynamics, reference = np.full((1, skew.nq), 1000.7), DART().load(skew), REFERENCE.load(skew)
    for name in ("placements", "jacobians_local"):
        expected = getattr(reference, name)(q)
        np.testing.assert_allclose(getattr(dynamics, name)(q), expected, rtol=1e-15, atol=2e-15, err_msg=name)


def test_a_universal_joint_keeps_its_digits_about_axes_that_rounding_would_shorten() -> None:
    """(8, 4, −1)/9, turned to z in float64, is 1 − 2⁻⁵³ long; DART's Jacobian would be wrong by 10⁻¹³."""
    first, second = (tuple(Fraction(x, n) for x in axis) for n, axis in ((43, (42, 6, 7)), (9, (8, 4, -1))))
    skew = hinge("universal", first, second_axis=second)
    q, dynamics = np.array([[0.3, 1000.7], [1000.7, -5000.1]]), DART().load(skew)
    for name in ("jacobians_local", "jacobians_aligned", "center_of_mass_jacobian"):
        expected = getattr(REFERENCE.load(skew), name)(q)
        np.testing.assert_allclose(getattr(dynamics, name)(q), expected, rtol=0, atol=2e-15, err_msg=name)


def test_a_free_joint_behind_others_in_a_rotated_frame() -> None:
    """DART's velocity of a free joint lies along the axes of the parent body, ours along those of the body itself."""
    place = Placement(Rotation(1, "0.2", "-0.3", "0.4"), ("0.5", "0.1", "-0.2"))
    bodies = (
        Body("arm", "world", Joint("hinge", "revolute", (0, 1, 0), place), CUBE),
        Body("drone", "arm", Joint("flight", "free", placement=place), CUBE),
    )
    hold(Mechanism("thrown", bodies))


def test_empty_batches_and_bodies_without_mass() -> None:
    gimbal = Mechanism(
        "gimbal",
        (Body("ring", "world", Joint("outer", "revolute", (1, 0, 0))), Body("rotor", "ring", Joint("inner", "revolute"), CUBE)),
    )
    dynamics = DART().load(gimbal)
    q, v, a = states(gimbal)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, dynamics.inverse_dynamics(q, v, a)), a, rtol=1e-11)
    none = np.empty((0, 2))
    assert dynamics.inverse_dynamics(none, none, none).shape == (0, 2)
    with pytest.raises(Unsupported, match="no centre of mass"):
        DART().load(Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute")),))).center_of_mass(np.zeros((1, 1)))


def test_external_forces_act_on_the_question_that_gives_them_and_on_no_other() -> None:
    mechanism = chain("revolute", "prismatic", armature=False)
    q, v, a = states(mechanism)
    state = {"q": q, "v": v, "a": a, "tau": a, "f": np.full((len(q), len(mechanism.bodies), 6), 10.0)}
    used = DART().load(mechanism)
    for name in USUAL:
        arguments = [state[x] for x in QUANTITIES[name].arguments]
        try:
            expected = getattr(DART().load(mechanism), name)(*arguments)
        except (AttributeError, Unsupported):
            continue
        used.inverse_dynamics_with_forces(*(state[x] for x in "qvaf"))
        np.testing.assert_array_equal(getattr(used, name)(*arguments), expected, err_msg=name)


@pytest.mark.engines
def test_small_screws_still_slide_and_the_finding_undoes_it() -> None:
    """Once they do not, the finding's versions must not include that release."""
    mechanism = Mechanism(
        "screws",
        (
            Body(
                "nut",
                "world",
                Joint("first", "helical", axis=(0, 0.6, 0.8), pitch="0.002"),
                Inertia(2, (0, 0, 0), (1, 1, 1, 0, 0, 0)),
            ),
            Body(
                "ring",
                "nut",
                Joint("second", "helical", axis=(1, 0, 0), pitch="0.001"),
                Inertia(3, (0, 0, 0), (1, 1, 1, 0, 0, 0)),
            ),
        ),
    )
    q = np.array([[9e-7, 0.0], [0.0, -8e-7], [5e-7, 9e-7], [1.1e-6, 0.3]])
    engine, right = DART().load(mechanism), REFERENCE.load(mechanism)
    repaired = Prediction(findings_of("dart", DART().version), mechanism).without(engine)
    for name in ("placements", "center_of_mass", "potential_energy"):
        answers = (np.asarray(getattr(loaded, name)(q)) for loaded in (engine, right, repaired))
        got, expected, mended = (x[..., 3] if name == "placements" else x for x in answers)
        wrong = abs(got - expected)[:3].max()
        assert wrong > 1e-21, name
        assert abs(mended - expected)[:3].max() < 1e-3 * wrong, name
        assert (mended[3] == got[3]).all(), name
