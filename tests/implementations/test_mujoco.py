"""MuJoCo's adapter and its readers: against the reference, against our own reading of files, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from implementations.engines.mujoco.adapter import MuJoCo
from implementations.engines.mujoco.models import model_of, principal
from implementations.protocol import Implementation, Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.joint import MOVING, Kind
from mechanisms.quantities import USUAL

pytestmark = pytest.mark.engines

KINDS = [kind for kind in MOVING if kind != "helical"]

NOT_OFFERED = {
    "jacobians_local",
    "drifts_local",
    "drifts_world",
    "inverse_dynamics_dq",
    "forward_dynamics_dq",
    "forward_dynamics_dv",
    "coriolis_matrix",
    "joint_torque_regressor",
}

VELOCITIES_TURN = ("free", "planar")
"""Joints whose velocity has other axes in MuJoCo, so that its ∂τ/∂v cannot be converted."""


@pytest.fixture
def mj() -> Any:
    return pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def hold(mechanism: Mechanism) -> set[str]:
    return agreeing(MuJoCo().load(mechanism), mechanism)



@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_agrees_alone_and_among_others(mj: Any, kind: Kind) -> None:
    hold(chain(kind))
    offered = hold(chain("revolute", kind, "spherical", kind, "prismatic", seed=1))
    assert offered == set(USUAL) - NOT_OFFERED - ({"inverse_dynamics_dv"} if kind in VELOCITIES_TURN else set())


@pytest.mark.parametrize("seed", range(3))
def test_trees_agree_in_an_order_that_mujoco_does_not_keep(mj: Any, seed: int) -> None:
    tree = random_mechanism(seed, 12, KINDS, free_base=bool(seed % 2), tilted_gravity=True)
    model, bodies = model_of(mj, tree)
    assert bodies != sorted(bodies)
    assert model.nv == tree.nv
    hold(tree)


def test_a_free_joint_in_the_root_s_frame_is_mujoco_s_own(mj: Any) -> None:
    cube = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))
    own = Mechanism("own", (Body("body", "world", Joint("free", "free"), cube),), gravity=(1, 2, -9))
    assert list(model_of(mj, own)[0].jnt_type) == [mj.mjtJoint.mjJNT_FREE]
    hold(own)
    away = Placement(Rotation(1, 0, 0, "0.5"), (1, 2, 3))
    placed = Mechanism("placed", (Body("body", "world", Joint("free", "free", placement=away), cube),), gravity=(1, 2, -9))
    assert list(model_of(mj, placed)[0].jnt_type) == [mj.mjtJoint.mjJNT_SLIDE] * 3 + [mj.mjtJoint.mjJNT_BALL]
    hold(placed)


def test_damping_and_armature_are_mujoco_s_own(mj: Any) -> None:
    kinds: list[Kind] = ["revolute", "prismatic", "continuous"]
    joints = [Joint(kind, kind, armature=1 + k, damping=2 + k) for k, kind in enumerate(kinds)]
    cube = Inertia(1, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    mechanism = Mechanism("damped", tuple(Body(f"on {joint.name}", "world", joint, cube) for joint in joints))
    data, (model, _) = mechanism.arrays, model_of(mj, mechanism)
    assert np.array_equal(model.dof_armature, data.armature)
    assert np.array_equal(model.dof_damping, data.damping)
    hold(mechanism)


def test_answers_depend_on_the_arguments_alone_and_stay(mj: Any) -> None:
    mechanism = chain("spherical", "planar", "prismatic")
    q, v, a = states(mechanism)
    fresh: Any = MuJoCo().load(mechanism)
    first = fresh.inverse_dynamics(q, v, a)
    kept, f = first.copy(), np.ones((len(q), 3, 6))
    fresh.forward_dynamics(q, 2 * v, a)
    fresh.inverse_dynamics_with_forces(q, v, a, f)
    fresh.accelerations_local(q, v, a)
    assert np.array_equal(first, kept)
    assert np.array_equal(fresh.inverse_dynamics(q, v, a), kept)
    assert np.array_equal(fresh.gravity(q), MuJoCo().load(mechanism).gravity(q))


def test_is_an_implementation_that_says_what_it_computes_itself(mj: Any) -> None:
    assert isinstance(MuJoCo(), Implementation)
    assert MuJoCo().version == mj.__version__
    assert all(len(phrase) < 200 for phrase in MuJoCo().workarounds)


def one(inertia: Inertia) -> Mechanism:
    return Mechanism("one", (Body("bob", "world", Joint("pivot", "revolute"), inertia),))


@pytest.mark.parametrize(
    ("mechanism", "says"),
    [
        (chain("revolute", "helical"), "MuJoCo has no helical joint, which joint 'joint1' is"),
        (one(Inertia(1, (0, 0, 1))), "MuJoCo refuses the mechanism: mass and inertia of moving bodies must be larger.*'0 bob'"),
        (one(Inertia(1, (0, 0, 0), (1, 1, "2.000001", 0, 0, 0))), "inertia must satisfy A [+] B >= C"),
    ],
)
def test_what_mujoco_has_not_is_said(mj: Any, mechanism: Mechanism, says: str) -> None:
    with pytest.raises(Unsupported, match=says):
        MuJoCo().load(mechanism)


def test_derivatives_by_velocity_that_turn_with_q_are_unsupported(mj: Any) -> None:
    q, v, _ = states(chain("free"))
    with pytest.raises(Unsupported, match="turn with q"):
        MuJoCo().load(chain("free")).inverse_dynamics_dv(q, v)


def test_a_flat_plate_in_any_direction_is_no_violation(mj: Any) -> None:
    """Its largest moment is the sum of the others, and rounding makes it larger every third time."""
    for x in range(40):
        plate = Inertia(1, (0, 0, 0), ("0.1", "0.3", "0.4", 0, 0, 0)).placed(Placement(Rotation(1, x, 2, "0.5")))
        MuJoCo().load(one(plate))


@pytest.mark.parametrize("scale", [1e-9, 1, 1e9])
def test_principal_axes_lose_less_than_a_rounding(mj: Any, scale: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        points = rng.normal(size=(5, 3))
        inertia = scale * (np.eye(3) * (points**2).sum() - points.T @ points)
        moments, (w, x, y, z) = principal(mj, inertia)
        placed = Inertia(1, (0, 0, 0), (*map(float, moments), 0, 0, 0)).placed(Placement(Rotation(*map(float, (w, x, y, z)))))
        assert abs(np.array(placed.matrix, dtype=float) - inertia).max() < 2 * np.finfo(float).eps * abs(inertia).max()


def test_equal_moments_have_any_axes(mj: Any) -> None:
    nearly = np.eye(3)
    nearly[0, 1] = nearly[1, 0] = 1e-17
    for inertia in (np.eye(3), nearly):
        moments, quaternion = principal(mj, inertia)
        assert np.array_equal(moments, np.ones(3))
        assert quaternion @ quaternion == pytest.approx(1, abs=1e-15)
