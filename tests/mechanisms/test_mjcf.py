"""Reading MJCF: files, meshes, constraints, gravity. The torture set (test_mjcf_traits.py) has what else is read and refused."""

from __future__ import annotations

import importlib.util
import re
import struct
import time
from fractions import Fraction
from pathlib import Path
from xml.etree.ElementTree import fromstring, tostring

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mechanisms import Mechanism, MechanismError, Placement, Rotation, find_mechanism, parse_mjcf, read_mjcf
from mechanisms.files.vocabulary import vocabulary
from mechanisms.mjcf_traits import TRAITS
from mechanisms.numbers.rounded import long_root, pi

ROOT = Path(__file__).parents[2]

ARM = '<body name="arm" pos="0 0 1"><joint name="hinge" axis="0 1 0"/><geom size="0.1" mass="2"/></body>'
LEG = '<body name="leg" pos="1 0 0"><joint name="knee" axis="1 0 0" pos="0 0.5 0"/><geom size="0.1" mass="2"/></body>'


def model(inside: str = "", bodies: str = ARM, attributes: str = 'model="robot"') -> str:
    return f"<mujoco {attributes}>{inside}<worldbody>{bodies}</worldbody></mujoco>"


def refused(text: str | bytes, source: str = "r.xml", **options: object) -> str:
    with pytest.raises(MechanismError) as error:
        parse_mjcf(text, source, **options)  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    return str(error.value)


# What a file says once


def test_the_name_and_gravity_are_those_of_the_file() -> None:
    m = parse_mjcf(model('<option gravity="0 1 -2"/><option timestep="1"/>'))
    assert (m.name, m.gravity) == ("robot", (0, 1, -2))
    assert parse_mjcf(model(attributes="")).name == "MuJoCo Model"
    assert parse_mjcf(model()).gravity == (0, 0, Fraction("-9.81"))
    assert parse_mjcf(model('<option gravity="0 1 -2"><flag gravity="disable"/></option>')).gravity == (0, 0, 0)


def test_decimals_are_kept_exactly() -> None:
    (body,) = parse_mjcf(model(bodies=ARM.replace('pos="0 0 1"', 'pos="0.1 0 1e-7"'))).bodies
    assert body.joint.placement.translation == (Fraction(1, 10), 0, Fraction(1, 10**7))
    assert body.inertia.about_com == (*[Fraction(8, 1000)] * 3, 0, 0, 0)


def test_irrational_numbers_have_256_bits() -> None:
    assert abs(pi() - Fraction("3.14159265358979323846264338327950288419716939937510582097494459")) < Fraction(1, 10**60)
    assert long_root(Fraction(9, 4)) == Fraction(3, 2)
    for x in (Fraction(2), Fraction(1, 10**30), Fraction(10**30) / 7):
        assert abs(long_root(x) ** 2 / x - 1) < Fraction(1, 2**250)


# Files


