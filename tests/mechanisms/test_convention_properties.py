"""Conventions of rotations and states, for any numbers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms import Body, Inertia, Joint, Mechanism, Rotation, check_state, difference, integrate, neutral, random_mechanism
from mechanisms.geometry import basis, cross, unit_vector
from mechanisms.joint import MOVING, Kind
from mechanisms.numbers import Vector, dot

THOROUGH = settings(max_examples=50, derandomize=True)

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
