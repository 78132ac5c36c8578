"""Reading and writing URDF. The torture set (test_urdf_traits.py) has what else is read and refused."""

from __future__ import annotations

import re
from copy import deepcopy
from xml.etree.ElementTree import Element, fromstring, tostring

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sympy import Symbol

from mechanisms import (
    Mechanism,
    MechanismError,
    Placement,
    Rotation,
    find_mechanism,
    parse_urdf,
    random_mechanism,
    write_urdf,
)
from mechanisms.files.attributes import rpy
from mechanisms.files.urdf.reading import reading_of
from mechanisms.files.urdf.write import TYPES
from mechanisms.joint import MOVING, Kind
from mechanisms.library.extended import framed, on_free_base
from mechanisms.library.textbook import pendulum
from mechanisms.numbers.exact import exact

INERTIAL = '<inertial><mass value="2"/><inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
ARM = f'<link name="base"/><link name="arm">{INERTIAL}</link>'
JOINT = '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint>'


def joint(name="j", type_="revolute", parent="base", child="arm", inside=""):
    return f'<joint name="{name}" type="{type_}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot_text(inside):
    return f'<robot name="r">{inside}</robot>'


def parse(inside, **options):
    return parse_urdf(robot_text(inside), "r.urdf", **options)


def test_numbers_stay_the_decimals_they_are():
    dynamics = '<dynamics damping="0.7" friction="3" armature="0.01"/>'
    m = parse(ARM + joint(inside='<origin xyz="0.1 0.2 0.3" rpy="0.1 -1.2 3"/><axis xyz="0.3 -0.2 0.7"/>' + dynamics))
    (body,) = m.bodies
    assert body.joint.placement == Placement(Rotation.from_rpy(0.1, -1.2, 3.0), ("0.1", "0.2", "0.3"))
    assert parse_urdf(write_urdf(m)).bodies == m.bodies, "what is written is read as the same in every bit"
    assert (body.joint.damping, body.joint.armature) == (exact("0.7"), exact("0.01"))
    assert body.inertia.about_com == tuple(map(exact, ("1", "1", "1", "0.1", "0", "0")))
    assert (m.name, m.root) == ("r", "base")


# Free bases


def test_a_free_base_carries_the_root_link():
    m = parse(ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT, free_base=True)
    assert m.root == "world"
    assert [(b.name, b.joint.name, b.joint.kind) for b in m.bodies] == [("base", "root_joint", "free"), ("arm", "j", "revolute")]
    assert m.bodies[0].inertia == m.bodies[1].inertia
    floating = ARM + joint(type_="floating")
    assert parse(floating, free_base=True) == parse(floating), "it is free already"
    text = (ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT).replace('"base"', '"world"')
    assert parse(text, free_base=True).root == "universe", "a root link called world moves, too"


def test_names_that_a_free_base_would_need_may_be_taken():
    taken = ["world", "universe", "ground beneath base"]
    links = "".join(f'<link name="{name}"/>' + joint(name=name, child=name, type_="fixed") for name in taken)
    m = parse(ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + links + JOINT.replace('"j"', '"root_joint"'), free_base=True)
    assert m.root == "ground beneath base_"
    assert [body.joint.name for body in m.bodies] == ["root_joint_", "root_joint"]
    with pytest.raises(MechanismError, match="joint 'root_joint' has the name that readers give"):
        reading_of(write_urdf(parse(ARM + JOINT.replace('"j"', '"root_joint"'))), free_base=True)


def test_a_free_base_is_left_to_the_reader():
    m = parse_urdf(write_urdf(on_free_base(find_mechanism("planar-pendulum:2"))))
    assert parse_urdf(write_urdf(m, free_base=True), free_base=True).bodies == m.bodies


@pytest.mark.parametrize("mechanism", [pendulum(), framed(on_free_base(pendulum()))])
def test_a_root_that_the_reader_needs_is_not_left_out(mechanism):
    with pytest.raises(MechanismError, match="needs its root; write it without free_base"):
        write_urdf(mechanism, free_base=True)


def test_a_free_base_unbolts_a_robot_from_the_link_called_world():
    bolted = '<link name="world"/>' + joint("bolt", "fixed", "world", "base", '<origin xyz="0 0 1"/>')
    m = parse(bolted + ARM.replace('"base"/>', f'"base">{INERTIAL}</link>') + JOINT, free_base=True)
    assert m.root == "world"
    assert [(b.name, b.joint.name, b.joint.kind) for b in m.bodies] == [("base", "bolt", "free"), ("arm", "j", "revolute")]
    assert m.bodies[0].joint.placement.translation == (0, 0, 1)


def test_a_parent_called_world_need_not_be_a_link():
    text = ARM.replace('<link name="base"/>', "") + joint("bolt", "fixed", "world")
    with pytest.raises(MechanismError, match="no joint that moves"):
        parse(text)
    m = parse(text, free_base=True)
    assert (m.root, m.bodies[0].joint.name, m.bodies[0].joint.kind) == ("world", "bolt", "free")
    assert m.notes == ("joint 'bolt': its parent 'world' is no link of the robot; it is taken for a link without inertia",)
    declared = '<link name="world"/>' + text
    assert (parse(declared, free_base=True), parse(declared, free_base=True).notes) == (m, ())


