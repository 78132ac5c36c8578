"""What engines' own readers make of files: the same robot as ours, and what they say, refuse, and take otherwise."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, states

from cross_check.exchange.results.objects import BAR
from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from cross_check.judge.error_scale.sizes import ErrorScale, in_epsilons
from cross_check.read.readers.compare import differences
from cross_check.read.readers.edited import File
from cross_check.read.readers.explain import explain
from implementations.engines.as_read import AsRead
from implementations.engines.declared import ENGINES
from implementations.engines.files import without_meshes
from implementations.protocol import Missing, Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import parse_urdf
from mechanisms.files.by_form import read_text
from mechanisms.files.urdf.reading import reading_of
from mechanisms.numbers.precision import precision_named
from mechanisms.reading import Reading

pytestmark = pytest.mark.engines

READERS = ("adam", "dart", "drake", "idyntree", "mujoco", "newton", "pinocchio", "pybullet")


@cache
def as_read(name: str) -> AsRead:
    return AsRead(next(engine for engine in ENGINES if engine.name == name))


def read(name: str, text: str, form: Any = "urdf", free_base: bool = False) -> Reading:
    return as_read(name).read(text, form, free_base)


def right(name: str, mechanism: Any) -> set[str]:
    """The quantities that are offered, each right to the engine's precision, apart from known faults."""
    engine = as_read(name)
    precision = precision_named(engine.precision or "float64")
    loaded = engine.load(mechanism.in_precision(precision))
    dynamics = Prediction(findings_of(engine.name, engine.version), mechanism).without(loaded)
    return agreeing(dynamics, mechanism, batch=2, tolerance=64 * precision.epsilon if engine.precision else 1e-12)


@pytest.fixture(params=READERS)
def name(request: pytest.FixtureRequest) -> str:
    try:
        assert as_read(request.param).version
    except Missing as missing:
        pytest.skip(str(missing))
    return str(request.param)


def only(*names: str) -> Any:
    return pytest.mark.parametrize("name", names, indirect=True)


MOMENTS = '<inertia ixx=".3" iyy=".4" izz=".5" ixy=".01" ixz=".02" iyz=".03"/>'
TURNED = f'<inertial><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><mass value="2"/>{MOMENTS}</inertial>'
MESH = '<visual>\n<geometry><mesh filename="package://nowhere/a.stl"/></geometry>\n</visual>'
SKEW = '<axis xyz="0 .6 .8"/>'
LIMITED = f'{SKEW}<limit lower="-1" upper="2" velocity="3" effort="4"/>'


def link(name: str, inside: str = TURNED) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = SKEW) -> str:
    origin = '<origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/>'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{origin}{inside}</joint>'


def robot(*elements: str) -> str:
    return f'<robot name="made">{"".join(elements)}</robot>'


GROUND = link("base", f'<inertial><origin xyz="9 9 9" rpy="0 0 0"/><mass value="2"/>{MOMENTS}</inertial>')
HINGE = joint("hinge", "revolute", "base", "arm", LIMITED + '<dynamics damping=".7" friction=".2"/>')
ARM = robot(
    *(GROUND, link("arm"), link("flange"), link("tool", TURNED + MESH), link("pen")),
    *(HINGE, joint("weld", "fixed", "arm", "flange"), joint("turn", "continuous", "base", "pen")),
    joint("slide", "prismatic", "flange", "tool", LIMITED),
)
"""A base with mass, an arm, a flange that is welded to it, a tool that slides on the flange, and a pen on the base."""


ADAMS = ARM.replace("prismatic", "revolute")
"""adam computes no prismatic joint."""

PYBULLETS = ARM.replace(' ixy=".01" ixz=".02" iyz=".03"', ' ixy="0" ixz="0" iyz="0"')
"""PyBullet finds principal axes to six digits."""

KEPT = {
    "adam": (None, None, None, None, None, None),
    "drake": (0.7, None, -1, 2, 3, None),
    "mujoco": (0.7, 0.2, -1, 2, None, 4),
    "newton": (float(np.float32(0.7)), float(np.float32(0.2)), -1, 2, 3, 4),
}
"""Damping, friction and limits of the hinge, where not all of them are kept."""


