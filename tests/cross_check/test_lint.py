"""What is said of implausible numbers: each defect has a file that has it alone, and the sound file beside it has no warning."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import pytest

from cross_check.read.lint.links import links_of
from cross_check.read.lint.rules import Warning, warnings
from cross_check.read.lint.shapes import of_geometry
from cross_check.read.lint.written import written
from mechanisms import Placement
from mechanisms.files.by_form import form_of_file, read_file
from mechanisms.files.untrusted_xml import parse_xml

ROD = "<origin xyz='0 0 -0.2'/> <mass value='1.2'/> <inertia ixx='0.0162' iyy='0.0162' izz='0.0004' ixy='0' ixz='0' iyz='0'/>"
"""1.2 kg, 0.4 m long and 0.05 m thick."""

SHAPE = "<visual> <origin xyz='0 0 -0.2'/> <geometry> <box size='0.05 0.05 0.4'/> </geometry> </visual>"

LINK = """  <link name="{name}"> <inertial> {inertial} </inertial> {shape} </link>
"""

JOINT = """  <joint name="to {name}" type="{type}"> <parent link="{parent}"/> <child link="{name}"/>
    <origin xyz="0 0 -0.4" rpy="0 0 {yaw}"/> <axis xyz="0 1 0"/> <limit lower="-3" upper="{upper}"/> </joint>