# Places


BROKEN = ARM.replace('<link name="arm">', '¶<link name="arm">')


@pytest.mark.parametrize(
    ("inside", "said"),
    [
        (BROKEN.replace('ixx="1"', 'ixx="9"') + JOINT, "body 'arm' cannot exist"),
        (ARM + "¶" + joint(inside='<mimic joint="k"/>'), "joint 'j' mimics 'k', which is no joint"),
        (ARM + "¶" + joint(inside='<mimic joint="j"/>'), "joints 'j' mimic each other"),
        (ARM + JOINT + '¶<link name="island"/>', "links 'base', 'island' have no parent"),
        (BROKEN + JOINT + joint("k"), "link 'arm' is the child of joints 'j', 'k'"),
        ("¶" + ARM + joint("k", parent="arm", child="base") + JOINT, "every link is a joint's child"),
        ("<x:link/>¶<link name='a'>", "this is no XML (mismatched tag in column 17)"),
        ("¶<!DOCTYPE robot>", "this is no XML"),
        ("¶<!-- ä --json -->", "this is no XML (-- within a comment in column"),
    ],
)
def test_what_is_wrong_with_the_whole_names_the_line_of_the_part(inside, said):
    with pytest.raises(MechanismError) as error:
        parse(inside.replace("¶", "\n"))
    assert str(error.value).startswith(f"r.urdf, line 2: {said}")


def test_a_prefix_needs_no_namespace():
    begin = '<?xml version="1.0" encoding="utf-16"?>\n<!-- <robot x="a:b"> --><?p >?>\n'
    inside = ARM + JOINT + "<gz:a/><x:b/>\n<y:c y:d='>'/>"
    text = f'{begin}<robot name="r" gz:a="1" xmlns:x="x">{inside}</robot>'
    for one in (text, text.encode("utf-16")):
        m = parse_urdf(one, "r.urdf")
        assert [note.partition(" is ignored")[0] for note in m.notes] == [
            "<robot>: the attribute '{gz}a'",
            "<robot>: the element <{gz}a>",
            "<robot>: the element <{x}b>",
            "<robot>: the element <{y}c>",
        ]
    with pytest.raises(MechanismError, match=r"r\.urdf, line 1: an element of xacro is left; expand the file with xacro first"):
        parse("<xacro:include filename='a'/>")


# Writing


def numbers(m):
    """Every number of a mechanism, rotations as matrices."""
    placements = [b.joint.placement for b in m.bodies] + [f.placement for f in m.frames]
    scalars = [
        [*b.joint.axis, b.joint.armature, b.joint.damping, b.inertia.mass, *b.inertia.com, *b.inertia.about_com] for b in m.bodies
    ]
    matrices = [[*p.translation, *sum(p.rotation.matrix, ())] for p in placements]
    return np.array([x for row in scalars + matrices for x in row] + list(m.gravity), dtype=float)


def names(m):
    bodies = [(b.name, b.parent, b.joint.name, b.joint.kind) for b in m.bodies]
    return m.name, m.root, bodies, [(f.name, f.joint, f.body) for f in m.frames]


def assert_survives(m):
    again = parse_urdf(write_urdf(m))
    assert again.faults.keys() == m.faults.keys()
    assert names(again) == names(m)
    np.testing.assert_allclose(numbers(again), numbers(m), rtol=0, atol=1e-15)
    # Rounded once, it is rounded for good.
    np.testing.assert_array_equal([float(b.inertia.mass) for b in again.bodies], [float(b.inertia.mass) for b in m.bodies])


@pytest.mark.parametrize("spec", ["branched-tree", "puma560", "floating-base-link", "puck", "free:random:2:9"])
def test_writing_and_reading_gives_the_same_mechanism(spec):
    assert_survives(find_mechanism(spec))


SAME: list[Kind] = ["fixed", "free", "planar", "prismatic"]


def test_a_continuous_joint_comes_back_as_the_revolute_joint_that_moves_alike():
    mechanism = random_mechanism(0, 1, ("continuous",))
    (written,), (read,) = mechanism.bodies, parse_urdf(write_urdf(mechanism)).bodies
    assert (read.joint.kind, read.joint.nq, written.joint.nq) == ("revolute", 1, 2)
    np.testing.assert_allclose(np.array(read.joint.axis, float), np.array(written.joint.axis, float), atol=1e-15)


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [(pendulum(mass=Symbol("m")), "mechanism 'pendulum' has symbols")]
    + [
        (random_mechanism(0, 1, (kind,)), f"^joint 'joint1' is {kind}, which URDF cannot say; use revolute, .* joints only$")
        for kind in sorted(set(MOVING) - {"revolute", "continuous", "prismatic", "planar", "free"})
    ],
    ids=lambda x: "" if isinstance(x, str) else x.bodies[0].joint.kind,
)
def test_what_urdf_cannot_say_is_refused_by_name(mechanism, message):
    with pytest.raises(MechanismError, match=message):
        write_urdf(mechanism)


