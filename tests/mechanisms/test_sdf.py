"""Reading SDF: what the torture set (test_sdf_traits.py) does not have."""

from __future__ import annotations

import importlib.util
import re
from copy import deepcopy
from fractions import Fraction
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring, tostring

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mechanisms import EARTH, Mechanism, MechanismError, find_mechanism, parse_sdf, read_sdf, write_sdf
from mechanisms.constraint import POINT, WELD
from mechanisms.files.vocabulary import vocabulary
from mechanisms.geometry import Placement, Rotation
from mechanisms.limits import MOST_FRAMES, MOST_INCLUDE_LEVELS, MOST_LINKS
from mechanisms.numbers.exact import exact
from mechanisms.sdf_traits import TRAITS

ARM = "<link name='arm'><inertial><mass>0.1</mass></inertial></link>"


def joint(name="j", type_="revolute", parent="world", child="arm", inside="<axis><xyz>0 1 0</xyz></axis>"):
    return f"<joint name='{name}' type='{type_}'><parent>{parent}</parent><child>{child}</child>{inside}</joint>"


def document(inside, version="1.12", name="m", attributes=""):
    return f"<sdf version='{version}'><model name='{name}'{attributes}>{inside}</model></sdf>"


def parse(inside, **options):
    return parse_sdf(document(inside), "m.sdf", **options)


def refused(text, **options):
    with pytest.raises(MechanismError) as error:
        parse_sdf(text, "m.sdf", **options)
    return str(error.value)


def test_numbers_stay_the_decimals_they_are():
    pose = "<pose>0.1 0.2 0.3 0.1 -1.2 3</pose>"
    link = ARM.replace("<inertial>", pose + "<inertial>")
    m = parse(link + joint(inside="<axis><xyz>0 0.6 0.8</xyz><dynamics><damping>0.7</damping></dynamics></axis>"))
    (body,) = m.bodies
    assert body.joint.placement == Placement(Rotation.from_rpy(0.1, -1.2, 3.0), ("0.1", "0.2", "0.3"))
    assert (body.joint.damping, body.inertia.mass, body.joint.axis[1]) == (exact("0.7"), exact("0.1"), Fraction(3, 5))
    assert (m.name, m.root, m.gravity, m.frames) == ("m", "world", EARTH, ())


def test_the_frame_of_a_link_stays_exactly_where_it_is():
    moved = joint(inside="<pose>0.1 0 0 0 0 0.3</pose><axis/>")
    m = parse(ARM + moved + "<frame name='tip' attached_to='arm'><pose>0 0 0.3 0 0 0</pose></frame>")
    (body,) = m.bodies
    assert (body.name, body.joint.name) == ("j", "j"), "the body is the joint's frame"
    back = Placement(Rotation.from_rpy(0, 0, 0.3), ("0.1", 0, 0)).inverse()
    assert [(f.name, f.body, f.placement.translation) for f in m.frames] == [
        ("arm", 0, back.translation),
        ("tip", 0, back((0, 0, exact("0.3")))),
    ]
    assert m.frames[0].placement.rotation.matrix == back.rotation.matrix
    same = "<pose>0.1 0.2 0.3 0.4 0.5 0.6</pose>"
    in_model = same.replace(">", " relative_to='__model__'>", 1)
    m = parse(ARM.replace("<inertial>", same + "<inertial>") + joint(inside=f"{in_model}<axis/>"))
    assert (m.bodies[0].name, m.frames) == ("arm", ()), "equal turns cancel exactly"


@pytest.mark.parametrize(
    ("thread", "pitch"),
    [
        ("<screw_thread_pitch>0.5</screw_thread_pitch>", 0.5 / (2 * np.pi)),
        ("<thread_pitch>4</thread_pitch>", -0.25),
        ("<thread_pitch>4</thread_pitch><screw_thread_pitch>-0.5</screw_thread_pitch>", -0.5 / (2 * np.pi)),
        ("", 1 / (2 * np.pi)),
    ],
)
def test_the_thread_of_a_screw(thread, pitch):
    (body,) = parse(ARM + joint(type_="screw", inside=f"<axis/>{thread}")).bodies
    assert float(body.joint.pitch) == pytest.approx(pitch, rel=1e-15)
    turned = parse(ARM + joint("weld", "fixed") + "<link name='nut'/>" + joint("s", "screw", "nut", "arm", f"<axis/>{thread}"))
    assert turned.bodies[0].joint.axis == (0, 0, -1), "the parent moves on the child"
    assert float(turned.bodies[0].joint.pitch) == pytest.approx(pitch, rel=1e-15)


