"""Pinocchio's own joints are held to account."""

from __future__ import annotations

import pytest

from implementations.engines.pinocchio.joint_models import model_of
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.joint import Kind

pytestmark = pytest.mark.engines

OBLIQUE = (0.48, 0.6, 0.64)
CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("pinocchio")


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


def test_universal_joints_that_pinocchio_refuses_are_composed() -> None:
    """Its constructor asserts that the axes are orthogonal."""
    assert _joint(Joint("joint", "universal", OBLIQUE, second_axis=("0.8", 0, "-0.6"))) == "Universal"
    assert _joint(Joint("joint", "universal", OBLIQUE, second_axis=(1, 0, 0))) == "Composite"


def _joint(joint: Joint) -> str:
    pin = pytest.importorskip("pinocchio")
    model = model_of(pin, Mechanism("one", (Body("body", "world", joint, CUBE),)), [0])
    return model.joints[1].shortname().removeprefix("JointModel")
