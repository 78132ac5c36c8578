"""Pairs of files that are one robot in other words, and pairs that differ in what was planted, each with its lines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest
from click.testing import CliRunner

from cross_check.read.same.compare import same
from cross_check.read.same.motion import Motion, torques
from dalembert.cli.main import main
from mechanisms import (
    Constraint,
    Inertia,
    Mechanism,
    Placement,
    Rotation,
    find_mechanism,
    parse_mjcf,
    parse_urdf,
    random_mechanism,
    read_mjcf,
    read_sdf,
    read_urdf,
    write_urdf,
)

FOLDER = Path(__file__).parent
URDF, MJCF, SDF = (FOLDER / f"arm.{end}" for end in ("urdf", "xml", "sdf"))
TEXT = URDF.read_text("utf-8")
GRIPPER = """<mujoco><compiler angle="radian"/><worldbody><body name="palm"><joint name="lift" type="slide"/><geom size="0.1"/>
<body name="left" pos="0 0.1 0"><joint name="left" axis="1 0 0"/><geom size="0.02" pos="0 0 0.05"/></body>
<body name="right" pos="0 -0.1 0"><joint name="right" axis="1 0 0"/><geom size="0.03" pos="0 0 0.05"/></body></body></worldbody>
<equality><joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/>
<connect name="loop" body1="left" body2="palm" anchor="0 0 0.1"/></equality></mujoco>"""


@pytest.fixture(scope="module")
def arm() -> Mechanism:
    return read_urdf(URDF)


def edited(*edits: str) -> Mechanism:
    """The arm's file with each "OLD -> NEW" once, at the first place."""
    text = TEXT
    for old, new in (edit.split(" -> ") for edit in edits):
        assert old in text
        text = text.replace(old, new, 1)
    return parse_urdf(text)


def reframed(mechanism: Mechanism, seed: int = 0, read: Callable[[str], Mechanism] = parse_urdf) -> Mechanism:
    """The same mechanism with every body's frame elsewhere on its joint's axis, and turned; read from a file."""
    rng = Random(seed)
    places = {mechanism.root: Placement()}
    bodies = []
    for body in mechanism.bodies:
        turn = Rotation(*(Fraction(rng.randint(-9, 9), 10) + Fraction(1, 100) for _ in range(4)))
        along = Fraction(rng.randint(-50, 50), 100)
        places[body.name] = place = Placement(turn, tuple(along * x for x in body.joint.axis))
        placement = places[body.parent].inverse() @ body.joint.placement @ place
        joint = replace(body.joint, placement=placement, axis=turn.inverse()(body.joint.axis))
        bodies.append(replace(body, joint=joint, inertia=body.inertia.placed(place.inverse())))
    return read(write_urdf(replace(mechanism, bodies=tuple(bodies), frames=(), written=())))


def reordered() -> Mechanism:
    elements = re.findall(r"^  <(?:link|joint) [^>]*/>\n|^  <(?:link|joint) .*?^  </(?:link|joint)>\n", TEXT, re.S | re.M)
    return parse_urdf(f'<robot name="arm">\n{"".join(reversed(elements))}</robot>')


QUARTER_TURN = (
    'xyz="0.004 0.051 -0.027" -> xyz="0.004 0.051 -0.027" rpy="0 0 1.5707963267948966"',
    'ixx="0.0031" iyy="0.0042" izz="0.0027" ixy="0.0002" ixz="0.0001" iyz="-0.0003" -> '
    'ixx="0.0042" iyy="0.0031" izz="0.0027" ixy="-0.0002" ixz="-0.0003" iyz="-0.0001"',
)
"""A quarter turn of the inertial frame about z takes x to y, and y to −x."""

EQUAL: dict[str, Callable[[], Mechanism]] = {
    "MJCF": lambda: read_mjcf(MJCF),
    "SDF": lambda: read_sdf(SDF),
    "other names": lambda: parse_urdf(re.sub('"(shoulder|elbow|lift|roll|upper|forearm|slider|wrist)"', r'"my_\1"', TEXT)),
    "another order": reordered,
    "welded links lumped": lambda: parse_urdf(write_urdf(replace(read_urdf(URDF), frames=(), written=()))),
    "other frames of links": lambda: reframed(read_urdf(URDF)),
    "another inertial frame": lambda: edited(*QUARTER_TURN),
    "a massless frame moved": lambda: edited(
        "</robot> -> <link name='t'/><joint name='tt' type='fixed'><parent link='tool'/><child link='t'/></joint></robot>"
    ),
    "limits, meshes, a longer axis": lambda: edited(
        'xyz="0 1 0"/> -> xyz="0 3 0"/><limit lower="0" upper="1" effort="2" velocity="3"/>',
        '<link name="base"/> -> <link name="base"><visual><geometry><box size="1 1 1"/></geometry></visual></link>',
    ),
    "the base elsewhere": lambda: edited("0.1 0.05 0.3 -> 0.1 0.05 0.8"),
}