def test_the_axes_of_a_universal_joint():
    axes = "<axis><xyz>1 0 0</xyz></axis><axis2><xyz expressed_in='__model__'>1 0 0</xyz></axis2>"
    axes += "<pose>0 0 0 0 0 1.5707963267948966</pose>"
    (body,) = parse(ARM + joint(type_="universal", inside=axes)).bodies
    assert body.joint.axis == (1, 0, 0)
    np.testing.assert_allclose(np.array(body.joint.second_axis, float), (0, -1, 0), atol=1e-15)


# Worlds


def test_the_gravity_of_a_world():
    model = f"<model name='m'>{ARM}{joint()}</model>"
    for inside, version, gravity in (
        ("", "1.12", "-9.8"),
        ("<gravity>0 0 -1.62</gravity>", "1.12", "-1.62"),
        ("<physics><gravity>0 0 -3</gravity></physics>", "1.5", "-3"),
    ):
        m = parse_sdf(f"<sdf version='{version}'><world name='w'>{inside}{model}</world></sdf>")
        assert (m.gravity[2], m.name, m.bodies[0].name) == (exact(gravity), "w", "arm")


def test_names_keep_the_model_where_they_would_be_equal_without_it():
    model = f"<model name='m'>{ARM}{joint()}<frame name='f'/></model>"
    m = parse_sdf(f"<sdf version='1.12'><world name='w'>{model}<frame name='f'/></world></sdf>")
    assert (m.bodies[0].name, {frame.name for frame in m.frames}) == ("m::arm", {"m::f", "f"})


# Loops


def loop(type_, axis="0 1 0", inside=""):
    two = ARM + joint() + "<link name='hand'><pose>1 0 0 0 0 0</pose></link>" + joint("k", parent="arm", child="hand")
    return two + joint("c", type_, "world", "hand", f"<pose>1 0 0 0 0 0</pose><axis><xyz>{axis}</xyz></axis>{inside}")


@pytest.mark.parametrize(
    ("type_", "directions"),
    [
        ("fixed", WELD),
        ("ball", POINT),
        ("revolute", ("wx", "wy", *POINT)),
        ("prismatic", ("wx", "wy", "wz", "vx", "vy")),
    ],
)
def test_a_joint_that_closes_a_loop_is_a_constraint(type_, directions):
    m = parse(loop(type_))
    (constraint,) = m.constraints
    assert (m.nv, constraint.first, constraint.second, constraint.directions) == (2, "world", "hand", directions)
    assert constraint.first_placement.translation == (2, 0, 0)
    assert constraint.second_placement.translation == (1, 0, 0)
    along = constraint.first_placement.rotation((0, 0, 1))
    assert along == ((0, 1, 0) if type_ in ("revolute", "prismatic") else (0, 0, 1)), "z is the joint's axis"


def test_a_loop_without_motion_constrains_nothing():
    welded = ARM + joint() + "<link name='hand'/>" + joint("weld", "fixed", "arm", "hand") + joint("k", "revolute", "arm", "hand")
    assert parse(welded).constraints == ()


def test_a_loop_with_damping_is_refused():
    damped = loop("revolute").replace("</xyz></axis></joint>", "</xyz><dynamics><damping>1</damping></dynamics></axis></joint>")
    assert "joint 'm::c': it closes a loop, where a joint has no damping" in refused(document(damped))


# Options


def test_nothing_in_a_value_is_dropped():
    assert "<mass> has <unit>, but the reader does not know it" in refused(
        document(ARM.replace("</mass>", "<unit/></mass>") + joint())
    )
    unit = document(ARM.replace("<mass>", '<mass unit="g">') + joint())
    assert "<mass> has the attribute 'unit', but the reader does not know it" in refused(unit)


def test_a_tiny_angle_is_written():
    m = parse(ARM.replace("<inertial>", "<pose>0 0 0 0 0 1e-318</pose><inertial>") + joint())
    assert parse_sdf(write_sdf(m)) == m


def test_mimics_may_be_ignored_and_impossible_inertias_accepted():
    two = ARM + joint() + "<link name='hand'/>"
    text = document(two + joint("k", parent="arm", child="hand", inside="<axis><mimic joint='j'/></axis>"))
    assert (parse_sdf(text).nv, parse_sdf(text, ignore_mimic=True).nv) == (1, 2)
    heavy = ARM.replace("</mass>", "</mass><inertia><ixx>5</ixx></inertia>")
    assert "triangle inequality" in refused(document(heavy + joint()))
    assert list(parse(heavy + joint(), physical=False).faults) == ["arm"]