def test_the_robot_is_that_of_our_reader_and_computed_right(name: str) -> None:
    text = {"adam": ADAMS, "pybullet": PYBULLETS}.get(name, ARM)
    for free_base in (False, True):
        ours, mechanism = reading_of(text, free_base)
        theirs = read(name, text, free_base=free_base)
        assert [(row.row, row.joint) for row in differences(ours, theirs) if not row.is_digits] == []
        hinge = next(joint for joint in theirs.joints if joint.name == "hinge")
        assert hinge.parent == ("root_joint" if free_base else "")
        assert (hinge.damping, hinge.friction, *hinge.limits) == KEPT.get(name, (0.7, 0.2, -1, 2, 3, 4))
        links = {("base", hinge.parent), ("arm", "hinge"), ("flange", "hinge"), ("tool", "slide"), ("pen", "turn")}
        assert {(one.name, one.joint) for one in theirs.links} == (set() if name in ("adam", "pinocchio") else links)
        assert Reading.from_document(theirs.to_document()) == theirs
        if free_base and name == "pybullet":
            with pytest.raises(Unsupported, match="does not convert PyBullet's free base"):
                as_read(name).load(mechanism)
            return
        offered = right(name, mechanism)
        assert offered >= {"mass_matrix", "gravity", "nonlinear_effects"}
        assert len(offered) >= {"adam": 6, "newton": 8, "pybullet": 5}.get(name, 20)


def test_pybullet_is_asked_for_no_forces_on_a_base_whose_principal_axes_are_turned() -> None:
    """It ignores how the base is turned (docs/findings/pybullet-turned-base.md)."""
    text = PYBULLETS.replace('rpy="0 0 0"', 'rpy="0 .5 0"', 1)
    _, mechanism = reading_of(text, False)
    dynamics = as_read("pybullet").load(mechanism)
    assert "mass_matrix" in agreeing(dynamics, mechanism, batch=2)
    for ask in (dynamics.gravity, dynamics.jacobians_aligned):
        with pytest.raises(Unsupported, match="ignore how a fixed base is turned"):
            ask(np.zeros((1, mechanism.nq)))


LOOSE = '<inertial><mass value="0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
IMPOSSIBLE = TURNED.replace('izz=".5"', 'izz="5"')
BOX = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
NOTHING = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'


@pytest.mark.parametrize(
    ("name", "inertial", "mass", "moment"),
    [
        ("dart", "", 1, 1),
        ("mujoco", BOX, 6, None),
        ("newton", BOX, 6, None),
        ("newton", "", 0, 0),
        ("drake", LOOSE, 1, None),
        ("drake", IMPOSSIBLE, 2, None),
        ("pybullet", "", 1, None),
        ("pybullet", NOTHING, 0, 0),
    ],
    indirect=["name"],
)
def test_what_a_link_without_possible_inertia_gets(name: str, inertial: str, mass: float, moment: float | None) -> None:
    """A kilogram, the mass of its geometry, or a ball of water; dalembert diff says what to write instead."""
    got = read(name, robot(link("base"), link("arm", inertial), joint("hinge", "continuous", "base", "arm"))).joints[0].carries
    assert got.mass == pytest.approx(mass)
    assert moment is None or got.inertia[:3] == pytest.approx((moment,) * 3)


FOOT, HAND = joint("hip", "continuous", "base", "foot"), joint("wrist", "continuous", "foot", "hand")
WATER = robot(link("base"), link("foot", LOOSE), link("hand", IMPOSSIBLE), FOOT, HAND)
SAME_MASS = "puts a ball of water of the same mass in place of an inertia that no body can have"
FLOATING = robot(link("base"), link("arm"), link("ball"), HINGE, joint("flight", "floating", "arm", "ball", ""))


PARENT = "takes the parent and the origin of floating joints for those of the world"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "sentences"),
    [
        pytest.param("drake", WATER, ["puts a ball of water of 1 kg in place of moments without mass", SAME_MASS], id="water"),
        pytest.param("drake", FLOATING, [PARENT], id="floating"),
    ],
    indirect=["name"],
)
def test_what_is_read_otherwise_is_explained(name: str, text: str, sentences: list[str]) -> None:
    explained = explain(File(text, free_base=False), read(name, text))
    assert sorted(one.hypothesis.sentence for one in explained.misread) == sentences
    assert not explained.remaining


# What they say, and what they refuse