@pytest.mark.parametrize("pair", EQUAL)
def test_one_robot_in_other_words_is_the_same_both_ways(arm: Mechanism, pair: str) -> None:
    other = EQUAL[pair]()
    for one, two in ((arm, other), (other, arm)):
        found = same(one, two)
        assert (found.verdict, found.differences) == ("exactly", ())


def test_names_order_and_place_are_noted(arm: Mechanism) -> None:
    assert "joint 'roll' is 'my_roll' in the second" in same(arm, EQUAL["other names"]()).notes
    assert same(arm, EQUAL["the base elsewhere"]()).notes == (
        "the root of the second is at 0 0 -0.5 m, rpy 0 0 0 in that of the first",
    )
    for pair in ("MJCF", "SDF", "other frames of links", "another order"):
        assert same(arm, EQUAL[pair]()).notes == ()


# Of a URDF: the edit, then what is found: the part, the number, its values, its line in both files, and what it is.
PLANTED = {
    "mass doubled": ("3.71 -> 7.42", "upper", "mass", "3.71", "7.42", 4, "2 times as much"),
    "mass of a welded link": ("0.27 -> 0.28", "tool", "mass", "0.27", "0.28", 32, ""),
    "damping dropped": (' damping="0.4" -> ', "shoulder", "damping", "0.4", "0", 38, ""),
    "armature dropped": (' armature="0.011" -> ', "shoulder", "armature", "0.011", "0", 38, ""),
    "axis sign": ('"0 1 0" -> "0 -1 0"', "shoulder", "axis y", "1", "-1", 38, "other sign"),
    "axis order": ("0 0.6 0.8 -> 0 0.8 0.6", "elbow", "axis y z", "0.6 0.8", "0.8 0.6", 44, "order x z y"),
    "joint origin": ("0.13 0.35 -> 0.13 0.36", "elbow", "origin z", "0.35", "0.36", 44, ""),
    "origin of a weld": ("0.01 0.02 -> 0.01 0.03", "flange", "origin z", "0.02", "0.03", 61, ""),
    "order of rpy": ("-0.4 0.3 0.6 -> -0.4 0.6 0.3", "roll", "rpy pitch yaw", "0.3 0.6", "0.6 0.3", 56, "order roll yaw pitch"),
    "centre of mass": ("0.003 0.041 -> 0.003 0.014", "wrist", "centre of mass z", "0.041", "0.014", 25, ""),
    "sign of a product": ('ixy="0.0002" -> ixy="-0.0002"', "slider", "Ixy", "0.0002", "-0.0002", 18, "other sign of Ixy"),
    "order of products": (
        'ixz="0.0001" iyz="-0.0003" -> ixz="-0.0003" iyz="0.0001"',
        "slider",
        "Ixz Iyz",
        "0.0001 -0.0003",
        "-0.0003 0.0001",
        18,
        "order Ixy Iyz Ixz",
    ),
    "inertial frame not turned": (' rpy="0.3 -0.2 0.5" -> ', "forearm", "Ixx Iyy Izz Ixy Ixz Iyz", "", "", 11, "other axes"),
    "inertia about another point": (
        'ixx="0.0031" iyy="0.0042" izz="0.0027" ixy="0.0002" ixz="0.0001" iyz="-0.0003" -> '
        'ixx="0.0075622" iyy="0.0051983" izz="0.00620678" ixy="-0.00007336" ixz="0.00024472" iyz="0.00154518"',
        "slider",
        "Ixx Iyy Izz Ixy Ixz Iyz",
        "",
        "",
        18,
        "about the link's origin",
    ),
    "gravity": ("</robot> -> <gravity xyz='0 0 -9.8'/></robot>", "", "gravity", "0 0 -9.81", "0 0 -9.8", None, ""),
    "millimetres": ("0.24 0.01 0.06 -> 240 10 60", "lift", "origin x y z", "0.24 0.01 0.06", "240 10 60", 50, "1000 times"),
    "joint type": ('"prismatic" -> "revolute"', "lift", "type", "prismatic", "revolute", 50, ""),
    "joint fixed": ('"continuous" -> "fixed"', "roll", "type", "revolute", "fixed", 56, ""),
}


