"""The shape of a mechanism in a pose."""

from __future__ import annotations

import math

import pytest

from cross_check.exchange.pose import skeleton_of
from mechanisms import Body, Inertia, Joint, Mechanism, find_mechanism
from mechanisms.geometry import Placement, Rotation

QUARTER = Rotation.about((0, 0, 1), math.pi / 2)

ARM = Mechanism(
    "arm",
    (
        Body("upper", "world", Joint("shoulder", "revolute", (0, 0, 1)), Inertia(1, (0.5, 0, 0))),
        Body("slider", "upper", Joint("slide", "prismatic", (1, 0, 0), Placement(QUARTER, (1, 0, 0))), Inertia(1, (0.1, 0, 0))),
        Body("ball", "slider", Joint("ball", "spherical")),
    ),
)


def test_points_and_axes_are_along_the_roots_axes() -> None:
    upper, slider, ball = skeleton_of(ARM, [math.pi / 2, 2.0, 0.0, 0.0, 0.0, 1.0])
    assert (upper.body, upper.joint, upper.kind, upper.parent) == ("upper", "shoulder", "revolute", -1)
    assert upper.center == pytest.approx((0, 0.5, 0), abs=1e-12)
    assert slider.start == pytest.approx((0, 1, 0), abs=1e-12), "the joint is fixed to the upper arm"
    assert slider.axis == pytest.approx((-1, 0, 0), abs=1e-12)
    assert slider.origin == pytest.approx((-2, 1, 0), abs=1e-12), "the body has moved along the joint"
    assert slider.center == pytest.approx((-2.1, 1, 0), abs=1e-12)
    assert ball.axis == () and ball.center == ball.origin


@pytest.mark.parametrize("name", ["every-joint", "swarm"])
def test_position_zero_is_the_default(name: str) -> None:
    mechanism = find_mechanism(name)
    skeleton = skeleton_of(mechanism)
    assert [bone.parent for bone in skeleton] == list(mechanism.parents)
    assert [bone.start for bone in skeleton] == [bone.origin for bone in skeleton]
