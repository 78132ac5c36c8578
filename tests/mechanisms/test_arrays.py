"""A mechanism as float64 arrays."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sympy import Symbol

from mechanisms import Body, Constraint, Inertia, Joint, Mechanism, MechanismError, find_mechanism
from mechanisms.library.textbook import pendulum


def test_arrays_hold_what_the_bodies_hold() -> None:
    m = find_mechanism("branched-tree")
    arrays = m.arrays
    assert arrays is m.arrays
    assert (arrays.parents, arrays.kinds) == (m.parents, ("revolute", "revolute", "prismatic", "revolute", "revolute"))
    n = len(m.bodies)
    shapes = {"axes": (n, 3), "rotations": (n, 3, 3), "translations": (n, 3), "masses": (n,), "coms": (n, 3)}
    shapes |= {"inertias": (n, 3, 3), "armature": (n,), "damping": (n,), "gravity": (3,)}
    for name, shape in shapes.items():
        array = getattr(arrays, name)
        assert (array.shape, array.dtype) == (shape, np.float64), name
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    for i, body in enumerate(m.bodies):
        x = (Fraction(1, 3), Fraction(-2), Fraction(5))
        placed = arrays.rotations[i] @ np.array(x, dtype=float) + arrays.translations[i]
        np.testing.assert_allclose(placed, np.array(body.joint.placement(x), dtype=float), atol=1e-14)
        np.testing.assert_array_equal(arrays.axes[i], np.array(body.joint.axis, dtype=float))
        np.testing.assert_array_equal(arrays.inertias[i], np.array(body.inertia.matrix, dtype=float))
        assert (arrays.armature[i], arrays.damping[i]) == (float(body.joint.armature), float(body.joint.damping))
        assert (arrays.masses[i], *arrays.coms[i]) == (float(body.inertia.mass), *map(float, body.inertia.com))
    assert list(arrays.gravity) == [0, 0, -9.81]


def test_arrays_hold_the_frames_of_constraints() -> None:
    m = find_mechanism("bricard")
    (weld,) = m.constraints
    assert [m.bodies[k].name for k in (*m.arrays.firsts, *m.arrays.seconds)] == [weld.first, weld.second]
    for frame, placement in (("first", weld.first_placement), ("second", weld.second_placement)):
        R, p = (getattr(m.arrays, f"{frame}_{what}") for what in ("rotations", "translations"))
        np.testing.assert_array_equal(R, [np.array(placement.rotation.matrix, float)])
        np.testing.assert_array_equal(p, [np.array(placement.translation, float)])
    ground = Constraint("ground", "bar1", "world")
    assert replace(m, constraints=(ground,)).arrays.seconds == (-1,)
    assert m.tree.arrays.firsts == () and m.tree.arrays.first_rotations is None


Z = (0, 0, 1)
UNIT = np.eye(6)


@pytest.mark.parametrize(
    ("joint", "twists"),
    [
        (Joint("j", "revolute", (1, 0, 0)), UNIT[:1]),
        (Joint("j", "continuous", Z), UNIT[2:3]),
        (Joint("j", "prismatic", (0, 1, 0)), UNIT[4:5]),
        (Joint("j", "helical", Z, pitch="0.25"), [[0, 0, 1, 0, 0, 0.25]]),
        (Joint("j", "cylindrical", (0, 1, 0)), UNIT[[1, 4]]),
        (Joint("j", "universal", Z, second_axis=("0.6", "0.8", 0)), [[0, 0, 1, 0, 0, 0], [0.6, 0.8, 0, 0, 0, 0]]),
        (Joint("j", "translation", Z), UNIT[3:]),
        (Joint("j", "euler-xyz", Z), UNIT[:3]),
        (Joint("j", "euler-yxz", Z), UNIT[[1, 0, 2]]),
        (Joint("j", "euler-zxy", Z), UNIT[[2, 0, 1]]),
        (Joint("j", "euler-zyx", Z), UNIT[[2, 1, 0]]),
        (Joint("j", "spherical"), UNIT[:3]),
        (Joint("j", "planar", Z), UNIT[[2, 3, 4]]),
        (Joint("j", "planar", (0, 0, -1)), [[0, 0, -1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, -1, 0]]),
        (Joint("j", "free"), UNIT),
    ],
    ids=lambda value: value.kind if isinstance(value, Joint) else "",
)
def test_screws_are_twists_with_the_turn_first(joint, twists):
    mechanism = Mechanism("one", (Body("body", "world", joint, Inertia(1, about_com=(1, 1, 1, 0, 0, 0))),))
    np.testing.assert_array_equal(mechanism.arrays.screws, twists)


def test_symbols_have_no_arrays() -> None:
    with pytest.raises(MechanismError, match="symbols"):
        _ = pendulum(mass=Symbol("m")).arrays