def test_files_are_included_and_errors_say_theirs(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.xml").write_text(model('<include file="parts/a.xml"/>', '<include file="parts/arm.xml"/>'))
    (tmp_path / "parts" / "a.xml").write_text('<mujoco><include file="b.xml"/></mujoco>')
    (tmp_path / "parts" / "b.xml").write_text('<any><compiler angle="radian"/></any>')
    (tmp_path / "parts" / "arm.xml").write_text(f"<mujocoinclude>\n\n{ARM}</mujocoinclude>")
    assert read_mjcf(tmp_path / "main.xml") == parse_mjcf(model())
    (tmp_path / "parts" / "arm.xml").write_text(f"<mujocoinclude>\n\n{ARM.replace('axis', 'axes')}</mujocoinclude>")
    with pytest.raises(MechanismError, match=r"parts/arm\.xml, line 3: <joint> has an attribute 'axes'"):
        read_mjcf(tmp_path / "main.xml")
    assert "it needs the file 'a.xml', but the text is read alone" in refused(model('<include file="a.xml"/>'))


@pytest.mark.parametrize(
    ("include", "words"),
    [
        ('<include file="main.xml"/>', "is included twice, or includes itself"),
        ('<include file="a.xml"/><include file="./a.xml"/>', "is included twice, or includes itself"),
        ('<include file="loop.xml"/>', "is included twice, or includes itself"),
        ('<include file="missing.xml"/>', "the file 'missing.xml' cannot be read"),
        ('<include file="parts/a/missing.xml"/>', "the file 'parts/a/missing.xml' cannot be read"),
        ('<include file="/etc/hostname"/>', "is outside of the model's folder; give a relative name"),
        ('<include file="folder"/>', "it is a directory, not a regular file"),
        ('<include file="text.xml"/>', "this is no XML"),
        ("<include/>", "lacks the attribute 'file'"),
        ('<include file="a.xml"><option/></include>', "it has more than a file"),
        ('<include file="a&#10;b.xml"/>', "cannot be read"),
    ],
)
def test_files_that_cannot_be_included_are_refused(tmp_path: Path, include: str, words: str) -> None:
    (tmp_path / "main.xml").write_text(model(include))
    (tmp_path / "a.xml").write_text("<any><option/></any>")
    (tmp_path / "loop.xml").write_text('<any><include file="loop.xml"/></any>')
    (tmp_path / "text.xml").write_text("text")
    (tmp_path / "folder").mkdir()
    with pytest.raises(MechanismError) as error:
        read_mjcf(tmp_path / "main.xml")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_is_read_by_what_it_consists_of(tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(f"<!-- <robot> --><?xml?>{model()}".replace("<?xml?>", ""))
    m = find_mechanism(str(path))
    assert m == parse_mjcf(model())
    with pytest.raises(MechanismError, match=r"arm\.xml: MJCF says itself what moves freely; leave out free:"):
        find_mechanism(f"free:{path}")
    path.write_text(model(bodies='<body><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/></body>'))
    assert find_mechanism(f"unphysical:{path}").faults
    with pytest.raises(MechanismError, match="violates the triangle inequality"):
        find_mechanism(str(path))


# Meshes

VERTICES = np.array([[0, 0, 0], [0.5, 0, 0], [0, 0.75, 0], [0, 0, 1]], np.float32)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], np.int32)


def stl(text: bool) -> bytes:
    if text:
        corners = "\n".join(f"vertex {x} {y} {z}" for x, y, z in VERTICES[FACES].reshape(-1, 3))
        return f"solid tetrahedron\nfacet normal 0 0 0 outer loop\n{corners}\nendloop endfacet\nendsolid".encode()
    records = b"".join(struct.pack("<12fH", 0, 0, 0, *VERTICES[face].ravel(), 0) for face in FACES)
    return bytes(80) + struct.pack("<I", len(FACES)) + records


def obj() -> bytes:
    lines = [f"v {x} {y} {z} 1.0" for x, y, z in VERTICES] + ["vn 0 0 1", "# comment"]
    lines += ["f 1/1/1 3/1/1 2/1/1", "f 1 2 4", "f -4 -1 -2", "f 2//1 3//1 4//1"]
    return "\r\n".join(lines).encode()


def msh() -> bytes:
    return struct.pack("<4i", 4, 4, 4, 4) + VERTICES.tobytes() * 2 + bytes(32) + FACES.tobytes()


@pytest.mark.parametrize(
    ("name", "data"), [("m.stl", stl(False)), ("m.STL", stl(True)), ("m.obj", obj()), ("m.msh", msh())], ids=str
)
def test_meshes_are_read_exactly(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / name).write_bytes(data)
    asset = f'<compiler meshdir="meshes"/><asset><mesh file="{name}" inertia="exact"/></asset>'
    body = '<body><joint/><geom type="mesh" mesh="m" density="16"/></body>'
    (tmp_path / "main.xml").write_text(model(asset, body))
    (arm,) = read_mjcf(tmp_path / "main.xml").bodies
    # A tetrahedron with three edges a, b, c along the axes: volume abc/6, and moments m (b² + c²) 3/80 about its centre.
    a, b, c = Fraction(1, 2), Fraction(3, 4), Fraction(1)
    assert (arm.inertia.mass, arm.inertia.com) == (1, (a / 4, b / 4, c / 4))
    assert arm.inertia.about_com == (
        *(Fraction(3, 80) * (p * p + q * q) for p, q in ((b, c), (a, c), (a, b))),
        *(p * q / 80 for p, q in ((a, b), (a, c), (b, c))),
    )


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("m.stl", stl(False)[:-1], "its size does not fit to its number of faces"),
        ("m.stl", stl(False)[:84] + struct.pack("<12fH", *[float("nan")] * 12, 0) * 4, "a coordinate is not finite"),
        ("m.stl", bytes(80) + struct.pack("<I", 0), "its inertia is that of its convex hull"),
        ("m.obj", b"v 0 0 0\nf 1 2 3", "a face has a vertex that does not exist"),
        ("m.obj", b"v 0 0 x", "a coordinate is 'x'"),
        ("m.obj", b"f 1 a 3", "it is no file of the format model/obj, or it is damaged"),
        ("m.msh", msh()[:-1], "its size does not fit to the numbers in its header"),
        ("m.msh", b"", "it is no file of the format model/vnd.mujoco.msh, or it is damaged"),
        ("m.dae", b"", "its format '.dae' is not read"),
        ("m.stl", stl(False)[:84] + bytes(200), "its surface has no area"),
    ],
)
def test_damaged_meshes_are_refused(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    asset = f'<asset><mesh name="m" file="{name}"/></asset>'
    (tmp_path / "main.xml").write_text(model(asset, '<body><joint/><geom type="mesh" mesh="m"/></body>'))
    with pytest.raises(MechanismError) as error:
        read_mjcf(tmp_path / "main.xml")
    assert words in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'main.xml'}, line 1: body 'body 1': <geom>: mesh 'm': ")


