"""MuJoCo's adapter and its readers: against the reference, against our own reading of files, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from implementations.engines.mujoco.adapter import MuJoCo
from implementations.engines.mujoco.models import model_of, principal
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation

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


def one(inertia: Inertia) -> Mechanism:
    return Mechanism("one", (Body("bob", "world", Joint("pivot", "revolute"), inertia),))


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
