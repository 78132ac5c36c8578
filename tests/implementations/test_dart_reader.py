"""What DART's own readers make of files: the numbers, what it says, what it refuses, and what we cut out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.read.readers.compare import differences
from implementations.engines.dart.adapter import DART
from implementations.engines.dart.reader import read, without_meshes
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import parse_urdf, robot
from mechanisms.quantities import QUANTITIES, USUAL
from mechanisms.reading import ReadMimic
from mechanisms.urdf_reading import reading_of

INERTIAL = """<inertial><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><mass value="2"/>
<inertia ixx=".3" iyy=".4" izz=".5" ixy=".01" ixz=".02" iyz=".03"/></inertial>"""
LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def arm(first: str = 'type="revolute"', tool: str = INERTIAL, more: str = "", root: str = "ground") -> str:
    """A base with mass that does not move, an arm, a flange that is welded to the arm, and a tool that slides on the flange."""
    dynamics = '<dynamics damping=".7" friction=".2"/>' if "revolute" in first else ""
    return f"""<robot name="arm"><link name="{root}">{INERTIAL}</link><link name="arm">{INERTIAL}</link>
<link name="flange">{INERTIAL}</link><link name="tool">{tool}</link>
<joint name="hinge" {first}><origin xyz="0 0 1" rpy="1 2 3"/><parent link="{root}"/><child link="arm"/><axis xyz="0 .6 .8"/>
{LIMIT}{dynamics}</joint>
<joint name="weld" type="fixed"><origin xyz="0 1 0" rpy="0 0 1"/><parent link="arm"/><child link="flange"/></joint>
<joint name="slide" type="prismatic"><origin xyz="1 0 0" rpy="1 0 0"/><parent link="flange"/><child link="tool"/>
<axis xyz="1 0 0"/>{LIMIT}{more}</joint></robot>"""


@pytest.fixture
def dart() -> Any:
    return pytest.importorskip("dartpy", reason="DART has no wheel for this platform")


@pytest.mark.engines
@pytest.mark.parametrize("free_base", [False, True])
def test_a_file_is_read_as_we_read_it(dart: Any, free_base: bool) -> None:
    ours, _ = reading_of(arm(), free_base)
    theirs = read(arm(), "urdf", free_base).reading
    assert [joint.name for joint in theirs.joints] == ["root_joint"] * free_base + ["hinge", "slide"]
    assert [(row.row, row.joint) for row in differences(ours, theirs)] == []
    hinge = theirs.joints[-2]
    assert (hinge.limits, hinge.damping, hinge.friction, hinge.armature) == ((-1, 2, 3, 4), 0.7, 0.2, None)
    assert theirs.said == ()


@pytest.mark.engines
@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize("first", ['type="revolute"', 'type="floating"', 'type="planar"'])
def test_the_model_that_it_reads_agrees_with_the_reference(dart: Any, first: str, free_base: bool) -> None:
    """Welds, a base with mass, damping, skew axes, and what floats or slides behind a rotated origin."""
    mechanism = parse_urdf(arm(first), "arm", free_base)
    model = read(arm(first), "urdf", free_base)
    dynamics = undone(mechanism, model.dynamics(mechanism, list(range(len(mechanism.bodies)))))
    reference = REFERENCE.load(mechanism)
    rng = np.random.default_rng(5)
    q = rng.normal(size=(2, mechanism.nq))
    for _, slot in mechanism.slots("quaternion"):
        q[:, slot] /= np.linalg.norm(q[:, slot], axis=1, keepdims=True)
    v, a, tau = rng.normal(size=(3, 2, mechanism.nv))
    state = {"q": q, "v": v, "a": a, "tau": tau, "f": rng.normal(size=(2, len(mechanism.bodies), 6))}
    for name in USUAL:
        arguments = [state[x] for x in QUANTITIES[name].arguments]
        try:
            got = getattr(dynamics, name)(*arguments)
        except AttributeError:
            continue
        expected = getattr(reference, name)(*arguments)
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * max(1, abs(expected).max()), err_msg=name)


@pytest.mark.engines
def test_the_inverse_mass_matrix_is_still_wrong_behind_a_weld(dart: Any) -> None:
    """Once it is right, the finding's versions must not include that release."""
    mechanism = parse_urdf(arm(), "arm")
    dynamics = read(arm(), "urdf", False).dynamics(mechanism, [0, 1])
    q = np.array([[0.3, 0.4]])
    assert abs(dynamics.forward_dynamics_dtau(q) @ dynamics.mass_matrix(q) - np.eye(2)).max() > 0.01