def test_meshes_in_the_text_may_have_any_numbers() -> None:
    def mesh(vertices: str, faces: str = "0 2 1 0 1 3 0 3 2 1 2 3", scale: str = "1 1 1") -> str:
        asset = f'<asset><mesh name="m" vertex="{vertices}" face="{faces}" scale="{scale}"/></asset>'
        return model(asset, '<body><joint/><geom type="mesh" mesh="m" mass="1"/></body>')

    # In whole numbers of the smallest distance, these vertices are beyond the range of float64.
    assert "centre of mass is about" in refused(mesh("0 0 0 1 0 0 0 1 0 0 0 1", scale="1e-300 1 1e300"))
    for faces in ("0 1 2.5", "0 1 -1", "0 1 4", "0 1 " + "9" * 40):
        assert "a face has a vertex that does not exist" in refused(mesh("0 0 0 1 0 0 0 1 0 0 0 1", faces))


def test_a_mesh_that_gives_no_inertia_is_not_opened() -> None:
    asset = '<asset><mesh name="m" file="missing.stl"/></asset>'
    static = '<body><geom type="mesh" mesh="m"/></body>'
    assert parse_mjcf(model(asset, ARM.replace("<geom", '<geom type="mesh" mesh="m" mass="0"/><geom') + static))
    assert "'missing.stl'" in refused(model(asset, ARM.replace("<geom", '<geom type="mesh" mesh="m"/><geom')))


@pytest.mark.parametrize("part", ["<joint/>", "<freejoint/>", '<inertial mass="1" pos="0 0 0"/>'])
def test_the_world_has_neither_joints_nor_mass(part: str) -> None:
    for around in ("<frame>{}</frame>", '<replicate count="2">{}</replicate>'):
        said = "is in the world, which does not move; put it into a body"
        assert said in refused(model(bodies=ARM + around.format(part)))


@pytest.mark.parametrize("angle", ["radian", "degree"])
def test_a_position_of_a_hinge_is_bounded(angle: str) -> None:
    """1e20 rad are the float64 of a whole number of quarter turns, as most large angles are."""
    body = '<body><joint ref="{}"/><inertial pos="1 2 3" mass="1" diaginertia="1 1 1"/></body>'
    start = f'<compiler angle="{angle}"/>'
    assert parse_mjcf(model(start, body.format("1e6")), "r.xml").nv == 1
    assert "an angle is more than 1000000; give a smaller one" in refused(model(start, body.format("1e20")))


def test_a_class_has_one_element_of_a_kind() -> None:
    twice = '<default><joint damping="1"/><default class="a"><joint damping="2"/></default>{}</default>'
    assert parse_mjcf(model(twice.format("")), "r.xml").bodies[0].joint.damping == 1
    assert "line 1: a second <joint> is in one <default>" in refused(model(twice.format("<joint armature='1'/>")))


# Constraints