def test_files_are_found_by_their_ending_and_by_their_element(tmp_path):
    for name in ("arm.sdf", "arm.world", "arm.xml", "arm"):
        path = tmp_path / name
        path.write_text(f"<?xml version='1.0'?>\n<!-- <robot> -->\n{document(ARM + joint())}")
        assert find_mechanism(str(path)).bodies[0].name == "arm"
    with pytest.raises(MechanismError, match="SDF says itself what moves freely; leave out free:"):
        find_mechanism(f"free:{tmp_path}/arm.sdf")
    with pytest.raises(MechanismError, match=r"nowhere\.sdf: the file cannot be read \(.*\); give the path of an SDF file"):
        find_mechanism(f"{tmp_path}/nowhere.sdf")


def test_errors_name_the_line():
    strange = joint(inside="<axis>\n<dynamics>\n<stiction>1</stiction></dynamics></axis>")
    assert refused(document(f"\n{ARM}\n{strange}")).startswith("m.sdf, line 5: joint 'j': <dynamics> has <stiction>")


# Files that are included


def folder(tmp_path, main, **models):
    """A folder with main.sdf and with models."""
    for name, (version, inside) in models.items():
        (tmp_path / name).mkdir()
        old = "<sdf version='1.4'>old.sdf</sdf><sdf>older.sdf</sdf>"
        (tmp_path / name / "model.config").write_text(f"<model><name>x</name>{old}<sdf version='{version}'>new.sdf</sdf></model>")
        (tmp_path / name / "new.sdf").write_text(document(inside, version, name))
    path = tmp_path / "main.sdf"
    path.write_text(main)
    return path


def include(uri, inside="", attributes=""):
    return f"<include{attributes}><uri>{uri}</uri>{inside}</include>"


TOOL = (
    "1.7",
    f"<pose>9 9 9 0 0 0</pose>{ARM}<link name='tip'><pose>0 0 1 0 0 0</pose></link>{joint('k', 'revolute', 'arm', 'tip')}",
)


@pytest.mark.parametrize("uri", ["model://tool", "tool", "./tool", "tool/new.sdf", "model://tool/new.sdf"])
def test_a_model_is_included(tmp_path, uri):
    pose = "<pose>1 0 0 0 0 0</pose>"
    path = folder(tmp_path, document(include(uri, f"<name>t</name>{pose}") + joint(child="t::arm")), tool=TOOL)
    m = read_sdf(path)
    assert [(b.name, b.joint.name) for b in m.bodies] == [("t::arm", "j"), ("t::tip", "t::k")]
    assert m.bodies[0].joint.placement.translation == (1, 0, 0), "the pose takes the place of the model's own"


def test_an_included_model_keeps_its_pose_and_is_static_or_placed_otherwise(tmp_path):
    path = folder(tmp_path, document(include("tool") + joint(child="tool::arm")), tool=TOOL)
    assert read_sdf(path).bodies[0].joint.placement.translation == (9, 9, 9)
    path.write_text(document(include("tool", "<static>true</static>") + ARM + joint(parent="tool::tip")))
    assert [body.name for body in read_sdf(path).bodies] == ["arm"]
    placed = "<placement_frame>tip</placement_frame><pose>0 0 0 0 0 0</pose>"
    path.write_text(document(include("tool", placed) + joint(child="tool::arm")))
    assert read_sdf(path).bodies[0].joint.placement.translation == (0, 0, -1)
    path.write_text(document(include("tool", placed.partition("<pose>")[0])))
    with pytest.raises(MechanismError, match="it has <placement_frame> and no <pose>; add one"):
        read_sdf(path)