@pytest.mark.parametrize("pair", PLANTED)
def test_what_was_planted_is_found_at_its_line(arm: Mechanism, pair: str) -> None:
    edit, name, what, mine, theirs, line, relation = PLANTED[pair]
    found = same(arm, edited(edit))
    assert found.verdict == "different"
    (one,) = found.differences
    assert (one.name, one.what) == (name, what)
    assert (not mine and not theirs) or (one.first, one.second) == (mine, theirs)
    assert relation in one.relation
    if line:
        assert one.first_place
        assert one.second_place
        assert (one.first_place.line, one.second_place.line) == (line, line)
    if what != "type":
        assert one.effect
        assert one.effect.size > 1e-6
        assert found.effect == one.effect


ACROSS = {
    "mass": ('mass="2.275"', 'mass="4.55"', "forearm", "mass", 11, 9),
    "a link dropped": ('mass="0.27"', 'mass="0"', "tool", "mass", 32, 16),
    "damping": (' damping="5"', "", "lift", "damping", 50, 11),
    "armature": (' armature="0.007"', "", "elbow", "armature", 44, 8),
}


@pytest.mark.parametrize("pair", ACROSS)
def test_a_number_that_an_export_changed_is_found_at_the_lines_of_both_forms(arm: Mechanism, tmp_path: Path, pair: str) -> None:
    old, new, name, what, *lines = ACROSS[pair]
    text = MJCF.read_text("utf-8").replace(old, new, 1)
    if pair == "a link dropped":
        text = re.sub(r' *<inertial pos="0.005.*\n', "", text)
        assert "0.031" not in text
    path = tmp_path / "arm.xml"
    path.write_text(text, "utf-8")
    one = same(arm, read_mjcf(path)).differences[0]
    assert (one.name, one.what) == (name, what)
    assert [place and place.line for place in (one.first_place, one.second_place)] == lines


@pytest.mark.parametrize("pair", ["mass doubled", "joint origin", "axis order", "armature dropped"])
def test_it_is_also_found_in_a_file_with_other_frames(arm: Mechanism, pair: str) -> None:
    edit, name, what, *_ = PLANTED[pair]
    found = same(arm, reframed(edited(edit)))
    assert found.verdict == "different"
    assert {one.name for one in found.differences} == {name}
    assert found.differences[0].what.split()[0] == what.split()[0]


@pytest.mark.parametrize(
    ("old", "new", "name", "what"),
    [
        ('<joint joint1="right" joint2="left" polycoef="0 -1 0 0 0"/>', "", "right", "mimic"),
        ('polycoef="0 -1 0 0 0"', 'polycoef="0 1 0 0 0"', "right", "multiplier"),
        ('polycoef="0 -1 0 0 0"', 'polycoef="0.1 -1 0 0 0"', "right", "offset"),
        ('<connect name="loop" body1="left" body2="palm" anchor="0 0 0.1"/>', "", "loop", "constraint"),
        ('anchor="0 0 0.1"', 'anchor="0 0 0.11"', "loop", "frames"),
    ],
)
def test_mimic_joints_and_loops_are_compared(tmp_path: Path, old: str, new: str, name: str, what: str) -> None:
    (tmp_path / "a.xml").write_text(GRIPPER)
    (tmp_path / "b.xml").write_text(GRIPPER.replace(old, new))
    one, other = (read_mjcf(tmp_path / file) for file in ("a.xml", "b.xml"))
    assert same(one, one).verdict == "exactly"
    found = same(one, other)
    assert found.verdict == "different"
    assert [(d.name, d.what) for d in found.differences] == [(name, what)]
    assert found.differences[0].first_place


def test_a_loop_may_be_held_from_its_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(GRIPPER)
    one = read_mjcf(tmp_path / "a.xml")
    (held,) = one.constraints
    turned = Constraint("other", held.second, held.first, held.directions, held.second_placement, held.first_placement)
    assert same(one, replace(one, constraints=(turned,))).verdict == "exactly"


def test_digits_that_a_format_rounds_are_counted(arm: Mechanism) -> None:
    found = same(edited("2.275 -> 2.27512345678"), edited("2.275 -> 2.27512"))
    assert found.verdict == "digits"
    (one,) = found.differences
    assert (one.name, one.first, one.second) == ("forearm", "2.27512345678", "2.27512")
    found = same(edited("2.275 -> 2.27512"), arm)
    assert found.verdict == "different"
    assert found.differences[0].relation == "one is the other with fewer digits"