MIMIC = joint("slide", "continuous", "base", "tool", SKEW + '<mimic joint="hinge" multiplier="2" offset=".5"/>')
LEADS = robot(GROUND, link("arm"), link("tool"), HINGE, MIMIC)
CUT_BY_HAND = robot(link("base"), link("arm", IMPOSSIBLE), HINGE.partition("<dynamics")[0] + "</joint>")
MESHED = link("base", MESH), link("arm", TURNED + MESH), joint("j", "continuous", "base", "arm")
MESHES = robot(*MESHED).replace("visual", "collision")
BARE = robot(link("base", ""), link("a", ""), joint("j", "planar", "base", "a"))
NO_INERTIA = "No inertial data for link, using mass=1, localinertiadiagonal = 1,1,1, identity local inertial frame: base, a"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("dart", ARM, ["1 element with a mesh was cut out of the text, because DART refuses meshes that are not there"]),
        ("drake", ARM, ["line 3: warning: A joint has specified a non-zero value for the 'friction' attribute"]),
        ("drake", LEADS, ["line 1: warning", "constraints of the file, which plants with continuous time refuse"]),
        ("drake", CUT_BY_HAND, ["line 1: warning"]),
        ("idyntree", ARM.replace(LIMITED, SKEW, 1), ["[WARNING] JointElement :: : Joint hinge misses the limit tag."]),
        ("mujoco", MESHES, ["2 geometries were left out before it built the model", "bodies without an inertia"]),
        ("mujoco", LEADS.replace('joint="hinge"', 'joint="nobody"'), ["<mimic> on joint 'slide' ignored"]),
        ("pybullet", ARM, ["<visual> and <collision> were taken out of the text"]),
        ("pybullet", BARE, [NO_INERTIA]),
        ("pybullet", BARE.replace("planar", "floating"), [NO_INERTIA, "Warning: joint unsupported, creating a fixed joint"]),
    ],
    indirect=["name"],
)
def test_what_is_left_out_or_ignored_is_said_and_nothing_is_printed(
    name: str, text: str, said: list[str], capfd: Any, caplog: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = read(name, text).said
    assert len(lines) == len(said), lines
    assert all(words in line for line, words in zip(lines, said, strict=True)), lines
    assert capfd.readouterr() == ("", "")
    assert not caplog.records
    assert not list(tmp_path.iterdir()), "MuJoCo would write its warnings into a file"


FETCHED = ARM.replace("package://nowhere", "http://127.0.0.1:9")
NO_HINGE = ARM.replace("revolute", "hinge")
WELDED_WORLD = robot(link("world", ""), link("b"), joint("j", "fixed", "world", "b"))
WORLD = WELDED_WORLD.replace("fixed", "continuous")
TO_WORLD = robot(link("b"), link("world"), joint("j", "continuous", "b", "world"))
UNLIMITED = ARM.replace(MESH, "").replace("revolute", "continuous").replace("<limit", "<unlimited")
NO_RANGE = robot(link("base"), link("arm"), joint("j", "revolute", "base", "arm", '<limit lower="2" upper="1"/>'))
EMPTY = robot(link("base"), link("arm", ""), joint("j", "continuous", "base", "arm"))


@pytest.mark.parametrize(
    ("name", "text", "form", "free_base", "words"),
    [
        ("adam", "<robot/>", "urdf", False, "adam refuses the file"),
        ("adam", "", "urdf", False, "adam refuses the file: it has no <robot>"),
        ("adam", "<mujoco/>", "mjcf", False, "adam has no reader of MJCF"),
        ("dart", "<robot", "urdf", False, "DART refuses the file: .*line 101"),
        ("dart", "", "urdf", False, "DART refuses the file: .*blank string"),
        ("dart", NO_HINGE, "urdf", False, "DART refuses the file: .*hinge"),
        ("dart", WELDED_WORLD, "urdf", True, 'DART takes a link called "world" for the world itself'),
        ("dart", "<robot/>", "mjcf", False, "DART refuses the file: .*Failed to find <mujoco> at the root"),
        ("dart", "<sdf version='1.9'><model name='m'><link name='l'/></model></sdf>", "sdf", False, "DART refuses .*1.9"),
        ("dart", "\x00\x01<&", "sdf", False, "DART refuses the file: "),
        ("dart", "", "sdf", True, "SDF says itself what moves freely"),
        ("drake", "\ud800", "urdf", False, "Drake refuses the file: "),
        ("drake", robot(link("arm"), HINGE), "urdf", False, "Drake refuses the file: "),
        ("drake", LEADS.replace('"continuous"', '"fixed"'), "urdf", False, "Drake refuses the file: .*mimic"),
        ("drake", NO_RANGE, "urdf", False, "Drake refuses the file: .*condition .* failed"),
        ("drake", robot(link("base")).replace('"made"', '""'), "urdf", False, "Drake refuses the file: .*condition .* failed"),
        ("drake", TO_WORLD, "urdf", False, "Drake refuses the file: .*world"),
        ("drake", WORLD, "urdf", True, '"world", which is the world itself'),
        ("idyntree", ARM.replace("prismatic", "planar"), "urdf", False, "type planar that is not currently supported"),
        ("idyntree", ARM[:-10], "urdf", False, "Premature end"),
        ("idyntree", "", "urdf", False, "iDynTree refuses the file"),
        ("mujoco", "<robot", "urdf", False, "MuJoCo refuses the file: XML parse error"),
        ("mujoco", ARM.replace("prismatic", "floating"), "urdf", False, "free joint can only be used on top level"),
        ("mujoco", EMPTY, "urdf", False, "larger than mjMINVAL"),
        ("mujoco", WORLD, "urdf", True, "give the link another name"),
        ("mujoco", WELDED_WORLD.replace(link("world", ""), link("world")), "urdf", True, "give the link another name"),
        ("mujoco", "<mujoco/>", "mjcf", True, "MJCF says itself what moves freely"),
        ("newton", "<robot", "urdf", False, "Newton refuses the file: ParseError: unclosed token"),
        ("newton", FETCHED, "urdf", False, "Newton refuses the file: .*it would fetch a mesh"),
        ("newton", NO_HINGE, "urdf", False, "Newton refuses the file: Exception: Unsupported joint type: hinge"),
        ("newton", "<mujoco/>", "mjcf", True, "MJCF says itself what moves freely"),
        ("pybullet", ARM[:-10], "urdf", False, "PyBullet refuses the file: .*(Error reading end tag|XML_ERROR)"),
        ("pybullet", "", "urdf", False, "PyBullet refuses the file: .*it does not say why"),
        ("pybullet", UNLIMITED, "urdf", False, "PyBullet refuses the file: .*PRISMATIC without limits: slide"),
        ("pybullet", BARE.replace("planar", "helical"), "urdf", False, "Joint j has unknown type: helical; joint xml is not"),
    ],
    indirect=["name"],
)
def test_what_is_refused_has_the_engines_own_words(
    name: str, text: str, form: Any, free_base: bool, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(Unsupported, match=words) as refused:
        read(name, text, form, free_base)
    assert not {"\x1b", "\n"} & set(str(refused.value))
    assert "dalembert-" not in str(refused.value)
    assert len(str(refused.value)) < 400
    assert capfd.readouterr() == ("", "")


# Other joints and forms


def test_mimic_joints_are_read_and_move_on_their_own(name: str) -> None:
    mimic = next(joint for joint in read(name, LEADS).joints if joint.name == "slide").mimic
    assert (mimic is not None) == (name in ("dart", "mujoco", "newton"))
    assert mimic is None or (mimic.leader, mimic.multiplier, mimic.offset) == ("hinge", 2, 0.5)
    if name in ("drake", "dart", "newton"):
        mechanism = parse_urdf(LEADS.replace('upper="2"', 'upper="0.5"'), ignore_mimic=True)
        assert "forward_dynamics" in right(name, mechanism), "a constraint or a limit stops it"


@pytest.mark.parametrize(
    ("name", "kind"),
    [("dart", "planar"), ("dart", "floating"), ("drake", "planar"), ("mujoco", "planar"), ("newton", "floating")],
    indirect=["name"],
)
def test_planar_and_floating_joints_behind_turned_origins(name: str, kind: str) -> None:
    """With a weld to the root."""
    rest = joint("j", kind, "arm", "tool"), joint("weld", "fixed", "base", "rock")
    text = robot(link("base"), link("arm"), link("tool"), link("rock"), HINGE, *rest)
    ours, mechanism = reading_of(text)
    assert not [row for row in differences(ours, read(name, text)) if not row.is_digits]
    assert len(right(name, mechanism)) > (6 if name == "newton" else 12)


MJCF = """<mujoco model="scene"><option gravity="0 0 -5"/><asset><mesh name="m" file="no.stl"/></asset><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint name="base"/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
    <body name="leg" pos="0 0 -1"><joint name="hip" axis="0 1 0" range="-10 50" damping="2" armature="0.1" frictionloss="0.2"/>
      <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/>
      <body name="foot" pos="0 0 -0.5"><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></body></body>
</worldbody></mujoco>"""
DRIVEN = MJCF.replace("</mujoco>", '<actuator><motor joint="hip"/></actuator></mujoco>')


@pytest.mark.parametrize(
    ("name", "text", "armature"),
    [("drake", MJCF, 0), ("drake", DRIVEN, 0.1), ("mujoco", MJCF, 0.1), ("newton", MJCF, 0.1)],
    indirect=["name"],
)
def test_mjcf(name: str, text: str, armature: float) -> None:
    """Drake drops the armature of a joint that has no actuator, and says nothing."""
    got = read(name, text, "mjcf")
    base, hip = got.joints
    assert (base.name, base.kind, base.parent, base.carries.mass) == ("base", "free", "", 5)
    assert (hip.name, hip.kind, hip.parent, hip.damping) == ("hip", "revolute", "base", 2)
    assert hip.armature == pytest.approx(armature)
    assert hip.limits[:2] == pytest.approx(np.radians([-10, 50]))
    assert (hip.carries.mass, hip.carries.com) == (4.0, pytest.approx((0, 0, -1.375)))
    assert hip.carries.inertia == pytest.approx((2 + 3 / 16, 2 + 3 / 16, 2, 0, 0, 0))
    assert [link.joint for link in got.links if link.has.mass] == ["base", "hip", "hip"]
    assert sum("mesh" in line or "geometr" in line for line in got.said) == 1


@only("mujoco")
def test_a_second_joint_of_a_body_of_mjcf_carries_it_and_is_named_after_it(name: str) -> None:
    reading = read(name, MJCF.replace('frictionloss="0.2"/>', 'frictionloss="0.2"/><joint type="slide"/>'), "mjcf")
    _, hip, slide = reading.joints
    assert (hip.friction, hip.carries.mass, slide.carries.mass) == (0.2, 0, 4)
    assert (slide.name, slide.kind, slide.parent, reading.gravity) == ("leg 1", "prismatic", "hip", (0, 0, -5))


@only("mujoco", "newton")
def test_several_trees_of_mjcf(name: str) -> None:
    """A body that moves on another, one that is welded, and another pair."""
    body = '<body name="{0}" pos="0 {1} 1">{2}<inertial pos="0 0.25 0" mass="2" diaginertia="1 1 1"/>{3}</body>'
    inner, outer = '<joint name="{0}" type="slide" axis="1 0 0"/>', '<joint name="{0}" axis="0 0.6 0.8"/>'
    first, second = (
        body.format(a, y, inner.format(f"on {a}"), body.format(b, y, outer.format(f"on {b}"), ""))
        for a, b, y in (("rail", "leg", 0.5), ("cart", "arm", -2))
    )
    text = f'<mujoco model="scene"><worldbody>{first}<body name="rock" pos="0 5 0"/>{second}</worldbody></mujoco>'
    ours, mechanism = read_text(text, "mjcf", "scene.xml")
    assert not [row for row in differences(ours, read(name, text, "mjcf")) if not row.is_digits]
    assert right(name, mechanism) >= {"mass_matrix", "inverse_dynamics", "jacobians_aligned"}


@only("pinocchio")
def test_joints_of_one_body_of_mjcf_are_taken_apart(name: str) -> None:
    """Pinocchio joins them into one that is called "Composite_" and the name of the first."""
    second = '/><joint name="rail" type="slide" axis="1 1 0" pos="0 0 0.1" damping="0.5"/>'
    text = MJCF.replace(' frictionloss="0.2"/>', second).replace('<mesh name="m" file="no.stl"/>', "")
    text = text.replace('<geom type="mesh" mesh="m"/>', "").replace(
        '<freejoint name="base"/>', '<joint name="base" axis="0 0 1"/>'
    )
    read_by_us, mechanism = read_text(text, "mjcf", "scene.xml")
    reading = read(name, text, "mjcf")
    assert [(joint.name, joint.parent, joint.damping) for joint in reading.joints] == [
        ("base", "", 0),
        ("hip", "base", 2),
        ("rail", "hip", 0.5),
    ]
    assert {row.row for row in differences(read_by_us, reading) if not row.is_digits} == {"gravity"}
    assert right(name, mechanism)


@only("dart")
def test_mjcf_in_dart(name: str) -> None:
    text = """<mujoco model="m"><worldbody><body name="a" pos="0 0 1"><joint name="j" type="slide" axis="0 1 0" damping="2"/>
<geom type="sphere" size=".1" mass="3"/></body></worldbody></mujoco>"""
    (joint,) = read(name, text, "mjcf").joints
    assert (joint.name, joint.kind, joint.origin, joint.axis) == ("j", "prismatic", (0, 0, 1), pytest.approx((0, 1, 0)))
    assert (joint.carries.mass, joint.damping, joint.carries.inertia[0]) == (3, 2, 1)


SDF = """<sdf version="1.6"><model name="m"><link name="base"/>
<link name="leg"><pose>0 0 -1 0 0 0</pose><inertial><pose>.1 .2 -0.5 0 0 0</pose><mass>2</mass></inertial></link>
<joint name="hip" type="revolute"><parent>base</parent><child>leg</child><axis><xyz>0 1 0</xyz>
<dynamics><damping>.7</damping></dynamics></axis></joint></model></sdf>"""


@only("dart", "drake")
def test_sdf(name: str) -> None:
    """The root moves freely unless the file welds it to the world."""
    reading = read(name, SDF, "sdf")
    root, hip = reading.joints
    assert (root.name, root.kind, root.carries.mass) == ("root_joint", "free", 1)
    assert (hip.name, hip.kind, hip.parent, hip.damping) == ("hip", "revolute", "root_joint", 0.7)
    assert (hip.origin, hip.axis) == ((0, 0, -1), (0, 1, 0))
    np.testing.assert_allclose(hip.carries.com, (0.1, 0.2, -1.5))
    assert any("Link [base] is missing <inertial>" in line for line in reading.said) == (name == "dart")


# Particulars


COMPLETE = """<robot name="r"><link name="base"/><link name="arm"><inertial><origin xyz="0 0 1"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><origin xyz="1 0 0"/><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
</joint></robot>"""


@pytest.mark.parametrize(
    ("part", "lacking"),
    [
        ('<origin xyz="1 0 0"/>', "<origin>, which joint 'j' lacks"),
        ('<origin xyz="0 0 1"/>', "<origin>, which <inertial> of link 'arm' lacks"),
        ('<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>', "<inertia>, which <inertial> of link 'arm' lacks"),
        ('<axis xyz="0 0 1"/>', "<axis>, which joint 'j' lacks"),
    ],
)
@only("adam")
def test_what_a_file_lacks_for_adam_is_said(name: str, part: str, lacking: str) -> None:
    """Its own words are "'NoneType' object is not subscriptable"."""
    with pytest.raises(Unsupported, match=f"^adam refuses the file: it needs {lacking}$"):
        read(name, COMPLETE.replace(part, ""))


@only("adam")
def test_an_axis_is_as_long_as_adam_uses_it(name: str) -> None:
    """adam does not normalise it: M is larger by the square of its length."""
    text = COMPLETE.replace('<axis xyz="0 0 1"/>', '<axis xyz="1 2 3"/>')
    ours, mechanism = reading_of(text)
    (found,) = differences(ours, read(name, text))
    assert (found.row, found.joint, found.theirs, found.is_digits) == ("axes", "j", "1 2 3", False)
    M, right = (dynamics.load(mechanism).mass_matrix(np.zeros((1, 1))) for dynamics in (as_read(name), REFERENCE))
    np.testing.assert_allclose(M, 14 * right)


@only("dart")
def test_many_turns_about_a_skew_axis_are_imprecise_in_dart_and_sizes_count_it(name: str) -> None:
    """Once they are precise, the page's versions must not include that release."""
    mechanism = parse_urdf(ARM.replace("0 .6 .8", "0.577350269189626 0.577350269189626 0.577350269189626"))
    q = np.array([[1000.0, 0.0, 0.0], [-1e5, 0.1, 0.0]])
    expected, got = (dynamics.load(mechanism).placements(q) for dynamics in (REFERENCE, as_read(name)))
    assert abs(got - expected).max() > 1e-13
    assert in_epsilons(got - expected, ErrorScale(mechanism).size("placements", q)).max() <= BAR


@only("dart")
def test_dart_says_everything_at_position_zero_also_where_limits_exclude_it(name: str) -> None:
    excluded = ARM.replace('lower="-1"', 'lower="1"')
    assert not differences(reading_of(excluded)[0], read(name, excluded))


def test_only_elements_with_meshes_are_cut_and_lines_stay_where_they_are() -> None:
    box = "<visual><geometry><box size='1 1 1'/></geometry></visual>"
    mesh = "<collision >\n<geometry>\n<mesh filename='ä.stl'/></geometry></collision\n>"
    text = f"<robot name='ä'><!-- <visual><mesh/></visual> -->{box}{mesh}<link name='x'/></robot>"
    assert without_meshes(text) == (text.replace(mesh, "\n\n\n"), 1)
    assert without_meshes(f"<sdf><visual><collision><mesh/></collision></visual>{box}</sdf>") == (f"<sdf>{box}</sdf>", 1)
    for uncut in (
        *("", "<robot><visual><mesh/>", "<robot><mesh/></robot>", "<r><visual><mesh/></visual>&none;</r>"),
        '<!DOCTYPE r [<!ENTITY a "<visual><mesh/></visual>">]><r>&a;</r>',
    ):
        assert without_meshes(uncut) == (uncut, 0)


@only("dart", "drake")
def test_a_root_link_called_world(name: str) -> None:
    """It does not move. Drake frees what is welded to it, at the weld."""
    assert read(name, WELDED_WORLD).joints == ()
    if name == "drake":
        mechanism = parse_urdf(WELDED_WORLD, free_base=True)
        agreeing(as_read(name).load(mechanism), mechanism)


def test_workarounds_of_reader_and_adapter_are_declared() -> None:
    for name, words in (("drake", "welded to the world"), ("pinocchio", "damping")):
        assert any(words in phrase for phrase in as_read(name).workarounds), name


@only("mujoco")
def test_welded_links_without_mass_still_lose_their_moments_in_mujoco(name: str) -> None:
    """Once they do not, there is no finding any more."""
    reading = read(name, robot(GROUND, link("arm"), HINGE, link("rotor", LOOSE), joint("weld", "fixed", "arm", "rotor")))
    assert reading.links[2].has.inertia[:3] == pytest.approx((1, 1, 1))
    assert sum(reading.joints[0].carries.inertia[:3]) == pytest.approx(sum(reading.links[1].has.inertia[:3]), rel=1e-13)


@only("idyntree")
def test_a_root_link_without_mass_becomes_a_frame_with_what_is_wrong_for_it_left_out_in_idyntree(name: str) -> None:
    on = '<joint name="on" type="fixed"><parent link="foot"/><child link="base"/><origin xyz="1 2 3"/></joint>'
    text = ARM.replace("</robot>", f'<link name="foot"/>{on}</robot>')
    wrong, engine = {"joint_torque_regressor", "centroidal_momentum_matrix", "drifts_aligned"}, as_read(name)
    for free_base, left_out in ((False, {"centroidal_momentum_matrix"}), (True, wrong)):
        (ours, mechanism), reading = reading_of(text, free_base), read(name, text, free_base=free_base)
        assert not differences(ours, reading)
        dynamics = engine.load(mechanism)
        offered = agreeing(Prediction(findings_of(engine.name, engine.version), mechanism).without(dynamics), mechanism)
        assert wrong - offered == left_out and len(offered) > 18
        with pytest.raises(Unsupported, match="made link 'foot' a frame of another link"):
            dynamics.centroidal_momentum_matrix(states(mechanism)[0])


@pytest.mark.parametrize("called", ["a\u009bb", "a\u202eb", "a  b", "漢字"])
@only("pybullet")
def test_names_are_those_of_the_file_in_pybullet(name: str, called: str) -> None:
    """Else a joint with such a name corresponds to none of ours."""
    text = PYBULLETS.replace('"hinge"', f'"{called}"').replace('"arm"', f'"{called}"')
    theirs, ours = read(name, text), reading_of(text)[0]
    assert {joint.name for joint in theirs.joints} == {joint.name for joint in ours.joints} == {called, "slide", "turn"}
    assert {link.name for link in theirs.links} == {link.name for link in ours.links}