def test_a_model_is_merged(tmp_path):
    tool = f"<frame name='f'/>{ARM}<link name='tip'><pose relative_to='arm'>0 0 1 0 0 0</pose></link>" + joint(
        "k",
        "revolute",
        "arm",
        "tip",
        "<pose relative_to='__model__'>0 0 0 0 0 0</pose><axis><xyz expressed_in='__model__'>1 0 0</xyz></axis>",
    )
    pose = "<pose>1 0 0 0 0 1.5707963267948966</pose>"
    main = document(include("tool", pose, " merge='true'") + joint(parent="world", child="arm"))
    m = read_sdf(folder(tmp_path, main, tool=("1.9", tool)))
    assert [(b.name, b.joint.name) for b in m.bodies] == [("arm", "j"), ("k", "k")]
    assert m.bodies[0].joint.placement.translation == (1, 0, 0)
    frames = {frame.name: frame for frame in m.frames}
    assert {"_merged__tool__model__", "f", "tip"} == frames.keys()
    np.testing.assert_allclose(np.array(frames["f"].placement.translation, float), 0, atol=0)
    np.testing.assert_allclose(np.array(m.bodies[1].joint.axis, float), (1, 0, 0), atol=1e-15)
    merged = include("tool", attributes=" merge='1'")
    (tmp_path / "main.sdf").write_text(f"<sdf version='1.12'><world name='w'>{merged}</world></sdf>")
    with pytest.raises(MechanismError, match="only models without a placement frame are merged, into models"):
        read_sdf(tmp_path / "main.sdf")


def test_actors_and_lights_of_a_world_are_left_out(tmp_path):
    (tmp_path / "sun.sdf").write_text("<sdf version='1.9'><light name='sun'/></sdf>")
    world = f"<sdf version='1.12'><world name='w'>{include('sun.sdf')}<model name='m'>{ARM}{joint()}</model></world></sdf>"
    (tmp_path / "main.sdf").write_text(world)
    assert read_sdf(tmp_path / "main.sdf").nv == 1


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("../outside.sdf", "there is no such file in the document's folder"),
        ("{outside}", "there is no such file in the document's folder"),
        ("link.sdf", "there is no such file in the document's folder"),
        ("model://../outside.sdf", "there is no such file in the document's folder"),
        ("file:///etc/passwd", "only model:// and paths are looked for"),
        ("https://fuel.gazebosim.org/1.0/x", "only model:// and paths are looked for"),
        ("a:b", "there is no such file in the document's folder"),
        ("empty", "model.config cannot be read"),
        ("two.sdf", "the file has no model, or several"),
        ("main.sdf", "files include each other, or more than 200 are included, 20 deep"),
        ("bad.sdf", "link 'arm': it has <mass>, but the reader does not know it"),
    ],
)
def test_no_file_outside_of_the_folder_is_included(tmp_path, uri, why):
    outside = tmp_path / "outside.sdf"
    outside.write_text(document(ARM))
    inner = tmp_path / "inner"
    (inner / "empty").mkdir(parents=True)
    (inner / "link.sdf").symlink_to(outside)
    (inner / "two.sdf").write_text(document(ARM).replace("</sdf>", "<model name='n'/></sdf>"))
    (inner / "bad.sdf").write_text(document("\n<link name='arm'>\n<mass>1</mass></link>"))
    path = inner / "main.sdf"
    path.write_text(document(include(uri.format(outside=outside))))
    with pytest.raises(MechanismError) as error:
        read_sdf(path)
    assert why in str(error.value)
    assert "\n" not in str(error.value)
    if uri == "bad.sdf":
        assert str(error.value).startswith(f"{inner}/bad.sdf, line 3: ")


def test_deep_and_many_includes_are_refused(tmp_path):
    for k in range(MOST_INCLUDE_LEVELS + 2):
        (tmp_path / f"{k}.sdf").write_text(
            document(ARM + include(f"{k + 1}.sdf") if k <= MOST_INCLUDE_LEVELS else ARM, name=f"m{k}")
        )
    with pytest.raises(MechanismError, match="20 deep; include fewer"):
        read_sdf(tmp_path / "0.sdf")
    assert read_sdf(tmp_path / "2.sdf").nv == 6 * MOST_INCLUDE_LEVELS
    many = "".join(include("leaf.sdf", f"<name>n{k}</name>") for k in range(201))
    (tmp_path / "leaf.sdf").write_text(document(ARM))
    (tmp_path / "main.sdf").write_text(document(many))
    with pytest.raises(MechanismError, match="more than 200 are included"):
        read_sdf(tmp_path / "main.sdf")


# Large documents