def test_inertias_with_the_same_base_parameters_move_alike(arm: Mechanism) -> None:
    # The first link turns about y alone, which does not see its moment about x.
    found = same(arm, edited('ixx="0.0412" -> ixx="0.0402"'))
    assert (found.verdict, found.differences[0].what) == ("motion", "Ixx")
    # Mass on the axis of the elbow may belong to the link before it or after it.
    elbow, speck = arm.bodies[1], Inertia(Fraction(1, 10))
    upper = replace(arm.bodies[0], inertia=_without(arm.bodies[0].inertia, speck.placed(elbow.joint.placement)))
    heavier = replace(elbow, inertia=elbow.inertia + speck)
    found = same(arm, replace(arm, bodies=(upper, heavier, *arm.bodies[2:])))
    assert found.verdict == "motion"
    assert {one.name for one in found.differences} == {"upper", "forearm"}
    # Mass off the axis may not.
    upper = replace(arm.bodies[0], inertia=_without(arm.bodies[0].inertia, speck))
    assert same(arm, replace(arm, bodies=(upper, heavier, *arm.bodies[2:]))).verdict == "different"


def _without(inertia: Inertia, part: Inertia) -> Inertia:
    """The inertia from which the part was taken."""
    mass = inertia.mass - part.mass
    com = tuple((inertia.mass * a - part.mass * b) / mass for a, b in zip(inertia.com, part.com, strict=True))
    both = Inertia(mass, com) + part
    return Inertia(mass, com, tuple(x - y for x, y in zip(inertia.about_com, both.about_com, strict=True)))


def test_one_mistake_at_every_link_is_one_line(arm: Mechanism) -> None:
    bodies = [replace(b, inertia=replace(b.inertia, about_com=tuple(x / 1000 for x in b.inertia.about_com))) for b in arm.bodies]
    found = same(arm, replace(arm, bodies=tuple(bodies)))
    assert [(one.relation, len(one.also)) for one in found.differences] == [("0.001 times as much", 3)]


def test_a_robot_that_leans_or_whose_names_are_exchanged_is_another(arm: Mechanism) -> None:
    assert same(arm, edited("0.2 0.1 -0.3 -> 0.3 0.1 -0.3")).verdict == "different"
    exchanged = TEXT.replace('"elbow"', '"x"').replace('"shoulder"', '"elbow"').replace('"x"', '"shoulder"')
    assert same(arm, parse_urdf(exchanged)).verdict == "different"
    assert same(arm, parse_urdf(exchanged), {"elbow": "shoulder", "shoulder": "elbow"}).verdict == "exactly"


@pytest.mark.parametrize("seed", range(6))
def test_the_verdict_is_what_torques_say(seed: int) -> None:
    one = random_mechanism(seed, 5, kinds=("revolute", "prismatic", "revolute"))
    other = reframed(one, seed)
    assert same(one, other).verdict == "exactly"
    motion = Motion.of(one)
    assert np.allclose(torques(other, motion.states), motion.tau, rtol=1e-9, atol=1e-9)


def test_the_command_prints_lines_of_both_files_and_the_state_that_shows_it(tmp_path: Path) -> None:
    path, output = tmp_path / "b.xml", tmp_path / "same.json"
    path.write_text(MJCF.read_text("utf-8").replace('mass="2.275"', 'mass="4.55"'), "utf-8")
    run = CliRunner().invoke(main, ["same", str(URDF), str(path), "--state", "7", "--json", str(output)])
    assert run.exit_code == 1
    for text in (f"{URDF}:11: 2.275 kg", f"{path}:9: 4.55 kg", "2 times as much", "N m, at state", "shoulder: v ", "--state"):
        assert text in run.output
    document = json.loads(output.read_text("utf-8"))
    assert (document["schema"], document["verdict"]) == ("dalembert-same-1", "different")
    assert document["differences"][0]["second_place"]["line"] == 9
    assert CliRunner().invoke(main, ["same", str(URDF), str(MJCF)]).exit_code == 0
    assert CliRunner().invoke(main, ["same", str(URDF), str(MJCF), "--map", "elbow=knee"]).exit_code == 2