@pytest.mark.engines
def test_many_turns_about_a_skew_axis_are_still_imprecise_and_sizes_count_it(dart: Any) -> None:
    """Once they are precise, the page's versions must not include that release."""
    text = arm().replace('xyz="0 .6 .8"', 'xyz="0.577350269189626 0.577350269189626 0.577350269189626"')
    mechanism = parse_urdf(text, "arm")
    dynamics, q = read(text, "urdf", False).dynamics(mechanism, [0, 1]), np.array([[1000.0, 0.0], [-1e5, 0.1]])
    expected = REFERENCE.load(mechanism).placements(q)
    assert abs(dynamics.placements(q) - expected).max() > 1e-13
    size = ErrorScale(mechanism).size("placements", q)
    assert in_epsilons(dynamics.placements(q) - expected, size).max() <= BAR


@pytest.mark.engines
def test_everything_is_said_at_position_zero_also_where_limits_exclude_it(dart: Any) -> None:
    excluded = arm().replace('lower="-1"', 'lower="1"')
    ours, _ = reading_of(excluded)
    assert [(row.row, row.joint) for row in differences(ours, read(excluded, "urdf", False).reading)] == []


@pytest.mark.engines
def test_a_link_without_inertia_has_one_kilogram(dart: Any) -> None:
    *_, slide = read(arm(tool=""), "urdf", False).reading.joints
    assert (slide.carries.mass, slide.carries.inertia[:3]) == (1, pytest.approx((1, 1, 1)))


@pytest.mark.engines
def test_what_mimics_is_read_and_moves_on_its_own(dart: Any) -> None:
    mimic = '<mimic joint="hinge" multiplier="2" offset=".5"/>'
    model = read(arm(more=mimic), "urdf", False)
    assert model.reading.joints[1].mimic == ReadMimic("hinge", 2, 0.5)
    mechanism = parse_urdf(arm(), "arm")
    dynamics, free = model.dynamics(mechanism, [0, 1]), read(arm(), "urdf", False).dynamics(mechanism, [0, 1])
    state = np.array([[0.3, 0.4]]), np.array([[1.0, 2.0]]), np.array([[3.0, -4.0]])
    assert np.array_equal(dynamics.forward_dynamics(*state), free.forward_dynamics(*state))


@pytest.mark.engines
def test_meshes_that_are_not_there_are_cut_out_and_this_is_said(dart: Any) -> None:
    mesh = '<visual>\n<geometry><mesh filename="package://none/tool.stl"/></geometry>\n</visual>'
    reading = read(arm(tool=INERTIAL + mesh), "urdf", False).reading
    assert reading.said == ("1 element with a mesh was cut out of the text, because DART refuses meshes that are not there",)
    assert reading.joints == read(arm(), "urdf", False).reading.joints