@pytest.mark.slow
def test_long_chains_are_read_and_too_long_ones_refused():
    links = "".join(
        f"<link name='l{k}'><pose relative_to='l{k - 1}'>0.1 0 0 0 0 0.1</pose></link>"
        + joint(f"j{k}", "revolute", f"l{k - 1}", f"l{k}")
        for k in range(1, 100)
    )
    m = parse("<link name='l0'/>" + joint("j0", child="l0") + links)
    assert (m.nv, m.frames) == (100, ())
    assert m.bodies[-1].joint.placement == Placement(Rotation.from_rpy(0, 0, 0.1), ("0.1", 0, 0))
    frames = "".join(
        f"<frame name='f{k}' attached_to='arm'><pose relative_to='f{k - 1}'>0 0 0 0 0 0.1</pose></frame>" for k in range(1, 121)
    )
    m = parse(ARM + joint() + "<frame name='f0' attached_to='arm'/>" + frames)
    turned = np.array(m.frames[-1].placement.rotation.matrix, float)
    np.testing.assert_allclose(turned, np.array(Rotation.from_rpy(0, 0, 12).matrix, float), atol=1e-13)
    assert f"give {MOST_LINKS} links, and {MOST_FRAMES} links, joints" in refused(
        document("".join(f"<frame name='g{k}'/>" for k in range(MOST_FRAMES)) + ARM + joint())
    )


def test_models_nested_deeply_are_read_or_refused():
    deep = ARM
    for k in range(90):
        deep = f"<model name='n{k}'>{deep}</model>"
    assert parse(deep).nv == 6
    assert "elements deep" in refused(document("<model name='x'>" * 9 + deep + "</model>" * 9))


# The table


def test_the_page_shows_the_vocabulary():
    path = Path(__file__).parents[2] / "docs" / "write_sdf.py"
    spec = importlib.util.spec_from_file_location("write_sdf", path)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.render(), "run `python docs/write_sdf.py`"


def test_every_part_that_is_read_has_a_path_of_its_own_or_none():
    known = vocabulary("sdf")
    named = {child for parts in known.values() for child, part in parts.items() if part.use == "read"}
    assert {path.rpartition("/")[2] for path in known} - named == {"sdf"}
    assert {part.unless for parts in known.values() for part in parts.values()} == {"", "zero", "false"}


# Documents that nobody would write: a mechanism or one sentence, and never anything else


CHANGES = ("text", "text", "text", "set", "unset", "remove", "double", "move")
WORDS = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs", "Cn"]), max_size=3)
NUMBERS = st.one_of(st.sampled_from(["0", "-1", "1e-3", "1e300", "1e-300", "1e999", "nan", "inf", "", "0x1", "1_0"]), WORDS)
TEXTS = st.one_of(
    NUMBERS,
    st.lists(NUMBERS, max_size=7).map(" ".join),
    st.sampled_from(
        ["arm", "base", "world", "shoulder", "__model__", "tool::arm", "tool", "robot", "true", "gearbox", "ball", "1.4"]
    ),
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A file of the torture set with one to four changes."""
    readable = [trait for trait in TRAITS.values() if trait.joints is not None]
    root = fromstring(draw(st.sampled_from(readable)).content)
    for change in draw(st.lists(st.sampled_from(CHANGES), min_size=1, max_size=4)):
        parent = draw(st.sampled_from([element for element in root.iter() if len(element)] or [root]))
        element: Element = draw(st.sampled_from(list(parent) or [parent]))
        name = draw(st.sampled_from([*element.keys(), "name", "relative_to", "attached_to", "expressed_in"]))
        if change == "text":
            element.text = draw(TEXTS)
        elif change == "set":
            element.set(name, draw(TEXTS))
        elif change == "unset":
            element.attrib.pop(name, None)
        elif change == "double":
            parent.append(deepcopy(element))
        elif element is not parent:
            parent.remove(element)
            if change == "move":
                draw(st.sampled_from(list(root.iter()))).append(element)
    return tostring(root)


def read(text: bytes, **options: bool) -> Mechanism | None:
    """The mechanism, or None where the document is refused in one sentence."""
    try:
        return parse_sdf(text, "some.sdf", **options)
    except MechanismError as error:
        assert re.match(r"some\.sdf(, line \d+)?: ", str(error))
        assert "\n" not in str(error)
        return None


@pytest.mark.slow
@settings(max_examples=80, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(), st.booleans(), st.booleans())
def test_damaged_documents_are_read_or_refused(text: bytes, physical: bool, ignore_mimic: bool) -> None:
    read(text, physical=physical, ignore_mimic=ignore_mimic)


@pytest.mark.nightly
@settings(max_examples=3000, suppress_health_check=[HealthCheck.too_slow])
@given(damaged(), st.booleans(), st.booleans())
def test_many_damaged_documents_are_read_or_refused(text: bytes, physical: bool, ignore_mimic: bool) -> None:
    read(text, physical=physical, ignore_mimic=ignore_mimic)


def test_the_files_of_the_torture_set_are_read_from_the_disk():
    assert read_sdf(TRAITS["plain file"].folder / "plain-file.sdf").nv == 1
