import numpy as np
import pytest

from mechanisms import (
    Body,
    Inertia,
    Joint,
    Mechanism,
    MechanismError,
    check_state,
    difference,
    find_mechanism,
    integrate,
    neutral,
)

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


def pose(q):
    """The 4×4 transform of one free joint's position."""
    x, y, z, w = q[3:] / np.linalg.norm(q[3:])
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = np.eye(3) + 2 * w * K + 2 * K @ K, q[:3]
    return T


def expm(A):
    """By scaling, the series, and squaring."""
    A, term, total = A / 2**12, np.eye(4), np.eye(4)
    for k in range(1, 12):
        term = term @ A / k
        total = total + term
    for _ in range(12):
        total = total @ total
    return total


def test_neutral_is_zero_and_the_identity_pose():
    np.testing.assert_array_equal(neutral(MIXED), [0, 0, 0, 0, 0, 0, 0, 1, 0])


def test_single_axes_add():
    q, dv = states(MIXED)
    moved = integrate(MIXED, q, dv)
    np.testing.assert_array_equal(moved[:, [0, 8]], q[:, [0, 8]] + dv[:, [0, 7]])


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e-3, 0.3, 1, 3])
def test_a_free_joint_moves_by_the_exponential_of_its_twist(scale):
    q, dv = states(FREE, scale=scale)
    for before, step, after in zip(q, dv, integrate(FREE, q, dv), strict=True):
        (a, b, c), v = step[:3], step[3:]
        twist = np.zeros((4, 4))
        twist[:3] = np.column_stack([[0, c, -b], [-c, 0, a], [b, -a, 0], v])
        np.testing.assert_allclose(pose(after), pose(before) @ expm(twist), atol=3e-12)


@pytest.mark.parametrize("angle", [1e-8, 1e-4, 0.5, 1 - 1e-9, 1, 1 + 1e-9, 3, 100])
def test_the_series_and_the_formula_agree_to_the_last_digits(angle):
    from mechanisms.motions import _third_order

    mp = pytest.importorskip("mpmath")
    with mp.workdps(60):
        exactly = float((mp.mpf(angle) - mp.sin(mp.mpf(angle))) / mp.mpf(angle) ** 3)
    assert _third_order(np.array([[angle]]))[0, 0] == pytest.approx(exactly, rel=1e-15)


def test_difference_of_batches_that_differ_is_refused():
    with pytest.raises(MechanismError, match=r"^the positions have 1 and 2 rows; give as many of both$"):
        difference(FREE, neutral(FREE)[None], np.tile(neutral(FREE), (2, 1)))


def test_a_planar_joint_moves_as_a_free_joint_in_its_plane():
    planar = Mechanism("planar", (Body("b", "world", Joint("j", "planar"), Inertia(1)),))
    rng = np.random.default_rng(0)
    q, dv = rng.normal(size=(2, 30, 3))
    zero = np.zeros(30)
    pose_before = np.stack([*q[:, :2].T, zero, zero, zero, np.sin(q[:, 2] / 2), np.cos(q[:, 2] / 2)], axis=1)
    twist = np.stack([zero, zero, dv[:, 0], *dv[:, 1:].T, zero], axis=1)
    after = integrate(FREE, pose_before, twist)
    moved = integrate(planar, q, dv)
    np.testing.assert_allclose(moved[:, :2], after[:, :2], atol=1e-14)
    np.testing.assert_allclose(moved[:, 2], q[:, 2] + dv[:, 0], atol=0)


GOOD = np.ones((2, 9)), np.ones((2, 8))


def test_states_become_float_arrays():
    q, v = check_state(MIXED, GOOD[0].astype(int).tolist(), v=GOOD[1])
    assert q.dtype == v.dtype == np.float64


@pytest.mark.parametrize(
    ("q", "v", "message"),
    [
        (np.ones(9), GOOD[1], r"q has shape \(9,\); give \(batch, 9\)"),
        (np.ones((2, 8)), GOOD[1], r"q has shape \(2, 8\); give \(batch, 9\)"),
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
    with pytest.raises(MechanismError, match=f"^{message}"):
        check_state(MIXED, q, v=v)


def test_a_cosine_and_a_sine_of_no_angle_are_refused():
    wheel = Mechanism("wheel", (Body("b", "world", Joint("axle", "continuous"), Inertia(1)),))
    with pytest.raises(MechanismError, match=r"^q of joint 'axle' is no angle's cosine and sine; give two numbers of length 1$"):
        check_state(wheel, [[0.6, 0.7]])


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
