"""Mimic joints: read, resolved, refused, written, and seen by everything that loops over joints."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mechanisms import Mechanism, MechanismError, find_mechanism, parse_urdf, random_mechanism, write_urdf
from mechanisms.files.document import from_document, to_document
from mechanisms.mimic import Mimic
from mechanisms.states import difference, integrate, neutral, tree_matrix, tree_position

RANDOM = random_mechanism(5, 10, ("revolute", "prismatic", "helical"), mimics=True)


def robot(*joints: str) -> str:
    """A robot whose joints all hang on the link "base"; each is "name type mimic", with the attributes of <mimic>."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    lines = ['<robot name="r"><link name="base"/>']
    for joint in joints:
        name, type_, mimic = (*joint.split(" ", 2), "")[:3]
        lines.append(f'<link name="{name}-link">{inertial}</link>')
        lines.append(f'<joint name="{name}" type="{type_}"><parent link="base"/><child link="{name}-link"/><axis xyz="0 0 1"/>')
        lines.append(f"<mimic {mimic}/></joint>" if mimic else "</joint>")
    return "".join([*lines, "</robot>"])


def mimics(mechanism: Mechanism) -> dict[str, Mimic | None]:
    return {body.joint.name: body.joint.mimic for body in mechanism.bodies}


def test_a_mimic_joint_shares_the_coordinates_of_its_leader_wherever_that_is() -> None:
    m = parse_urdf(robot('a prismatic joint="c" multiplier="-2" offset="0.5"', "b revolute", "c revolute"))
    assert (m.nq, m.nv, m.leaders, m.coordinates, m.positions) == (2, 2, (2, 1, 2), ("b", "c"), ("b", "c"))
    assert m.q_slices == m.v_slices == (slice(1, 2), slice(0, 1), slice(1, 2))
    assert mimics(m)["a"] == Mimic("c", Fraction(-2), Fraction(1, 2))
    assert m.has_mimics
    assert m.independent.nv == 3
    assert parse_urdf(robot("a revolute")).independent.has_mimics is False
    assert parse_urdf(write_urdf(m), ignore_mimic=True).nv == 3


def test_chains_are_resolved_and_long_ones_take_no_time_and_keep_numbers_short() -> None:
    text = robot(
        'a revolute joint="b" multiplier="2" offset="1"', 'b revolute joint="c" multiplier="3" offset="-0.5"', "c revolute"
    )
    assert mimics(parse_urdf(text)) == {"a": Mimic("c", Fraction(6), Fraction(0)), "b": Mimic("c", 3, "-0.5"), "c": None}
    chain = [f'j{i} revolute joint="j{i + 1}" multiplier="1.0123456789012345" offset="0.1"' for i in range(900)]
    m = parse_urdf(robot(*chain, "j900 revolute"))
    assert m.nv == 1
    assert max(body.joint.mimic.multiplier.denominator.bit_length() for body in m.bodies if body.joint.mimic) < 2100