"""


def arm(changes: Mapping[str, str] = MappingProxyType({}), names: Sequence[str] = "abcd", **joint: str) -> str:
    """A chain of rods; ``changes`` has the <inertial> of links by name, and ``joint`` what else is different in all joints."""
    links = [LINK.format(name=name, inertial=changes.get(name, ROD), shape=SHAPE) for name in names]
    given = {"type": "revolute", "yaw": "0", "upper": "3"} | joint
    joints = [JOINT.format(name=name, parent=parent, **given) for parent, name in pairwise(names)]
    return '<robot name="arm">\n' + "".join(links + joints) + "</robot>\n"


def told(text: str, folder: Path, name: str = "robot.urdf") -> list[Warning]:
    path = folder / name
    path.write_text(text, "utf-8")
    form = form_of_file(path)
    mechanism, given = read_file(path, form == "urdf", physical=False), written(path, form)
    return warnings(mechanism, links_of(mechanism, given), given)


def inertial(mass: float = 1.2, x: float = 0.0162, y: float = 0.0162, z: float = 0.0004, com: str = "0 0 -0.2") -> str:
    moments = f"<inertia ixx='{x}' iyy='{y}' izz='{z}' ixy='0' ixz='0' iyz='0'/>"
    return f"<origin xyz='{com}'/> <mass value='{mass}'/> {moments}"


DEFECTS = {
    "a moment is negative": (inertial(x=-0.0162), "impossible", "semidefinite"),
    "a moment has one digit too many": (inertial(z=0.4), "impossible", "triangle"),
    "moments of zero": (inertial(x=0, y=0, z=0), "no_moments", "1.2 kg and no moments"),
    "moments of one": (inertial(x=1, y=1, z=1), "placeholder", "exactly 1 kg m²"),
    "moments in g cm²": (inertial(x=162000, y=162000, z=4000), "too_large", "1.2 kg at both ends of 730 m"),
    "moments in t m²": (inertial(x=1.62e-5, y=1.62e-5, z=4e-7), "too_small", "ball of tungsten"),
    "all moments alike": (inertial(x=0.0162, y=0.0162, z=0.0162), "too_large", "its body is 0.05 m long there"),
    "about the joint": (inertial(x=0.0642, y=0.0642), "too_large", "about the origin they would fit"),
    "millimetres": (inertial(com="0 0 -200"), "outside", "0 0 -2e+02 m is 2e+02 m away"),
    "grams": (inertial(mass=1200), "density", "1.2e+06 kg/m³, more than tungsten"),
}


def test_sound_file(tmp_path: Path) -> None:
    assert told(arm(), tmp_path) == []


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect_of_one_link(defect: str, tmp_path: Path) -> None:
    text, rule, words = DEFECTS[defect]
    (only,) = told(arm({"c": text}), tmp_path)
    assert (only.rule, only.name) == (rule, "c")
    assert words in only.said
    assert only.place
    assert only.place.line == 4


def test_body_outweighs_the_others(tmp_path: Path) -> None:
    heavy = arm({"d": inertial(mass=7.4, x=0.1, y=0.1, z=0.0025)})
    (only,) = told(heavy.replace(SHAPE, ""), tmp_path)
    assert (only.rule, only.name) == ("outweighs", "d")
    assert "7.4 kg, and all other bodies together 3.6 kg" in only.said
    # The base of a robot, and what turns on it, may, and a load that is drawn as large as it is heavy.
    assert told(arm({"a": inertial(mass=7.4, x=0.1, y=0.1, z=0.0025)}).replace(SHAPE, ""), tmp_path) == []
    assert told(heavy, tmp_path) == []


def test_most_bodies_are_solid(tmp_path: Path) -> None:
    heavy = inertial(mass=4.8, x=0.0648, y=0.0648, z=0.0016)
    (tmp_path / "rod.stl").write_bytes(_stl(CORNERS))
    drawn = "<visual> <geometry> <mesh filename='rod.stl'/> </geometry> </visual>"
    text = arm({"b": heavy, "c": inertial(mass=5, x=0.0648, y=0.0648, z=0.0016), "d": heavy})
    (only,) = told(text.replace(SHAPE, drawn), tmp_path)
    assert (only.rule, only.name) == ("solid", "c")
    assert "3 of 4 bodies are denser than aluminium" in only.said
    # A half may be, as weights and rods of steel are, and so may a pendulum, and bars that are no housings.
    assert told(arm({"b": heavy, "d": heavy}).replace(SHAPE, drawn), tmp_path) == []
    assert told(arm({"a": heavy, "b": heavy}, "ab").replace(SHAPE, drawn), tmp_path) == []
    assert told(text, tmp_path) == []


def test_a_body_without_shapes_and_joints_may_be_of_any_size(tmp_path: Path) -> None:
    text = arm({"a": inertial(x=0.4, y=0.4), "b": inertial(x=0.4, y=0.4)}, "ab", type="fixed")
    assert [one.rule for one in told(text, tmp_path)] == ["too_large"] * 2
    assert told(text.replace(SHAPE, ""), tmp_path) == []


def test_link_exported_twice(tmp_path: Path) -> None:
    text = arm(names="abc", type="fixed").replace('"to b" type="fixed"', '"to b" type="revolute"')
    assert told(text, tmp_path) == []
    (only,) = told(text.replace('xyz="0 0 -0.4"', 'xyz="0 0 0"'), tmp_path)
    assert (only.rule, only.name) == ("welded_twice", "c")


def test_one_inertia_copied_to_links_of_all_sizes(tmp_path: Path) -> None:
    text = arm().replace("box size='0.05 0.05 0.4'", "box size='0.2 0.2 0.9'", 1)
    (only,) = told(text, tmp_path)
    assert only.rule == "copied"
    assert "4 links of 0.41 to 0.94 m" in only.said


def test_pairs_that_do_not_mirror(tmp_path: Path) -> None:
    def pair(right: str) -> list[Warning]:
        left = "<origin xyz='0 0.01 -0.2'/> <mass value='1.2'/> <inertia ixx='0.0162' iyy='0.0162' izz='0.0004' {}/>"
        one = left.format("ixy='1e-4' ixz='2e-4' iyz='3e-4'")
        text = arm({"leg_left": one, "leg_right": right}, ("base", "leg_left", "leg_right"))
        return told(text.replace('parent link="leg_left"', 'parent link="base"'), tmp_path)

    sides = "<origin xyz='0 -0.01 -0.2'/> <mass value='{}'/> <inertia ixx='{}' iyy='0.0162' izz='0.0004' {}/>"
    assert pair(sides.format(1.2, 0.0162, "ixy='-1e-4' ixz='2e-4' iyz='-3e-4'")) == []
    (wrong,) = pair(sides.format(1.2, 0.0162, "ixy='-1e-4' ixz='-2e-4' iyz='-3e-4'"))
    assert (wrong.rule, wrong.name) == ("unlike", "leg_right")
    (heavier,) = pair(sides.format(3.6, 0.0162, "ixy='-1e-4' ixz='2e-4' iyz='-3e-4'"))
    assert "3.6 kg, and 'leg_left' has 1.2" in heavier.said


def test_joint_that_moves_nothing(tmp_path: Path) -> None:
    (only,) = told(arm().replace(f"<inertial> {ROD} </inertial> {SHAPE} </link>\n  <joint", "</link>\n  <joint"), tmp_path)
    assert (only.rule, only.name) == ("massless", "d")
    # The ground has no mass.
    assert told('<robot name="ground"> <link name="plane"/> </robot>', tmp_path) == []


def test_degrees(tmp_path: Path) -> None:
    limit, turn = told(arm(names="ab", upper="178", yaw="10"), tmp_path)
    assert (limit.rule, limit.name) == ("degrees", "a limit of joint 'to b'")
    assert (turn.rule, turn.name) == ("degrees", "an angle of rpy")
    assert "178 degrees are 3.10669 rad" in limit.cause
    # Less than two turns, whole turns, and a limit that stands for none.
    for upper in ("10", "18.85", "1e9"):
        assert told(arm(names="ab", upper=upper, yaw="5"), tmp_path) == []


def test_drums_turn_many_times(tmp_path: Path) -> None:
    drum = {"b": inertial(com="0 0 0")}
    round_it = SHAPE.replace("0 0 -0.2", "0 0 0")
    text = arm(drum, "ab", upper="178")
    assert told(text[: text.rindex(SHAPE)] + round_it + text[text.rindex(SHAPE) + len(SHAPE) :], tmp_path) == []
    # Beside an arm whose limits are degrees, it does not.
    assert {one.name for one in told(arm({"d": inertial(com="0 0 0")}, upper="178"), tmp_path)} == {
        f"a limit of joint 'to {name}'" for name in "bcd"
    }


def test_radians(tmp_path: Path) -> None:
    text = _mjcf((0.0162, 0.0162, 0.0004), "3").replace('angle="radian"', 'angle="degree"')
    assert told(text, tmp_path, "robot.xml") == []
    (limit,) = told(text.replace("-3 3", "-1.5708 3"), tmp_path, "robot.xml")
    assert limit.rule == "degrees"
    assert "it is -1.5708 degrees" in limit.said
    assert 'angle="radian"' in limit.cause
    # Of limits within a turn, several with three digits are told; hinges of a flexure are not.
    others = "".join(f'<body name="c{k}"><joint range="-{k}.897 2.897"/><geom size="0.1"/></body>' for k in range(2))
    assert len(told(text.replace("</worldbody>", others + "</worldbody>"), tmp_path, "robot.xml")) == 4
    assert told(text.replace("</worldbody>", others.replace(".897", "") + "</worldbody>"), tmp_path, "robot.xml") == []


def test_tiny_links_do_not_matter(tmp_path: Path) -> None:
    """Frames of sensors often have a gram and moments of anything."""
    text = arm({"c": inertial(mass=0.001, x=1e-5, y=1e-5, z=1e-5)}, "abc", type="fixed")
    assert told(text.replace('"to b" type="fixed"', '"to b" type="revolute"'), tmp_path) == []
    # What hangs on the link counts.
    assert told(arm({"b": inertial(mass=0.005, x=1e-4, y=1e-4, z=1e-4)}), tmp_path) == []


MJCF = """<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <body name="a">
      <freejoint/> <inertial pos="0 0 -0.2" mass="1.2" diaginertia="0.0162 0.0162 0.0004"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.025"/>
      <body name="b" pos="0 0 -0.4">
        <joint type="hinge" axis="0 1 0" pos="0 0 0.01" range="-3 {upper}"/>
        <inertial pos="0 0 -0.2" mass="1.2" diaginertia="{moments}"/>
        <geom type="box" size="0.025 0.025 0.2" pos="0 0 -0.2"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