def test_connect_holds_the_point_as_the_file_shows_it() -> None:
    m = parse_mjcf(model('<equality><connect name="c" body1="arm" body2="leg" anchor="0.1 0.2 0.3"/></equality>', ARM + LEG))
    (c,) = m.constraints
    assert (c.name, c.first, c.second, c.directions) == ("c", "arm", "leg", ("vx", "vy", "vz"))
    # The frame of a body is at its joint.
    assert c.first_placement.translation == (Fraction("0.1"), Fraction("0.2"), Fraction("0.3"))
    assert c.second_placement.translation == (Fraction("-0.9"), Fraction("-0.3"), Fraction("1.3"))
    (c,) = parse_mjcf(model('<equality><connect body1="leg" anchor="0 0 1"/></equality>', ARM + LEG)).constraints
    assert (c.first, c.second) == ("leg", "world")
    assert c.second_placement.translation == (1, 0, 1)


def test_weld_holds_the_frames_as_the_file_shows_or_says_them() -> None:
    def frames(attributes: str) -> Placement:
        text = model(
            f'<equality><weld body1="arm" body2="leg" {attributes}/></equality>',
            ARM + LEG.replace("name", 'euler="0 0 90" name', 1),
        )
        (c,) = parse_mjcf(text).constraints
        assert len(c.directions) == 6
        # Of MuJoCo's frame of the leg in that of the arm; the leg's own is at its joint.
        return c.first_placement @ c.second_placement.inverse() @ Placement(translation=(0, Fraction(-1, 2), 0))

    turn = Rotation(1, 0, 0, 1).matrix
    for attributes in ("", 'anchor="1 2 3"', 'relpose="7 7 7 0 0 0 0"'):
        assert (frames(attributes).rotation.matrix, frames(attributes).translation) == (turn, (1, 0, -1))
    said = frames('relpose="1 2 3 2 2 0 0" anchor="0 0 1"')
    assert (said.rotation.matrix, said.translation) == (Rotation(1, 1, 0, 0).matrix, (1, 3, 3))


def test_sites_stay_together() -> None:
    bodies = ARM.replace("<geom", '<site name="a" pos="0 0 2" euler="90 0 0"/><geom') + LEG.replace(
        "<geom", '<frame pos="1 0 0"><site name="b"/></frame><geom'
    )
    (c,) = parse_mjcf(model('<equality><weld site1="a" site2="b"/></equality>', bodies)).constraints
    assert c.first_placement == Placement(Rotation(1, 1, 0, 0), (0, 0, 2))
    assert c.second_placement.translation == (1, Fraction(-1, 2), 0)


@pytest.mark.parametrize(
    "inside",
    [
        '<equality><connect body1="arm" body2="leg" anchor="0 0 0" active="false"/></equality>',
        '<option><flag equality="disable"/></option><equality><connect body1="arm" anchor="0 0 0"/></equality>',
        '<default><equality active="false"/></default><equality><weld body1="arm"/></equality>',
    ],
)
def test_constraints_that_do_not_act_are_left_out(inside: str) -> None:
    assert parse_mjcf(model(inside, ARM + LEG)) == parse_mjcf(model("", ARM + LEG))


def test_a_joint_follows_another() -> None:
    text = model('<equality><joint joint1="knee" joint2="hinge" polycoef="0.25 2"/></equality>', ARM + LEG)
    referenced = text.replace('name="knee"', 'name="knee" type="slide" ref="3"').replace('name="hinge"', 'name="hinge" ref="90"')
    for given_text, offset in ((text, Fraction(1, 4)), (referenced, Fraction(13, 4) - 2 * Fraction(np.pi / 2))):
        knee = parse_mjcf(given_text).bodies[1].joint.mimic
        assert knee is not None
        assert (knee.joint, knee.multiplier, knee.offset) == ("hinge", 2, offset)
        assert parse_mjcf(given_text, ignore_mimic=True).nv == 2


@pytest.mark.parametrize(
    ("equality", "words"),
    [
        ('<joint joint1="knee" joint2="hinge" polycoef="0 1 1"/>', "its polycoef is not linear"),
        ('<joint joint1="knee"/>', "it holds one joint where it is, which is not read"),
        ('<joint joint1="knee" joint2="ankle"/>', "'ankle' is no hinge or slide joint of the model"),
        ('<connect body1="foot" anchor="0 0 0"/>', "'foot' is no body of the model"),
        ('<connect body1="leg"/>', "lacks the attribute 'anchor'"),
        ('<weld site1="s" site2="t"/>', "'s' is no site of the model"),
        ('<weld body1="arm" body2="leg" torquescale="0"/>', "its torquescale is 0"),
        ('<tendon tendon1="t"/>', "constraints of tendons are not read"),
        ('<connect body1="arm" body2="arm" anchor="0 0 0"/>', "are fixed to 'arm'"),
    ],
)
def test_constraints_that_are_not_read_are_refused(equality: str, words: str) -> None:
    assert words in refused(model(f"<equality>{equality}</equality>", ARM + LEG))