@pytest.mark.slow
@settings(max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 10**9), st.integers(1, 5), st.sets(st.sampled_from(SAME)), st.booleans())
def test_what_is_written_is_read_as_the_same(seed, bodies, kinds, free_base):
    mechanism = random_mechanism(seed, bodies, ("revolute", *sorted(kinds)), free_base, tilted_gravity=True)
    assert_survives(mechanism)


def test_only_a_file_that_says_so_may_hold_impossible_inertias():
    text = robot_text(ARM.replace('ixx="1"', 'ixx="9"') + JOINT)
    with pytest.raises(MechanismError, match="triangle inequality"):
        parse_urdf(text)
    with pytest.raises(MechanismError, match="triangle inequality"):
        parse_urdf(text.replace('name="r"', 'name="r" unphysical="false"'))
    assert parse_urdf(text.replace('name="r"', 'name="r" unphysical="true"')).faults.keys() == {"arm"}
    assert "unphysical" not in write_urdf(pendulum())
    assert list(parse_urdf(text, physical=False).faults) == ["arm"]


@pytest.mark.parametrize("off", [0, 1e-17, 1e-12, 1e-8, 1e-7, 1e-4])
@pytest.mark.parametrize("side", [1, -1])
def test_rotations_survive_next_to_gimbal_lock(off, side):
    rotation = Rotation.from_rpy(0.7, side * (np.pi / 2 - off), -1.1)
    again = Rotation.from_rpy(*rpy(rotation))
    np.testing.assert_allclose(np.array(again.matrix, dtype=float), np.array(rotation.matrix, dtype=float), rtol=0, atol=1e-15)


def test_names_and_gravity_survive():
    text = robot_text(ARM + JOINT + '<gravity xyz="1 0 -1.62"/>').replace('"arm"', '"a&lt;&quot;&amp;>rm"')
    m = parse_urdf(text)
    assert m.bodies[0].name == 'a<"&>rm'
    assert_survives(m)


# Documents that nobody would write: a mechanism or one sentence, and never anything else


THOROUGH = settings(max_examples=80, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

WORDS = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn"]), max_size=3)
NUMBERS = st.one_of(
    st.sampled_from(["0", "-1", "1e-3", "1e300", "-1e300", "1e-300", "1e999", "nan", "inf", "", " ", "0x1", "1_0", "٣", "1/2"]),
    st.floats().map(repr),
    WORDS,
)
VECTORS = st.one_of(st.lists(NUMBERS, min_size=3, max_size=3), st.lists(NUMBERS, max_size=5)).map(" ".join)
NAMES = st.one_of(st.sampled_from(["body0", "body1", "joint1", "world", "root_joint"]), WORDS)
KINDS = st.one_of(st.sampled_from(["revolute", "continuous", "prismatic", "fixed", "planar", "floating", "screw"]), WORDS)

ATTRIBUTES = {"name": NAMES, "link": NAMES, "joint": NAMES, "type": KINDS, "xyz": VECTORS, "rpy": VECTORS}
"""What an attribute of this name holds; any other holds a number."""

CHANGES = ("set", "set", "set", "set", "unset", "remove", "double", "move")


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A document with one to four changes: attributes set or missing, elements removed, doubled or misplaced."""
    robot = fromstring(write_urdf(random_mechanism(draw(st.integers(0, 99)), draw(st.integers(1, 4)), tuple(TYPES))))
    robot.append(Element("gravity", {"xyz": "0 0 -1"}))
    if not draw(st.integers(0, 4)):
        robot.findall("joint")[0].append(Element("mimic", {"joint": "joint0"}))
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        parent = draw(st.sampled_from([element for element in robot.iter() if len(element)] or [robot]))
        element = draw(st.sampled_from(list(parent) or [parent]))
        name = draw(st.sampled_from([*element.keys(), "name", "unphysical"]))
        if change == "set":
            element.set(name, draw(ATTRIBUTES.get(name, NUMBERS)))
        elif change == "unset":
            element.attrib.pop(name, None)
        elif change == "double":
            parent.append(deepcopy(element))
        elif element is not parent:
            parent.remove(element)
            if change == "move":
                draw(st.sampled_from(list(robot.iter()))).append(element)
    return tostring(robot)


def read(document: str | bytes, **options: bool) -> Mechanism | None:
    """The mechanism, or None where the document is refused in one sentence."""
    try:
        return parse_urdf(document, "some.urdf", **options)
    except MechanismError as error:
        assert re.match(r"some\.urdf(, line \d+)?: ", str(error))
        assert "\n" not in str(error)
        return None


@pytest.mark.slow
@THOROUGH
@given(damaged(), st.booleans(), st.booleans(), st.booleans())
def test_damaged_documents_are_read_or_refused(document: bytes, free_base: bool, physical: bool, ignore_mimic: bool) -> None:
    read(document, free_base=free_base, physical=physical, ignore_mimic=ignore_mimic)