SDF = """<sdf version="1.12"> <model name="arm">
  <link name="a"> <inertial> <mass>1.2</mass> <pose>0 0 -0.2 0 0 0</pose>
    <inertia> <ixx>0.0162</ixx> <iyy>0.0162</iyy> <izz>0.0004</izz> </inertia> </inertial>
    <visual name="v"> <pose>0 0 -0.2 0 0 0</pose> <geometry> <box> <size>0.05 0.05 0.4</size> </box> </geometry> </visual> </link>
  <link name="b"> <pose>0 0 -0.4 0 0 0</pose> <inertial> <mass>1.2</mass> <pose>0 0 -0.2 0 0 0</pose>
    <inertia> {moments} </inertia> </inertial>
    <visual name="v"> <pose>0 0 -0.2 0 0 0</pose> <geometry>
      <cylinder> <radius>0.025</radius> <length>0.4</length> </cylinder> </geometry> </visual> </link>
  <joint name="j" type="revolute"> <parent>a</parent> <child>b</child> <axis> <xyz>0 1 0</xyz>
    <limit> <lower>-3</lower> <upper>{upper}</upper> </limit> </axis> </joint>
</model> </sdf>
"""


def _mjcf(moments: tuple[float, ...], upper: str) -> str:
    return MJCF.format(moments=" ".join(map(str, moments)), upper=upper)