def test_the_command_names_files_without_prefixes_and_all_that_changed_alike(tmp_path: Path) -> None:
    link = '<link name="{0}"><inertial><mass value="{1}"/><inertia {2}/></inertial></link>'
    moments = " ".join(f'i{pair}="{int(pair[0] == pair[1])}"' for pair in ("xx", "yy", "zz", "xy", "xz", "yz"))
    for file, mass in (("a.urdf", 1), ("b.urdf", 2)):
        chain = "".join(link.format(name, mass, moments) for name in "abcdef")
        for parent, child in zip("abcde", "bcdef", strict=True):
            joint = f'<parent link="{parent}"/><child link="{child}"/><axis xyz="1 0 0"/>'
            chain += f'<joint name="{child}" type="continuous">{joint}</joint>\n'
        (tmp_path / file).write_text(f'<robot name="a">{chain}</robot>')
    run = CliRunner().invoke(main, ["same", *(f"free:{tmp_path}/{file}" for file in ("a.urdf", "b.urdf"))])
    assert "body 'a' and 5 others ('b', 'c', 'd' and 2 more), mass: 2 times as much" in run.output
    assert f"      {tmp_path}/a.urdf:1: 1 kg" in run.output


@pytest.mark.slow
@pytest.mark.engines
@pytest.mark.parametrize("name", ["ur5", "solo12", "mimic:panda"])
def test_robots_are_themselves_also_in_another_order_and_lumped(name: str) -> None:
    robot = find_mechanism(name)
    found = same(robot, replace(robot, bodies=robot.bodies[::-1]))
    assert found.verdict == "exactly"
    assert same(robot, replace(robot, frames=(), written=())).verdict in ("exactly", "digits")


HEAVY = '<inertial pos="0.1 0.02 0.3" mass="2" diaginertia="0.1 0.2 0.15"/>'


def in_mjcf(body: str) -> Mechanism:
    return parse_mjcf(f'<mujoco><compiler angle="radian"/><worldbody>{body}</worldbody></mujoco>')


@pytest.mark.parametrize(
    ("body", "old", "new", "verdict"),
    [
        ('<body name="a"><freejoint name="f"/>{}</body>', '<body name="a">', '<body name="a" pos="1 2 3">', "exactly"),
        ('<body name="a"><freejoint name="f"/>{}</body>', "0.02 0.3", "0.03 0.3", "different"),
        ('<body name="a" pos="0 0 1"><joint type="ball"/>{}</body>', "0 0 1", "0 0 2", "exactly"),
        ('<body name="a"><joint type="ball"/>{}</body>', '"a">', '"a" quat="1 0.2 0 0">', "different"),
        ('<body name="a"><joint axis="1 0 0"/><joint axis="0 1 0"/>{}</body>', "1 0 0", "0 0 1", "different"),
        ('<body name="a"><joint axis="0 1 0" ref="0"/>{}</body>', 'ref="0"', 'ref="0.3"', "different"),
        (
            '<body name="a" pos="0 0 0"><joint axis="0 1 0" pos="0 0 0"/>{}</body>',
            'pos="0 0 0"><joint axis="0 1 0" pos="0 0 0"/><inertial pos="0.1 0.02 0.3"',
            'pos="0.1 0 -0.3"><joint axis="0 1 0" pos="-0.1 0 0.3"/><inertial pos="0 0.02 0.6"',
            "exactly",
        ),
    ],
)
def test_free_ball_and_shown_positions_in_mjcf(body: str, old: str, new: str, verdict: str) -> None:
    text = body.format(HEAVY)
    assert old in text
    assert same(in_mjcf(text), in_mjcf(text.replace(old, new, 1))).verdict == verdict


@pytest.mark.parametrize("axis", ["0 0 1", "0 1 0", "0 0.6 0.8"])
@pytest.mark.parametrize("kind", ["hinge", "slide"])
@pytest.mark.parametrize("place", ['euler="0 0 57"', 'pos="1 2 3"', 'pos="1 2 3" euler="0 0 57"'])
def test_a_base_of_one_joint_may_be_turned_about_gravity_and_moved(axis: str, kind: str, place: str) -> None:
    one = f'<body name="a"><joint type="{kind}" axis="{axis}"/>{HEAVY}</body>'
    found = same(in_mjcf(one), in_mjcf(one.replace('name="a"', f'name="a" {place}')))
    assert found.verdict == "exactly"
    assert found.notes[0].startswith("the root of the second is at")
    leaning = same(in_mjcf(one), in_mjcf(one.replace('name="a"', 'name="a" euler="57 0 0"')))
    assert leaning.verdict == "different"