@pytest.mark.parametrize(
    ("joints", "sentence"),
    [
        (['a revolute joint="b"', 'b revolute joint="a"'], "joints 'a', 'b' mimic each other in a loop"),
        (['a revolute joint="b"', "b fixed"], "joint 'b' is fixed and joint 'a' mimics it; only revolute, prismatic and helical"),
        (['a floating joint="b"', "b revolute"], "joint 'a' is free and mimics joint 'b'; only revolute"),
        (['a revolute joint="b" multiplier="two"', "b revolute"], "multiplier of <mimic> is 'two'; give a decimal number"),
        (['a revolute joint="b" offset="nan"', "b revolute"], "offset of <mimic> is 'nan'; give a decimal number"),
        (['a revolute joint="b" offset="1e300"', "b revolute"], "offset of a mimic of joint 'b' is about 1e300"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_one_sentence(joints: list[str], sentence: str) -> None:
    with pytest.raises(MechanismError) as refusal:
        parse_urdf(robot(*joints), "hand.urdf")
    assert str(refusal.value).startswith("hand.urdf")
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_cosine_and_sine_of_an_angle_cannot_be_followed() -> None:
    m = parse_urdf(robot("a revolute", 'b revolute joint="a"'))
    # One without limits is an angle here, which can be followed. A fixed one stays fixed.
    assert parse_urdf(robot("a continuous", 'b revolute joint="a"', 'c fixed joint="nobody"')).nv == 1
    unbounded = replace(m.bodies[0], joint=replace(m.bodies[0].joint, kind="continuous"))
    with pytest.raises(MechanismError, match="joint 'a' is continuous and joint 'b' mimics it"):
        replace(m, bodies=(unbounded, m.bodies[1]))


def test_urdf_and_documents_keep_mimic_joints_exactly() -> None:
    hostile = parse_urdf(robot('a&quot;]]&gt; revolute joint="b" multiplier="0.1"', "b revolute"))
    for m in (hostile, random_mechanism(5, 6, mimics=True)):
        assert mimics(parse_urdf(write_urdf(m))) == mimics(m)
        assert from_document(to_document(m)) == m
    assert from_document(to_document(RANDOM)) == RANDOM


def test_the_fingerprint_changes_with_the_mimic_joints_alone() -> None:
    m = parse_urdf(robot("a revolute", 'b revolute joint="a" multiplier="2"'))
    other = parse_urdf(robot("a revolute", 'b revolute joint="a" multiplier="3"'))
    assert len({m.fingerprint, other.fingerprint, m.independent.fingerprint}) == 3
    assert m.independent.fingerprint == parse_urdf(robot("a revolute", "b revolute")).fingerprint


def test_armature_and_damping_of_a_mimic_joint_count_with_the_square_of_its_multiplier() -> None:
    m = RANDOM
    G = tree_matrix(m)
    for values in (m.arrays.armature, m.arrays.damping):
        np.testing.assert_allclose(m.arrays.per_coordinate(values), np.diag(G.T @ np.diag(values) @ G), rtol=1e-15)
    assert m.arrays.multipliers is not None
    assert m.arrays.leaders == m.leaders
    assert len(m.arrays.screws) == m.independent.nv
    assert find_mechanism("cart-pole").arrays.multipliers is None


def test_the_states_of_the_tree_follow() -> None:
    m = parse_urdf(robot('a prismatic joint="c" multiplier="-2" offset="0.5"', "b revolute", "c revolute"))
    np.testing.assert_array_equal(tree_position(m, np.array([[3.0, 0.25]])), [[0.0, 3.0, 0.25]])
    np.testing.assert_array_equal(tree_matrix(m), [[0, -2], [1, 0], [0, 1]])
    q = integrate(m, neutral(m)[None], [[0.5, -1]])
    np.testing.assert_array_equal(q, [[0.5, -1]])
    np.testing.assert_array_equal(difference(m, neutral(m)[None], q), [[0.5, -1]])


def test_m_is_singular_only_if_a_coordinate_moves_no_inertia_at_all() -> None:
    text = robot("a revolute", 'b revolute joint="a" multiplier="{}"')
    a_without_mass = text.replace(text[text.index("<inertial>") : text.index("</inertial>") + len("</inertial>")], "", 1)
    assert parse_urdf(a_without_mass.format(2)).subtrees_without_inertia == ()
    assert parse_urdf(a_without_mass.format(0)).subtrees_without_inertia == ("a",)


def test_mechanisms_have_mimic_joints_if_asked_and_the_same_bodies_otherwise(robots: None) -> None:
    for words in ("random:3:8:all,mimic", "free:random:3:8:revolute,mimic"):
        m = find_mechanism(words)
        assert m.has_mimics
        assert find_mechanism(m.name) == m
    assert find_mechanism("random:3:8:mimic").independent.bodies == find_mechanism("random:3:8").bodies
    for name, nv in {"panda": 8, "pr2": 20}.items():
        m = find_mechanism(f"mimic:{name}")
        assert (m.nv, m.name) == (nv, f"mimic:{name}")
        assert find_mechanism(m.name).fingerprint == m.fingerprint
        assert find_mechanism(name).nv == m.independent.nv
    assert find_mechanism("free:mimic:panda").nv == 14
    with pytest.raises(
        MechanismError, match="asks for mimic joints that follow, and for joints that move on their own; ask for one"
    ):
        find_mechanism("independent:mimic:panda")
