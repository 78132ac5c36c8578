"""Pinocchio's adapter against closed forms, against the reference, and against laws that any dynamics obeys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_joint import chain, hold, states

from cross_check.findings.finding import Prediction
from cross_check.findings.known import findings_of
from implementations.engines.pinocchio.adapter import Pinocchio
from implementations.engines.pinocchio.joint_models import model_of
from implementations.protocol import Implementation
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING, Kind

pytestmark = pytest.mark.engines

OBLIQUE = (0.48, 0.6, 0.64)
CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("pinocchio")


def branched(armature: float = 0.0, damping: float = 0.0) -> Mechanism:
    """A free base and a fixed one, branches listed breadth first, every kind of joint, aligned axes and others."""
    place = Placement(Rotation(1, "0.2", "-0.3", "0.4"), ("0.5", "0.1", "-0.2"))
    kinds: Any = [
        ("base", "world", "free", (0, 0, 1)),
        ("pillar", "world", "revolute", (0, -1, 0)),
        ("left", "base", "revolute", (1, 0, 0)),
        ("right", "base", "prismatic", OBLIQUE),
        ("top", "pillar", "prismatic", (0, 1, 0)),
        ("hand", "left", "revolute", (0, 1, 0)),
        ("tool", "right", "revolute", (0, 0, 1)),
    ]
    extra: Any = {"armature": armature, "damping": damping}
    return Mechanism(
        "branched",
        tuple(
            Body(name, parent, Joint(f"to {name}", kind, axis, place, **(extra if kind != "free" else {})), CUBE)
            for name, parent, kind, axis in kinds
        ),
        gravity=(1, 2, -9),
    )


def test_is_an_implementation_with_name_and_version() -> None:
    assert isinstance(Pinocchio(), Implementation)
    assert Pinocchio().name == "pinocchio"
    assert Pinocchio().version[0].isdigit()


def test_pendulum_closed_form() -> None:
    m, length, I, damping, armature = 1.5, 0.7, 0.2, 0.3, 0.4
    bob = Inertia(m, (0, 0, -length), (I, I, I, 0, 0, 0))
    pendulum = Mechanism(
        "pendulum", (Body("bob", "world", Joint("pivot", "revolute", (1, 0, 0), armature=armature, damping=damping), bob),)
    )
    dynamics = Pinocchio().load(pendulum)
    q, v, a = np.array([[0.4], [-2.0]]), np.array([[1.5], [0.5]]), np.array([[2.0], [-3.0]])
    M = I + m * length**2 + armature
    g = m * 9.81 * length * np.sin(q)
    close: Any = {"rtol": 1e-14, "atol": 0}
    np.testing.assert_allclose(dynamics.mass_matrix(q), np.full((2, 1, 1), M), **close)
    np.testing.assert_allclose(dynamics.gravity(q), g, **close)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, v), g + damping * v, **close)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), M * a + g + damping * v, **close)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, M * a + g + damping * v), a, rtol=1e-13)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), M * v[:, 0] ** 2 / 2, **close)
    np.testing.assert_allclose(dynamics.potential_energy(q), -m * 9.81 * length * np.cos(q[:, 0]), **close)


def test_free_body_obeys_euler_and_newton_in_its_own_frame() -> None:
    """Angular first: τ = [I α + ω × I ω; m (a + ω × v)] about the body's centre of mass, gravity aside."""
    I = np.array([[0.3, 0.02, 0.03], [0.02, 0.4, -0.01], [0.03, -0.01, 0.5]])
    body = Inertia(2, (0, 0, 0), CUBE.about_com)
    drifting = Mechanism("drifting", (Body("body", "world", Joint("free", "free"), body),), gravity=(0, 0, 0))
    q, v, a = states(drifting, 1)
    w, u, alpha, linear = v[0, :3], v[0, 3:], a[0, :3], a[0, 3:]
    expected = np.concatenate([I @ alpha + np.cross(w, I @ w), 2 * (linear + np.cross(w, u))])
    np.testing.assert_allclose(Pinocchio().load(drifting).inverse_dynamics(q, v, a)[0], expected, rtol=1e-13)


def test_laws_hold_on_branches_listed_breadth_first() -> None:
    """Pinocchio's crba leaves entries out unless joints come depth first; the adapter must put them so."""
    mechanism = branched(armature=0.3, damping=0.2)
    dynamics = Pinocchio().load(mechanism)
    q, v, a = states(mechanism)
    M, h = dynamics.mass_matrix(q), dynamics.nonlinear_effects(q, v)
    tau = dynamics.inverse_dynamics(q, v, a)
    np.testing.assert_array_equal(M, M.swapaxes(1, 2))
    np.testing.assert_allclose(np.einsum("bij,bj->bi", M, a) + h, tau, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, tau), a, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(dynamics.nonlinear_effects(q, 0 * v), dynamics.gravity(q), rtol=1e-13)


def test_coordinates_keep_our_order() -> None:
    """Power: the gradient of V along each joint of one degree of freedom is g's entry of the same index."""
    mechanism = branched()
    dynamics = Pinocchio().load(mechanism)
    q, _, _ = states(mechanism, 1)
    for body, at, to in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.nv == 1:
            step = np.zeros_like(q)
            step[0, at] = 1e-5
            slope = (dynamics.potential_energy(q + step) - dynamics.potential_energy(q - step)) / 2e-5
            np.testing.assert_allclose(dynamics.gravity(q)[0, to], slope, rtol=1e-7, atol=1e-7)


def test_kinetic_energy_is_half_v_M_v() -> None:
    mechanism = branched()
    dynamics = Pinocchio().load(mechanism)
    q, v, _ = states(mechanism)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), np.einsum("bi,bij,bj->b", v, dynamics.mass_matrix(q), v) / 2)


