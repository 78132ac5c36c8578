"""Conventions of rotations and states, by hand and for any numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms import (
    Body,
    Inertia,
    Joint,
    Mechanism,
    MechanismError,
    Rotation,
    check_state,
    difference,
    find_mechanism,
    integrate,
    neutral,
    random_mechanism,
)
from mechanisms.geometry import basis, cross, unit_vector
from mechanisms.joint import MOVING, Kind
from mechanisms.motions import _third_order
from mechanisms.numbers.exact import Vector, dot
from oracle.by_balls.integration import integrate as exponential

MIXED = Mechanism(
    "mixed",
    (
        Body("a", "world", Joint("turn", "revolute"), Inertia(1)),
        Body("b", "a", Joint("float", "free"), Inertia(1)),
        Body("c", "b", Joint("slide", "prismatic"), Inertia(1)),
    ),
)
FREE = find_mechanism("free-rigid-body")


def states(mechanism, batch=50, scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(batch, mechanism.nq)), scale * rng.normal(size=(batch, mechanism.nv))


def test_neutral_is_zero_and_the_identity_pose_and_single_axes_add():
    np.testing.assert_array_equal(neutral(MIXED), [0, 0, 0, 0, 0, 0, 0, 1, 0])
    q, dv = states(MIXED)
    np.testing.assert_array_equal(integrate(MIXED, q, dv)[:, [0, 8]], q[:, [0, 8]] + dv[:, [0, 7]])


@pytest.mark.parametrize("angle", [1e-8, 0.5, 1 - 1e-9, 1 + 1e-9, 100])
def test_the_series_and_the_formula_agree_to_the_last_digits(angle):
    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        exactly = float((mp.mpf(angle) - mp.sin(mp.mpf(angle))) / mp.mpf(angle) ** 3)
    assert _third_order(np.array([[angle]]))[0, 0] == pytest.approx(exactly, rel=1e-15)


GOOD = np.ones((2, 9)), np.ones((2, 8))


@pytest.mark.parametrize(
    ("q", "v", "message"),
    [
        (np.ones(9), GOOD[1], r"q has shape \(9,\); give \(batch, 9\)"),
        (GOOD[0], np.ones((2, 9)), r"v has shape \(2, 9\); give \(batch, 8\)"),
        (GOOD[0], np.ones((3, 8)), "v has 3 rows and q has 2; give one row for each state"),
        (GOOD[0], [[1] * 7 + [np.nan], [1] * 8], "v holds NaN or infinity in row 0; give finite numbers"),
        (GOOD[0] * [[1], [np.inf]], GOOD[1], "q holds NaN or infinity in row 1; give finite numbers"),
        ("abc", GOOD[1], r"q is no array of numbers; give floats of shape \(batch, 9\)"),
        ([[1, 2], [3]], GOOD[1], "q is no array of numbers"),
        (np.zeros((2, 9)), GOOD[1], r"free joint 'float' has a zero quaternion in q; give any other, as neutral\(\) does"),
    ],
)
def test_bad_states_are_refused_in_one_sentence(q, v, message):
    assert [x.dtype for x in check_state(MIXED, GOOD[0].astype(int).tolist(), v=GOOD[1])] == [np.float64] * 2
    with pytest.raises(MechanismError, match=f"^{message}"):
        check_state(MIXED, q, v=v)


def test_what_is_no_position_is_refused():
    wheel = Mechanism("wheel", (Body("b", "world", Joint("axle", "continuous"), Inertia(1)),))
    with pytest.raises(MechanismError, match=r"^q of joint 'axle' is no angle's cosine and sine; give two numbers of length 1$"):
        check_state(wheel, [[0.6, 0.7]])
    with pytest.raises(MechanismError, match=r"^the positions have 1 and 2 rows; give as many of both$"):
        difference(FREE, neutral(FREE)[None], np.tile(neutral(FREE), (2, 1)))


def test_the_difference_of_two_orientations_is_the_shorter_turn():
    """By hand: a quarter turn back is not three quarters forward, whatever the sign of the quaternion."""
    half = np.sqrt(0.5)
    start, goal = neutral(FREE)[None], neutral(FREE)[None].copy()
    for sign in (1, -1):
        goal[:, 3:] = sign * np.array([0, 0, -half, half])
        np.testing.assert_allclose(difference(FREE, start, goal), [[0, 0, -np.pi / 2, 0, 0, 0]], rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "q", "to"),
    [("planar", [0, 0, 3], [0, 0, -3]), ("continuous", [np.cos(3), np.sin(3)], [np.cos(3), -np.sin(3)])],
)
def test_the_difference_of_two_angles_in_the_plane_is_the_shorter_turn(kind, q, to):
    """By hand: from 3 rad to −3 rad it is 2π − 6 forward."""
    puck = Mechanism("puck", (Body("a", "world", Joint("slide", kind), Inertia(1)),))
    assert np.abs(difference(puck, [q], [to])).max() == pytest.approx(2 * np.pi - 6, rel=1e-14)


# Any numbers


THOROUGH = settings(max_examples=20, derandomize=True)

FRACTIONS = st.one_of(
    st.fractions(-1000, 1000, max_denominator=1000), st.floats(-1000, 1000, width=32, allow_subnormal=False).map(Fraction)
)
VECTORS = st.tuples(FRACTIONS, FRACTIONS, FRACTIONS)
ROTATIONS = st.tuples(FRACTIONS, FRACTIONS, FRACTIONS, FRACTIONS).filter(any).map(lambda quaternion: Rotation(*quaternion))


def quaternion_product(a: tuple[Fraction, ...], b: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    """Hamilton's product of (w, x, y, z), from i² = j² = k² = ijk = −1: (s, u)(t, v) = (st − u·v, sv + tu + u × v)."""
    (s, *u), (t, *v) = a, b
    w = cross(tuple(u), tuple(v))
    return (s * t - dot(tuple(u), tuple(v)), *(s * y + t * x + z for x, y, z in zip(u, v, w, strict=True)))


