"""DART's adapter against closed forms and the reference: every joint, every quantity, every difference of conventions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_joint import calls_of

from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from implementations.engines.dart.adapter import DART
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.joint import Kind

pytestmark = pytest.mark.engines

CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("dartpy", reason="DART has no wheel for this platform")


def hinge(kind: Kind = "revolute", axis: Any = (0, 0, 1), **extra: Any) -> Mechanism:
    return Mechanism("one", (Body("body", "world", Joint("joint", kind, axis, **extra), CUBE),))


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


AXIS = np.array([0.48, 0.6, 0.64])


def turned(angle: float, sign: int) -> Any:
    """The position of a ball joint, by the quaternion of this sign."""
    return sign * np.array([[*(np.sin(angle / 2) * AXIS), np.cos(angle / 2)]])


@pytest.mark.parametrize("angle", [0, 1e-300, 1e-9, 1e-6, 2e-3, 1.0, np.pi - 1e-9, np.pi])
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


SHORT, LONG = (tuple(Fraction(x, n) for x in axis) for n, axis in ((43, (42, 6, 7)), (9, (8, 4, -1))))
EQUAL = (1 / math.sqrt(3),) * 3


@pytest.mark.parametrize(
    "skew",
    [
        hinge("revolute", EQUAL),
        hinge("helical", EQUAL, pitch="0.1"),
        hinge("planar", EQUAL),
        hinge("universal", (0, 1, 0), second_axis=(0.6, 0, 0.8)),
        hinge("universal", SHORT, second_axis=LONG),
    ],
    ids=["revolute", "helical", "planar", "universal", "universal about axes that rounding would shorten"],
)
def test_many_turns_about_a_skew_axis_keep_their_digits(skew: Mechanism) -> None:
    """(8, 4, −1)/9, turned to z in float64, is 1 − 2⁻⁵³ long; DART's Jacobian would be wrong by 10⁻¹³."""
    q, dynamics, reference = np.full((1, skew.nq), 1000.7), DART().load(skew), REFERENCE.load(skew)
    for name in ("placements", "jacobians_local", "jacobians_aligned", "center_of_mass_jacobian"):
        expected = getattr(reference, name)(q)
        np.testing.assert_allclose(getattr(dynamics, name)(q), expected, rtol=1e-15, atol=2e-15, err_msg=name)


def test_small_screws_still_slide_and_the_finding_undoes_it() -> None:
    """Once they do not, the finding's versions must not include that release."""
    ball = Inertia(2, (0, 0, 0), (1, 1, 1, 0, 0, 0))
    nut = Body("nut", "world", Joint("first", "helical", axis=(0, 0.6, 0.8), pitch="0.002"), ball)
    mechanism = Mechanism("screws", (nut, Body("ring", "nut", Joint("second", "helical", axis=(1, 0, 0), pitch="0.001"), ball)))
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