# What anybody may have written


VOCABULARY = vocabulary("mjcf")


def test_every_word_of_the_vocabulary_is_read_refused_or_ignored_for_a_reason() -> None:
    assert all(part.words for parts in VOCABULARY.values() for part in parts.values())
    kept = {key for key in VOCABULARY if "/" not in key and key != "joint with several velocities"}
    named = {name for parts in VOCABULARY.values() for name in parts if not name.startswith("@")}
    assert kept - named == {"mujoco", "include"}


def test_the_page_shows_the_vocabulary() -> None:
    spec = importlib.util.spec_from_file_location("write_mjcf", ROOT / "docs" / "write_mjcf.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.render(), "run `python docs/write_mjcf.py`"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            model(bodies='<replicate count="2000"><replicate count="2000"><geom size="1"/></replicate></replicate>'),
            "replicates make more",
        ),
        (
            model(bodies='<replicate count="1000"><body><joint/><geom size="1"/></body></replicate><body><joint/></body>'),
            "more than 1000",
        ),
        (model(bodies='<replicate count="0"><geom/></replicate>'), "its count is 0"),
        (model(bodies="<body>" * 120 + "</body>" * 120), "elements deep"),
        (model("<option gravity='" + "1 " * 10**5 + "'/>"), "gravity of <option> has more than 16 numbers"),
        (f"<!DOCTYPE a [<!ENTITY b 'c'>]>{model()}", "the document has a DTD"),
    ],
    ids=["many copies", "many bodies", "no copy", "deep", "many numbers", "entities"],
)
def test_large_documents_are_refused_soon(text: str, words: str) -> None:
    start = time.process_time()
    assert words in refused(text)
    assert time.process_time() - start < 20


READ = [trait.content.decode() for trait in TRAITS.values()]
TAGS = sorted({name for parts in VOCABULARY.values() for name in parts if not name.startswith("@")})
NAMES = sorted({name[1:] for parts in VOCABULARY.values() for name in parts if name.startswith("@")})
VALUES = st.sampled_from(
    ["", "0", "1", "-1", "1 2", "0 0 0", "1 2 3", "1 0 0 0", "1e300", "1e-300", "nan", "true", "arm", "hinge", "mesh"]
)


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_damaged_documents_are_read_or_refused_in_one_sentence(data: st.DataObject) -> None:
    root = fromstring(data.draw(st.sampled_from(READ)))
    for _ in range(data.draw(st.integers(1, 4))):
        elements = list(root.iter())
        element, other = (data.draw(st.sampled_from(elements)) for _ in range(2))
        match data.draw(st.sampled_from(["value", "attribute", "tag", "copy", "remove", "empty"])):
            case "value" if element.attrib:
                element.set(data.draw(st.sampled_from(sorted(element.attrib))), data.draw(VALUES))
            case "attribute":
                element.set(data.draw(st.sampled_from(NAMES)), data.draw(VALUES))
            case "tag" if element is not root:
                element.tag = data.draw(st.sampled_from(TAGS))
            case "copy" if other not in element.iter():
                other.append(fromstring(tostring(element)))
            case "remove" if element.attrib:
                element.attrib.pop(data.draw(st.sampled_from(sorted(element.attrib))))
            case "empty":
                element[:] = []
    text = tostring(root)
    start = time.process_time()
    try:
        assert isinstance(parse_mjcf(text, "m.xml"), Mechanism)
    except MechanismError as error:
        assert re.match(r"m\.xml(, line \d+)?: ", str(error))
        assert "\n" not in str(error)
        assert len(str(error)) < 700
    assert time.process_time() - start < 10


@pytest.mark.parametrize("moments", ['diaginertia="1 1 -1"', 'fullinertia="1 1 1 2 0 0"'])
def test_a_negative_moment_is_refused(moments: str) -> None:
    body = f'<body><joint/><inertial pos="0 0 0" mass="1" {moments}/></body>'
    with pytest.raises(MechanismError, match="a principal moment is negative; correct the inertia"):
        parse_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