def test_geometry_that_torques_do_not_show_is_still_another_robot() -> None:
    slide = '<body name="{}" pos="0 0 {}"><joint type="slide" axis="0 0 1"/><geom size="0.1"/>{}</body>'
    two = (in_mjcf(slide.format("a", 0, slide.format("b", height, ""))) for height in (1, 2))
    found = same(*two)
    assert found.verdict == "different"
    assert found.differences[0].effect
    assert found.differences[0].size == 0


def test_a_base_that_moves_freely_in_one_file_is_said(arm: Mechanism) -> None:
    found = same(arm, read_urdf(URDF, free_base=True))
    assert found.verdict == "different"
    assert any("free:FILE" in note for note in found.notes)


def test_moments_across_a_slanted_axis_are_not_seen_exactly() -> None:
    inertial = '<inertial pos="0.1 0.2 0.3" mass="2" fullinertia="{} 0.7 {} 0.01 0.02 0.03"/>'
    hinge = f'<body name="a"><joint axis="0.6 0 0.8"/>{inertial}</body>'
    assert same(in_mjcf(hinge.format(0.6, 0.5)), in_mjcf(hinge.format(0.6064, 0.4964))).verdict == "motion"
    assert same(in_mjcf(hinge.format(0.6, 0.5)), in_mjcf(hinge.format(0.6064, 0.49641))).verdict == "different"


def test_a_last_link_without_mass_may_have_its_frame_elsewhere(arm: Mechanism) -> None:
    *others, last = (replace(body, inertia=body.inertia if body.name != "wrist" else Inertia.massless()) for body in arm.bodies)
    one = replace(arm, bodies=(*others, last), frames=(), written=())
    assert last.inertia.is_massless
    assert same(one, reframed(one)).verdict == "exactly"


def test_a_change_below_the_roundings_of_a_heavy_robot_is_not_hidden() -> None:
    inertial = '<inertial pos="0 0 0" mass="0.001" diaginertia="1e-13 {} 1e-13"/>'
    small = (
        f'<body name="a"><joint axis="0 1 0"/>{inertial}<body name="b" pos="0 0 -1"><joint axis="0 1 0"/>{HEAVY}</body></body>'
    )
    assert same(in_mjcf(small.format(1e-13)), in_mjcf(small.format(1.5e-13))).verdict == "different"


@pytest.mark.parametrize(("old", "new", "what"), [('ness="2"', 'ness="3"', "stiffness"), ('ref="0.1"', 'ref="0.2"', "rest")])
def test_springs_are_compared(old: str, new: str, what: str) -> None:
    text = f'<body name="a"><joint axis="0 1 0" stiffness="2" springref="0.1"/>{HEAVY}</body>'
    (one,) = same(in_mjcf(text), in_mjcf(text.replace(old, new))).differences
    assert one.what == what
    assert one.size > 0.1


def test_lines_of_sdf(arm: Mechanism, tmp_path: Path) -> None:
    (tmp_path / "arm.sdf").write_text(SDF.read_text("utf-8").replace("<mass>2.275<", "<mass>4.55<"))
    (one,) = same(arm, read_sdf(tmp_path / "arm.sdf")).differences
    assert one.second_place
    assert "<inertial>" in SDF.read_text("utf-8").splitlines()[one.second_place.line - 1]


ROD = """<mujoco><worldbody><body><joint axis="0 0 1"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 {}"/></body></worldbody></mujoco>"""


def test_numbers_that_are_small_beside_others_are_no_lost_digits_where_τ_shows_them() -> None:
    """A slender rod that turns about itself."""
    one, other, near = (parse_mjcf(ROD.format(x)) for x in ("1e-6", "3e-6", "1.005e-6"))
    found = same(one, other)
    assert found.verdict == "different"
    assert [(d.what, d.relation) for d in found.differences] == [("Izz", "")]
    assert same(one, near).verdict == "digits"


def test_a_follower_about_the_opposite_axis_with_opposite_numbers_is_the_same() -> None:
    one = parse_mjcf(GRIPPER)
    for coefficient, verdict in (("0 1", "exactly"), ("0 -1", "different")):
        turned = GRIPPER.replace('name="right" axis="1 0 0"', 'name="right" axis="-1 0 0"').replace("0 -1", coefficient)
        assert same(one, parse_mjcf(turned)).verdict == verdict
    near = GRIPPER.replace('name="right" axis="1 0 0"', 'name="right" axis="-1 0 1e-7"').replace("0 -1", "0 1")
    assert same(one, parse_mjcf(near)).verdict == "digits"