def _sdf(moments: tuple[float, ...], upper: str) -> str:
    return SDF.format(
        moments=" ".join(f"<i{k}>{m}</i{k}>" for k, m in zip(("xx", "yy", "zz"), moments, strict=True)), upper=upper
    )


@pytest.mark.parametrize(("write", "name", "line"), [(_mjcf, "robot.xml", 7), (_sdf, "robot.sdf", 5)])
def test_other_forms(write: Callable[[tuple[float, ...], str], str], name: str, line: int, tmp_path: Path) -> None:
    assert told(write((0.0162, 0.0162, 0.0004), "3"), tmp_path, name) == []
    moments, limit = told(write((1.62, 1.62, 0.04), "180"), tmp_path, name)
    assert (moments.rule, moments.name, moments.place and moments.place.line) == ("too_large", "b", line)
    assert limit.rule == "degrees"
    assert "at both ends of 2.31 m, and its body is 0.4" in moments.said


def _stl(corners: list[tuple[float, float, float]]) -> bytes:
    faces = [corners[k : k + 3] for k in range(len(corners) - 2)]
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *(x for point in face for x in point), 0) for face in faces)
    return bytes(80) + struct.pack("<I", len(faces)) + records


CORNERS = [(x, y, z) for x in (-0.025, 0.025) for y in (-0.025, 0.025) for z in (0.0, -0.4)]

COLLADA = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset> <unit meter="0.01"/> <up_axis>Z_UP</up_axis> </asset>
  <library_geometries> <geometry id="g"> <mesh>
    <source id="s"> <float_array id="f" count="6">0 0 0 1 2 3</float_array> </source>
    <vertices id="v"> <input semantic="POSITION" source="#s"/> </vertices>
  </mesh> </geometry> </library_geometries>
  <library_visual_scenes> <visual_scene id="w"> <node> <rotate>0 0 1 90</rotate>
    <node> <translate>10 0 0</translate> <scale>2 2 2</scale> <instance_geometry url="#g"/> </node> </node> </visual_scene>
  </library_visual_scenes>