@THOROUGH
@given(ROTATIONS)
def test_matrices_are_orthonormal_and_right_handed_exactly(rotation: Rotation) -> None:
    R = rotation.matrix
    columns = tuple(zip(*R, strict=True))
    assert tuple(tuple(dot(a, b) for b in R) for a in R) == basis()
    assert cross(columns[0], columns[1]) == columns[2]
    assert Rotation.from_matrix(R).matrix == R


@THOROUGH
@given(ROTATIONS, VECTORS)
def test_a_rotation_maps_a_vector_as_its_quaternion_does(rotation: Rotation, vector: Vector) -> None:
    """p ↦ q p q⁻¹, the quaternion (w, x, y, z) of any length."""
    q = rotation.quaternion
    w, x, y, z = q
    turned = quaternion_product(quaternion_product(q, (Fraction(0), *vector)), (w, -x, -y, -z))
    size = sum(part * part for part in q)
    assert rotation(vector) == tuple(part / size for part in turned[1:])


@THOROUGH
@given(ROTATIONS, ROTATIONS, VECTORS)
def test_products_and_inverses_act_one_after_the_other(a: Rotation, b: Rotation, vector: Vector) -> None:
    assert (a @ b)(vector) == a(b(vector))
    assert (a @ b).quaternion == quaternion_product(a.quaternion, b.quaternion)
    assert a.inverse()(a(vector)) == vector


@THOROUGH
@given(VECTORS.filter(any), st.floats(-10, 10))
def test_a_turn_about_an_axis_keeps_the_axis_and_has_its_angle(direction: Vector, angle: float) -> None:
    axis = unit_vector(direction, normalise=True)
    rotation = Rotation.about(axis, angle)
    assert rotation(axis) == axis
    trace = float(sum(rotation.matrix[k][k] for k in range(3)))
    np.testing.assert_allclose(trace, 1 + 2 * np.cos(angle), atol=2e-15)
    # The right-hand rule: Σ (eₖ × R eₖ) = 2 sin(angle) axis.
    turned = np.sum([np.array(cross(e, rotation(e)), float) for e in basis()], axis=0)
    np.testing.assert_allclose(turned, 2 * np.sin(angle) * np.array(axis, float), atol=4e-15)


def alone(kind: Kind) -> Mechanism:
    return Mechanism(kind, (Body("body", "world", random_mechanism(1, 1, (kind,)).bodies[0].joint, Inertia(1)),))


STATES = st.integers(0, 2**32 - 1).map(np.random.default_rng)


@pytest.mark.parametrize("kind", MOVING)
def test_a_joint_moves_by_the_exponential_of_its_twist(kind: Kind) -> None:
    """By its definition, which the oracle computes over balls."""
    mechanism, rng = alone(kind), np.random.default_rng(0)
    for size in (1e-300, 1e-3, 1, 3):
        dv = size * rng.normal(size=(3, mechanism.nv))
        q = integrate(mechanism, np.tile(neutral(mechanism), (3, 1)), rng.normal(size=(3, mechanism.nv)))
        rows = ([[arb(x) for x in row] for row in given.tolist()] for given in (q, dv))
        expected = [exponential(mechanism.bodies[0].joint, *row) for row in zip(*rows, strict=True)]
        np.testing.assert_allclose(integrate(mechanism, q, dv), np.array(expected, float), rtol=0, atol=2e-15 * max(1, size))


@THOROUGH
@given(st.sampled_from(MOVING), STATES, st.sampled_from([1e-12, 1e-6, 1e-3, 1, 1.7]))
def test_difference_undoes_integrate(kind: Kind, rng: np.random.Generator, size: float) -> None:
    """For turns below π: a velocity of three components up to 1.7 turns by less than 1.7 √3 < π."""
    mechanism = alone(kind)
    start = integrate(mechanism, np.tile(neutral(mechanism), (5, 1)), rng.uniform(-3, 3, (5, mechanism.nv)))
    step = rng.uniform(-size, size, (5, mechanism.nv))
    moved = integrate(mechanism, start, step)
    check_state(mechanism, moved)
    np.testing.assert_allclose(difference(mechanism, start, moved), step, rtol=0, atol=2e-14)


@THOROUGH
@given(STATES)
def test_a_free_joints_quaternion_is_x_y_z_w_and_turns_the_body_into_the_parent(rng: np.random.Generator) -> None:
    """A velocity (0, 0, 0, v) in the body's frame moves the origin by R v in the parent's frame."""
    mechanism = Mechanism("free", (Body("body", "world", Joint("joint", "free"), Inertia(1)),))
    origin, (x, y, z, w), v = rng.normal(size=3), rng.normal(size=4), rng.normal(size=3)
    moved = integrate(mechanism, [[*origin, x, y, z, w]], [[0, 0, 0, *v]])[0]
    R = np.array(Rotation(w, x, y, z).matrix, float)
    np.testing.assert_allclose(moved[:3], origin + R @ v, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(moved[3:], [x, y, z, w])
