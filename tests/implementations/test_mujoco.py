"""What is particular to MuJoCo's adapter."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from closed_trees import closed, differences
from every_joint import chain, states

from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from implementations.engines.mujoco.adapter import MuJoCo
from implementations.engines.mujoco.models import model_of, principal
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import POINT, WELD, Body, Frame, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism
from mechanisms.quantities import QUANTITIES

pytestmark = pytest.mark.engines


@pytest.fixture
def mj() -> Any:
    return pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


def test_a_free_joint_in_the_root_s_frame_is_mujoco_s_own(mj: Any) -> None:
    cube = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))
    own = Mechanism("own", (Body("body", "world", Joint("free", "free"), cube),), gravity=(1, 2, -9))
    assert list(model_of(mj, own)[0].jnt_type) == [mj.mjtJoint.mjJNT_FREE]
    away = Placement(Rotation(1, 0, 0, "0.5"), (1, 2, 3))
    placed = Mechanism("placed", (Body("body", "world", Joint("free", "free", placement=away), cube),), gravity=(1, 2, -9))
    assert list(model_of(mj, placed)[0].jnt_type) == [mj.mjtJoint.mjJNT_SLIDE] * 3 + [mj.mjtJoint.mjJNT_BALL]


def test_a_flat_plate_in_any_direction_is_no_violation(mj: Any) -> None:
    """Its largest moment is the sum of the others, and rounding makes it larger every third time."""
    for x in range(40):
        plate = Inertia(1, (0, 0, 0), ("0.1", "0.3", "0.4", 0, 0, 0)).placed(Placement(Rotation(1, x, 2, "0.5")))
        MuJoCo().load(Mechanism("one", (Body("bob", "world", Joint("pivot", "revolute"), plate),)))


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


@pytest.mark.parametrize("turn", [1e-6, 3e-6])
def test_mujoco_takes_nearly_the_same_frame_for_the_body_s_and_the_finding_undoes_it(mj: Any, turn: float) -> None:
    """Once it does not, the finding's versions must not include that release."""
    place = Placement(Rotation(1, turn / 4, 0, -turn / 2), (Fraction(1, 2_000_000), 0, Fraction(-1, 3_000_000)))
    far = replace(place, translation=(Fraction(1), Fraction(-1), Fraction(2)))
    arm = chain("revolute", "free")
    mechanism = replace(arm, frames=(Frame("root", "a", -1, place), Frame("near", "b", 1, place), Frame("far", "c", 1, far)))
    dynamics, (q, v, a), reference = MuJoCo().load(mechanism), states(arm), REFERENCE.load(mechanism)
    (finding,) = (finding for finding in findings_of("mujoco", MuJoCo().version) if "same-frame" in finding.name)
    repaired = Prediction([finding], mechanism).without(dynamics)
    names = ("frame_placements", "frame_velocities_local", "frame_velocities_aligned", "frame_jacobians_aligned")
    for name in (*names, "frame_classical_accelerations"):
        given = (q, v, a)[: len(QUANTITIES[name].arguments)]
        expected = getattr(reference, name)(*given)
        off, mended = (abs(getattr(x, name)(*given) - expected).max() for x in (dynamics, repaired))
        assert mended < 1e-12 * max(1, abs(expected).max())
        if turn < 2e-6:
            assert off > 1e-8, name
        else:
            assert off == mended


# Constraints: J is all that is exact there


def tree(seed: int) -> Mechanism:
    """Branches, so that MuJoCo has the joints in another order."""
    kinds: Any = ("revolute", "prismatic", "universal", "euler-zyx")
    return random_mechanism(seed, 9, kinds, tilted_gravity=True)


@pytest.mark.parametrize("seed", range(2))
def test_the_jacobian_agrees(mj: Any, seed: int) -> None:
    loops = ("body9", "body2", POINT), ("world", "body8", ("vx", "vz")), ("body7", "world", POINT)
    mechanism, state = closed(tree(seed), *loops, seed=seed)
    found = differences(MuJoCo().load(mechanism), mechanism, state)
    assert set(found) == {"constraint_jacobian"}
    assert found["constraint_jacobian"] < 1e-13


def test_what_it_cannot_do_has_a_reason(mj: Any) -> None:
    welded, state = closed(tree(0), ("body9", "world", WELD))
    with pytest.raises(Unsupported, match="angular constraints, as in 'loop0', in other units"):
        MuJoCo().load(welded)
    apart, state = closed(tree(0), ("body9", "world", ("vx", "vz")), apart=0.1)
    with pytest.raises(Unsupported, match="those of 'loop0' come apart"):
        MuJoCo().load(apart).constraint_jacobian(state["q"])
    tied, state = closed(tree(0), ("body9", "world", POINT))
    with pytest.raises(Unsupported, match="soft"):
        MuJoCo().load(tied).constrained_acceleration(state["q"], state["v"], state["tau"])


def test_trees_have_no_equalities(mj: Any) -> None:
    """Constraints are given to the model only where they are declared: all other quantities are those of the tree."""
    mechanism, state = closed(tree(1), ("body9", "world", POINT))
    with_loops: Any = MuJoCo().load(mechanism.tree)
    alone: Any = MuJoCo().load(tree(1))
    np.testing.assert_array_equal(with_loops.mass_matrix(state["q"]), alone.mass_matrix(state["q"]))