</COLLADA>
"""


def test_meshes_beside_the_file(tmp_path: Path) -> None:
    """They are found by package and by path, with their scale; a link whose meshes are not there has no size."""
    folder = tmp_path / "arms/urdf"
    folder.mkdir(parents=True)
    (tmp_path / "arms/rod.stl").write_bytes(_stl(CORNERS))
    wrong = arm({"c": DEFECTS["about the joint"][0]})
    for name in ("package://arms/rod.stl", "../rod.stl"):
        (only,) = told(wrong.replace(SHAPE, f"<visual> <geometry> <mesh filename='{name}'/> </geometry> </visual>"), folder)
        assert "about the origin they would fit" in only.said
    missing = "<visual> <geometry> <mesh filename='package://arms/none.stl'/> </geometry> </visual>"
    for collision in ("", SHAPE.replace("visual", "collision")):
        assert told(wrong.replace(SHAPE, missing + collision), folder) == []
    endless = "<visual> <geometry> <mesh filename='../rod.stl' scale='1e300 1 1'/> </geometry> </visual>"
    assert told(wrong.replace(SHAPE, endless), folder) == []
    # In the unscaled millimetres of a CAD system, the rod is 400 m long.
    thousandfold = "<visual> <geometry> <mesh filename='../rod.stl' scale='1000 1000 1000'/> </geometry> </visual>"
    assert {one.rule for one in told(arm().replace(SHAPE, thousandfold), folder)} == {"density"}


@pytest.mark.parametrize(
    ("shape", "sides"),
    [
        ("box size='1 2 3'", (1, 2, 3)),
        ("sphere radius='2'", (4, 4, 4)),
        ("cylinder radius='1' length='5'", (2, 2, 5)),
        ("capsule radius='1' length='5'", (2, 2, 7)),
    ],
)
def test_sides_of_primitive_shapes(shape: str, sides: tuple[int, ...], tmp_path: Path) -> None:
    geometry = parse_xml(f"<geometry> <{shape}/> </geometry>", "geometry", "URDF")
    points = of_geometry(geometry, Placement(), lambda shape, name: shape.get(name, ""), tmp_path)
    assert points is not None
    assert tuple(points.max(axis=0) - points.min(axis=0)) == sides


def test_mesh_of_collada(tmp_path: Path) -> None:
    (tmp_path / "rod.dae").write_text(COLLADA, "utf-8")
    geometry = parse_xml("<geometry> <mesh filename='rod.dae'/> </geometry>", "geometry", "URDF")
    points = of_geometry(geometry, Placement(), lambda shape, name: shape.get(name, ""), tmp_path / "robot.urdf")
    assert points is not None
    assert points.tolist() == [pytest.approx([0, 0.1, 0]), pytest.approx([-0.04, 0.12, 0.06])]


def test_bounds_are_those_of_matter(tmp_path: Path) -> None:
    """Two point masses at the ends have the largest moments, and are not yet too large; a ball of tungsten not too small."""
    ends = 1.2 * 0.2**2
    assert told(arm({"c": inertial(x=ends, y=ends, z=1e-9)}), tmp_path) == []
    ball = 2 / 5 * 1.2 * (3 * 1.2 / (4 * math.pi * 20000)) ** (2 / 3)
    assert told(arm({"c": inertial(x=1.001 * ball, y=1.001 * ball, z=1.001 * ball)}), tmp_path) == []
    (only,) = told(arm({"c": inertial(x=0.999 * ball, y=0.999 * ball, z=0.999 * ball)}), tmp_path)
    assert only.rule == "too_small"


def test_centre_of_mass_is_in_the_hull_of_the_body(tmp_path: Path) -> None:
    (wrong,) = told(arm({"d": inertial(com="0 0 0.2")}), tmp_path)
    assert (wrong.rule, wrong.name) == ("outside", "d")
    assert "a wrong sign, or the frame of another link; 0 0 -0.2 would be within it" in wrong.cause
    # It may be as far beyond the shapes as a tenth of their size, and beside all parts of a body that bends.
    assert told(arm({"d": inertial(com="0 0 0.035", x=0.005, y=0.005)}), tmp_path) == []
    arms = "<visual> <geometry> <box size='0.4 0.02 0.02'/> </geometry> </visual>" + SHAPE
    bent = inertial(com="0.05 0 -0.1", x=0.008, y=0.016, z=0.008)
    assert told(arm({"b": bent}, "ab").replace(SHAPE, arms), tmp_path) == []
    # The box around a triangle is no hull: here, one corner of it is far away from the body.
    (corner,) = told(arm({"b": inertial(com="0.18 0 -0.38", x=0.008, y=0.016, z=0.008)}, "ab").replace(SHAPE, arms), tmp_path)
    assert corner.rule == "outside"


def test_moments_along_other_axes(tmp_path: Path) -> None:
    (wrong,) = told(arm({"c": inertial(x=0.0162, y=0.0004, z=0.0162)}), tmp_path)
    assert "with the axes in the order x z y they would fit" in wrong.said
    assert "exchange them" in wrong.cause


def test_ranges(tmp_path: Path) -> None:
    text = arm(names="ab", upper="-4")
    (only,) = told(text, tmp_path)
    assert (only.rule, only.name) == ("range", "the range of joint 'to b'")
    assert "from -3 to -4" in only.said
    (left_out,) = told(text.replace('lower="-3" upper="-4"', 'effort="1"'), tmp_path)
    assert "from 0 to 0" in left_out.said
    assert told(text.replace('type="revolute"', 'type="continuous"'), tmp_path) == []


def test_body_extends_to_its_joints(tmp_path: Path) -> None:
    motor = "<visual> <geometry> <box size='0.05 0.05 0.05'/> </geometry> </visual>"
    assert told(arm(names="ab").replace(SHAPE, motor, 1), tmp_path) == []
