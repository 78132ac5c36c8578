"""Numbers, directions and placements, exactly: both derivations and every adapter take them from here."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import cos, sin

import numpy as np
import pytest
import sympy

from mechanisms import Joint, MechanismError, Rotation
from mechanisms.geometry import Placement, basis, cross, smallest_turn, unit_vector
from mechanisms.numbers.exact import dot, exact, exact_vector


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("0.4318", Fraction(4318, 10000)),
        (" -1.5e-3 ", Fraction(-15, 10000)),
        (Decimal("0.1"), Fraction(1, 10)),
        (0.1, Fraction(*(0.1).as_integer_ratio())),
        (np.float64(0.1), Fraction(*(0.1).as_integer_ratio())),
        (sympy.Rational(1, 3), Fraction(1, 3)),
        # Integers of other libraries become Python's, which do not overflow.
        (np.int32(3), Fraction(3)),
        (sympy.Integer(3), Fraction(3)),
    ],
)
def test_numbers_are_what_they_spell(given, meant):
    assert exact(given) == meant
    assert type(exact(given)) is Fraction


def test_vectors_have_a_length_and_may_hold_symbols():
    m = sympy.Symbol("m")
    assert exact_vector((m, 1, "2"), 3) == (m, 1, 2)
    with pytest.raises(MechanismError, match=r"^axis has 2 components; give 3$"):
        exact_vector((1, 2), 3, "axis")


@pytest.mark.parametrize("direction", [(1, 0, 0), (1, 1, 1), (-0.3, 1e-17, 4.0), (0.1, -0.2, -0.3)])
def test_unit_vectors_have_length_exactly_one_and_the_given_direction(direction):
    u = unit_vector(direction, normalise=True)
    wanted = np.array(direction, dtype=float) / np.linalg.norm(np.array(direction, dtype=float))
    assert dot(u, u) == 1
    np.testing.assert_allclose(np.array(u, dtype=float), wanted, rtol=0, atol=3e-16)
    # A direction of rational length is normalised exactly.
    assert unit_vector(("2", "-3", "6"), normalise=True) == (Fraction(2, 7), Fraction(-3, 7), Fraction(6, 7))


def test_a_printed_unit_vector_is_taken_and_a_longer_one_refused():
    assert dot(*[unit_vector(("0.577350", "0.577350", "0.577350"))] * 2) == 1
    with pytest.raises(MechanismError, match=r"axis of joint 'j' has length 1\.7320508\d*; give a unit vector"):
        unit_vector((1, 1, 1), "axis of joint 'j'")
    with pytest.raises(MechanismError, match=r"^axis is zero; give a direction$"):
        unit_vector((0, 0, 0), normalise=True)


@pytest.mark.parametrize("turns", range(-4, 5))
def test_quarter_turns_are_exact(turns):
    x, y, z = basis()
    assert {abs(entry) for row in Rotation.about(z, turns * np.pi / 2).matrix for entry in row} == {0, 1}
    assert Rotation.about(z, np.pi / 2)(x) == y


def test_rpy_is_roll_then_pitch_then_yaw_about_fixed_axes():
    r, p, w = 0.3, -0.7, 1.9
    Rx = np.array([[1, 0, 0], [0, cos(r), -sin(r)], [0, sin(r), cos(r)]])
    Ry = np.array([[cos(p), 0, sin(p)], [0, 1, 0], [-sin(p), 0, cos(p)]])
    Rz = np.array([[cos(w), -sin(w), 0], [sin(w), cos(w), 0], [0, 0, 1]])
    np.testing.assert_allclose(np.array(Rotation.from_rpy(r, p, w).matrix, dtype=float), Rz @ Ry @ Rx, atol=5e-16)


def test_placements_compose_and_invert_exactly():
    a = Placement(Rotation(1, 2, 3, 4), ("0.1", "0.2", "0.3"))
    b = Placement(Rotation(3, 0, -1, 2), ("-1", "0.5", "7"))
    point = (Fraction(1, 3), Fraction(2), Fraction(-5))
    assert (a @ b)(point) == a(b(point))
    assert a.inverse()(a(point)) == point


def test_rotations_that_are_none_are_refused():
    with pytest.raises(MechanismError, match="quaternion is zero"):
        Rotation(0, 0, 0, 0)
    with pytest.raises(MechanismError, match=r"off by .* give orthonormal rows"):
        Rotation.from_matrix(((1, 0, 0), (0, 1, 0), (0, 0, -1)))


X, Y, Z = basis()


def minus(vector):
    return tuple(-component for component in vector)


def test_the_vector_product_is_right_handed():
    assert (cross(X, Y), cross(Y, Z), cross(Z, X)) == (Z, X, Y)
    assert cross((1, 2, 3), (4, 5, 7)) == (-1, 5, -3)


@pytest.mark.parametrize(
    ("axis", "triad"),
    [
        (Z, (X, Y, Z)),
        # The half turn about x; the one about y would give −x, y, −z.
        (minus(Z), (X, minus(Y), minus(Z))),
        (X, (minus(Z), Y, X)),
        (minus(X), (Z, Y, minus(X))),
        (Y, (X, minus(Z), Y)),
        (minus(Y), (X, Z, minus(Y))),
    ],
)
def test_the_triad_along_every_axis_is_as_documented(axis, triad):
    assert Joint("joint", "planar", axis).triad == triad
    turn = smallest_turn(axis)
    assert tuple(turn(unit) for unit in basis()) == triad