@pytest.mark.parametrize("kind", ["revolute", "continuous", "prismatic", "helical"])
@pytest.mark.parametrize("axis", [(0, 1, 0), OBLIQUE], ids=["y", "oblique"])
def test_kinetic_energy_counts_armature_but_for_known_faults(kind: Kind, axis: tuple[float, ...]) -> None:
    joint = Joint("joint", kind, axis, armature=10, pitch="0.1" if kind == "helical" else 0)
    one = Mechanism("one", (Body("body", "world", joint, CUBE),))
    dynamics: Any = Prediction(findings_of("pinocchio", Pinocchio().version), one).without(Pinocchio().load(one))
    q, v, _ = states(one)
    np.testing.assert_allclose(dynamics.kinetic_energy(q, v), v[:, 0] ** 2 * dynamics.mass_matrix(q)[:, 0, 0] / 2)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", MOVING)
def test_every_joint_agrees_with_the_reference_alone_and_beside_every_other(kind: Kind) -> None:
    for seed in range(4):
        alone = chain(kind, seed=seed)
        hold(Pinocchio().load(alone), alone, "kinetic_energy")
    for other in MOVING:
        for mechanism in (chain(kind, other, armature=False), chain(other, kind, armature=False, seed=1)):
            hold(Pinocchio().load(mechanism), mechanism)


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_trees_of_every_joint_agree_with_the_reference(seed: int, free_base: bool) -> None:
    tree = random_mechanism(seed, 12, MOVING, free_base, tilted_gravity=True)
    hold(Pinocchio().load(tree), tree, "kinetic_energy")
    tree = random_mechanism(seed, 12, MOVING, free_base, tilted_gravity=True, armature=False)
    hold(Pinocchio().load(tree), tree)


@pytest.mark.parametrize(
    ("kind", "upright", "oblique"),
    [
        ("revolute", "RZ", "RevoluteUnaligned"),
        ("continuous", "RUBZ", "RevoluteUnboundedUnaligned"),
        ("prismatic", "PZ", "PrismaticUnaligned"),
        ("helical", "HZ", "HelicalUnaligned"),
        ("cylindrical", "Composite", "Composite"),
        ("universal", "Universal", "Universal"),
        ("translation", "Translation", "Translation"),
        ("euler-xyz", "Composite", "Composite"),
        ("euler-yxz", "Composite", "Composite"),
        ("euler-zxy", "Composite", "Composite"),
        ("euler-zyx", "SphericalZYX", "SphericalZYX"),
        ("spherical", "Spherical", "Spherical"),
        ("planar", "Planar", "Planar"),
        ("free", "FreeFlyer", "FreeFlyer"),
    ],
)
def test_pinocchio_s_own_joints_are_held_to_account(kind: Kind, upright: str, oblique: str) -> None:
    for axis, expected in (((0, 0, 1), upright), (OBLIQUE, oblique)):
        assert _joint(Joint("joint", kind, axis, pitch="0.1" if kind == "helical" else 0)) == expected


@pytest.mark.parametrize("axis", [(0, 0, 1), (0, -1, 0), OBLIQUE])
def test_universal_joints_with_orthogonal_axes_agree_with_the_reference(axis: tuple[float, ...]) -> None:
    moving = chain("free", "universal", "revolute", armature=False)
    base, middle, tip = moving.bodies
    middle = Body("body1", "body0", Joint("joint1", "universal", axis, middle.joint.placement), middle.inertia)
    mechanism = Mechanism("universal", (base, middle, tip))
    hold(Pinocchio().load(mechanism), mechanism)


def test_universal_joints_that_pinocchio_refuses_are_composed() -> None:
    """Its constructor asserts that the axes are orthogonal."""
    assert _joint(Joint("joint", "universal", OBLIQUE, second_axis=("0.8", 0, "-0.6"))) == "Universal"
    assert _joint(Joint("joint", "universal", OBLIQUE, second_axis=(1, 0, 0))) == "Composite"


def _joint(joint: Joint) -> str:
    pin = pytest.importorskip("pinocchio")
    model = model_of(pin, Mechanism("one", (Body("body", "world", joint, CUBE),)), [0])
    return model.joints[1].shortname().removeprefix("JointModel")


def test_massless_bodies_and_empty_batches() -> None:
    gimbal = Mechanism(
        "gimbal",
        (Body("ring", "world", Joint("outer", "revolute", (1, 0, 0))), Body("rotor", "ring", Joint("inner", "revolute"), CUBE)),
    )
    dynamics = Pinocchio().load(gimbal)
    q, v, a = states(gimbal)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, dynamics.inverse_dynamics(q, v, a)), a, rtol=1e-11)
    none = np.empty((0, 2))
    assert dynamics.inverse_dynamics(none, none, none).shape == (0, 2)
    assert dynamics.mass_matrix(none).shape == (0, 2, 2)


def test_a_point_mass_with_dust_for_moments_is_taken_as_it_is() -> None:
    """As iCub's hip has it, whose inertia about its centre of mass is the rounding of a file's six digits."""
    dust = Inertia("0.526", (0, 0, "0.03045"), (-(2.0**-64), -(2.0**-64), 0, 0, 0, 0))
    hip = Mechanism("hip", (Body("hip", "world", Joint("joint", "revolute", (1, 0, 0)), dust),))
    q = np.array([[0.4]])
    np.testing.assert_allclose(Pinocchio().load(hip).mass_matrix(q)[0, 0, 0], 0.526 * 0.03045**2, rtol=1e-12)