@pytest.mark.engines
@pytest.mark.parametrize(
    ("text", "form", "sentence"),
    [
        ("<robot", "urdf", "DART refuses the file: .*line 101"),
        ("", "urdf", "DART refuses the file: .*blank string"),
        ("", "mjcf", "DART refuses the file: "),
        ("<robot/>", "mjcf", "DART refuses the file: .*Failed to find <mujoco> at the root"),
        ("<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>", "sdf", "DART refuses the file: .*1.9"),
        (arm(first='type="hinge"'), "urdf", "DART refuses the file: .*hinge"),
        ("\x00\x01<&", "sdf", "DART refuses the file: "),
    ],
)
def test_what_it_refuses_it_refuses_in_its_own_words(dart: Any, capfd: Any, text: str, form: Any, sentence: str) -> None:
    with pytest.raises(Unsupported, match=sentence) as refused:
        read(text, form, False)
    assert "\x1b" not in str(refused.value)
    assert "dalembert-" not in str(refused.value)
    assert "\n" not in str(refused.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.engines
def test_a_link_called_world_does_not_move(dart: Any) -> None:
    assert len(read(arm(root="world"), "urdf", False).reading.joints) == 2
    with pytest.raises(Unsupported, match='DART takes a link called "world" for the world itself'):
        read(arm(root="world"), "urdf", True)


@pytest.mark.engines
@pytest.mark.parametrize("form", ["sdf", "mjcf"])
def test_files_that_say_what_floats_are_not_put_on_a_free_base(dart: Any, form: Any) -> None:
    with pytest.raises(Unsupported, match="says itself what moves freely"):
        read("", form, True)


@pytest.mark.engines
def test_sdf(dart: Any) -> None:
    """The root moves freely unless the file welds it to the world; moments are not rotated, which is a fault (docs/findings)."""
    text = """<sdf version="1.6"><model name="m"><link name="base"/><link name="a"><pose>0 0 1 0 0 0</pose><inertial>
<pose>.1 .2 .3 0 0 1.5707963267948966</pose><mass>2</mass><inertia><ixx>.3</ixx><iyy>.4</iyy><izz>.5</izz><ixy>0</ixy><ixz>0</ixz>
<iyz>0</iyz></inertia></inertial></link><joint name="j" type="revolute"><parent>base</parent><child>a</child>
<axis><xyz>0 1 0</xyz><dynamics><damping>.7</damping></dynamics></axis></joint></model></sdf>"""
    reading = read(text, "sdf", False).reading
    assert [(joint.name, joint.kind) for joint in reading.joints] == [("root_joint", "free"), ("j", "revolute")]
    joint = reading.joints[1]
    assert (joint.parent, joint.origin, joint.axis, joint.damping) == ("root_joint", (0, 0, 1), (0, 1, 0), 0.7)
    assert joint.carries.com == pytest.approx((0.1, 0.2, 1.3))
    assert joint.carries.inertia[:3] == pytest.approx((0.3, 0.4, 0.5))
    assert any("Link [base] is missing <inertial>" in line for line in reading.said)


@pytest.mark.engines
def test_mjcf(dart: Any) -> None:
    text = """<mujoco model="m"><worldbody><body name="a" pos="0 0 1"><joint name="j" type="slide" axis="0 1 0" damping="2"/>
<geom type="sphere" size=".1" mass="3"/></body></worldbody></mujoco>"""
    (joint,) = read(text, "mjcf", False).reading.joints
    assert (joint.name, joint.kind, joint.origin, joint.axis) == ("j", "prismatic", (0, 0, 1), pytest.approx((0, 1, 0)))
    assert (joint.carries.mass, joint.damping, joint.carries.inertia[0]) == (3, 2, 1)


@pytest.mark.engines
@pytest.mark.slow
@pytest.mark.parametrize("name", ["talos-arm", "solo12", "iris"])
def test_real_robots_are_read_as_we_read_them(dart: Any, name: str) -> None:
    source = robot(name).source
    assert source is not None
    ours, _ = reading_of(source.text, source.free_base)
    theirs = read(source.text, "urdf", source.free_base).reading
    assert [(row.row, row.joint) for row in differences(ours, theirs) if row.row not in ("armature", "limits")] == []


def test_only_elements_with_meshes_are_cut_and_lines_stay_where_they_are() -> None:
    box = "<visual><geometry><box size='1 1 1'/></geometry></visual>"
    mesh = "<collision >\n<geometry>\n<mesh filename='ä.stl'/></geometry></collision\n>"
    text = f"<robot name='ä'><!-- <visual><mesh/></visual> -->{box}{mesh}<link name='x'/></robot>"
    assert without_meshes(text) == (text.replace(mesh, "\n\n\n"), 1)
    assert without_meshes(f"<sdf><visual><collision><mesh/></collision></visual>{box}</sdf>") == (f"<sdf>{box}</sdf>", 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<robot><visual><mesh/>",
        "<robot><mesh/></robot>",
        '<!DOCTYPE r [<!ENTITY a "<visual><mesh/></visual>">]><r>&a;</r>',
        "<r><visual><mesh/></visual>&none;</r>",
    ],
)
def test_a_text_that_cannot_be_cut_stays_as_it_is(text: str) -> None:
    assert without_meshes(text) == (text, 0)


def undone(mechanism: Any, dynamics: Any) -> Any:
    """The dynamics without the known faults of DART on files."""
    return Prediction(findings_of("dart-urdf", DART().version), mechanism).without(dynamics)
