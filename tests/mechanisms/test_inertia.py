import numpy as np
import pytest
from sympy import Symbol

from mechanisms import Inertia, MechanismError, Placement, Rotation
from mechanisms.inertia import box, cylinder


def of_points(masses, points):
    """The inertia of point masses, by its definition."""
    com = masses @ points / masses.sum()
    r = points - com
    second = np.einsum("p,pi,pj->ij", masses, r, r)
    return masses.sum(), com, np.trace(second) * np.eye(3) - second


def as_floats(inertia):
    return float(inertia.mass), np.array(inertia.com, dtype=float), np.array(inertia.matrix, dtype=float)


def six(m):
    return (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])


def same(a, b):
    for x, y in zip(a, b, strict=True):
        np.testing.assert_allclose(x, y, atol=1e-12)


def clouds():
    rng = np.random.default_rng(5)
    return [(rng.uniform(0.1, 1, 7), rng.normal(size=(7, 3))) for _ in range(2)]


def test_two_bodies_welded_are_the_body_of_all_their_points():
    (m1, p1), (m2, p2) = clouds()
    one, two = (Inertia(m, c, six(i)) for m, c, i in (of_points(m1, p1), of_points(m2, p2)))
    same(as_floats(one + two), of_points(np.concatenate([m1, m2]), np.vstack([p1, p2])))


def test_a_body_moved_or_seen_from_a_point_is_the_body_of_its_points():
    m, p = clouds()[0]
    at = Placement(Rotation(1, -2, 3, 1), ("0.3", "-1", "2"))
    R, t = np.array(at.rotation.matrix, dtype=float), np.array(at.translation, dtype=float)
    mass, com, about = of_points(m, p)
    same(as_floats(Inertia(mass, com, six(about)).placed(at)), of_points(m, p @ R.T + t))
    r = p - [1, 2, 3]
    second = np.einsum("p,pi,pj->ij", m, r, r)
    about_point = np.array(Inertia(mass, com, six(about)).about((1, 2, 3)), dtype=float)
    np.testing.assert_allclose(about_point, np.trace(second) * np.eye(3) - second, atol=1e-12)


@pytest.mark.parametrize(
    ("solid", "inside"),
    [
        (box(2, ("0.4", "0.6", "1")), lambda p: (np.abs(p) <= [0.2, 0.3, 0.5]).all(axis=1)),
        (cylinder(2, "0.5", "0.8", axis=0), lambda p: (np.hypot(p[:, 1], p[:, 2]) <= 0.5) & (abs(p[:, 0]) <= 0.4)),
    ],
)
def test_solids_agree_with_integration(solid, inside):
    line = (np.arange(60) + 0.5) / 60 - 0.5
    grid = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    points = grid[inside(grid)]
    _, _, integral = of_points(np.full(len(points), 2 / len(points)), points)
    np.testing.assert_allclose(as_floats(solid)[2], integral, atol=0.01 * np.trace(integral))
    assert solid.fault is None


@pytest.mark.parametrize(
    ("about_com", "fault"),
    [
        ((1, 1, 2, 0, 0, 0), None),
        ((1, 1, 2.000001, 0, 0, 0), None),
        ((1, 1, 2.1, 0, 0, 0), "triangle inequality"),
        ((1, 1, 1, 2, 0, 0), "not positive semidefinite"),
        ((-1, 1, 1, 0, 0, 0), "not positive semidefinite"),
        ((1e-20, 0, 0, -3e-21, 0, 0), None),
        (("1e40", "1e40", "1e40", 0, 0, 0), None),
    ],
)
def test_faults_are_found_and_rounding_is_not_one(about_com, fault):
    found = Inertia(1, about_com=about_com).fault
    assert found is None if fault is None else fault in found


def test_mass_is_judged():
    assert Inertia.massless().fault is None
    assert Inertia.massless().is_massless
    assert "no mass" in Inertia(0, about_com=(1, 1, 1, 0, 0, 0)).fault
    with pytest.raises(MechanismError, match=r"^mass is -1 kg; give a positive mass"):
        Inertia("-1")
    with pytest.raises(MechanismError, match=r"^mass is nan; give a finite number$"):
        Inertia(float("nan"))


def test_bodies_without_mass_are_moved_and_welded_with_their_rotational_inertia():
    wheel = Inertia(0, about_com=(1, 2, 3, 0, 0, 0))
    assert (wheel + wheel).about_com == (2, 4, 6, 0, 0, 0)
    assert (wheel + Inertia.massless()) == wheel
    rotor = Inertia(0, about_com=(1, 2, 3, 4, 5, 6))
    # A quarter turn about z takes x to y and y to −x: I' = R I Rᵀ by hand.
    moved = rotor.placed(Placement(Rotation(1, 0, 0, 1), (7, 8, 9)))
    assert (moved.mass, moved.about_com) == (0, (2, 1, 3, -4, -6, 5))


def test_symbols_are_carried_through_welding():
    m = Symbol("m")
    whole = Inertia(m, (1, 0, 0)) + Inertia(m, (-1, 0, 0))
    assert whole.mass == 2 * m
    assert whole.fault is None
    assert [entry.subs(m, 3) if hasattr(entry, "subs") else entry for entry in whole.about_com[:3]] == [0, 6, 6]
