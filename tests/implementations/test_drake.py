"""Drake's adapter and its reader of files, against the reference and against numbers made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from every_joint import agreeing, chain, states

from cross_check.read.readers.edited import File
from cross_check.read.readers.explain import explain
from implementations.engines.as_read import AsRead, read
from implementations.engines.declared import ENGINES
from implementations.engines.drake.adapter import Drake, engine
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Inertia, Joint, Mechanism, parse_urdf, random_mechanism, write_urdf
from mechanisms.joint import Kind
from mechanisms.reading import Reading, ReadMimic

pytestmark = pytest.mark.engines


(ENGINE,) = (engine for engine in ENGINES if engine.name == "drake")


@pytest.fixture(autouse=True)
def _installed() -> None:
    pytest.importorskip("pydrake", reason="Drake has no wheel for this platform, or is not installed")


@pytest.mark.parametrize("axis", [(0, 0, -1), (0, 0, 1), (0.6, 0, -0.8), (0, 1, 0)])
@pytest.mark.parametrize("kind", ["planar", "translation", "euler-yxz", "universal"])
def test_triads_of_axes_near_and_at_minus_z(kind: Kind, axis: tuple[float, ...]) -> None:
    body = Body(
        "body", "world", Joint("joint", kind, axis), Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", 0, 0, "0.1"))
    )
    mechanism = Mechanism("one", (body,))
    agreeing(Drake().load(mechanism), mechanism, batch=2)


def test_ball_joints_are_exact_where_pitch_is_a_quarter_turn() -> None:
    """Drake's ball joint has roll, pitch and yaw, which are singular there; its velocity is not."""
    mechanism = chain("spherical", "spherical")
    q = np.tile([0, np.sqrt(0.5), 0, np.sqrt(0.5)], (3, 2))
    q[1] += [1e-9, 0, 0, 0] * 2
    q[2, 4:] = [0.5, -0.5, 0.5, 0.5]
    q /= np.linalg.norm(q[:, :4], axis=1)[:, None]
    _, v, a = states(mechanism, batch=3)
    got, expected = (x.load(mechanism).inverse_dynamics(q, v, a) for x in (Drake(), REFERENCE))
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-13 * abs(expected).max())


def test_impossible_inertias_are_computed_with() -> None:
    """Drake refuses them unless its check is switched off."""
    plate = Inertia(2, (0, "0.1", 0), (1, 1, 3, 0, 0, 0))
    mechanism = Mechanism("plate", (Body("plate", "world", Joint("hinge", "revolute", (0, 1, 0)), plate),), physical=False)
    agreeing(Drake().load(mechanism), mechanism, batch=2)


LINK = '<link name="{}"><inertial><origin xyz="{}" rpy="{}"/><mass value="{}"/>{}</inertial></link>'
BLOCK = '<inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/>'
MESH = '<visual><geometry><mesh filename="package://nowhere/a.stl"/></geometry></visual>'


def link(name: str, com: str = "0 0 0", rpy: str = "0 0 0", mass: float = 1, inertia: str = BLOCK) -> str:
    return LINK.format(name, com, rpy, mass, inertia)


def joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def robot(*parts: str) -> str:
    return f'<robot name="r">{"".join(parts)}</robot>'


def reading(text: str, free_base: bool = False) -> Reading:
    return read(ENGINE, text, "urdf", free_base).reading


def test_reads_numbers_of_rotated_inertials_and_welded_links() -> None:
    hinge = '<origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><axis xyz="2 0 0"/>'
    hinge += '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    text = robot(
        link("base", "9 9 9", mass=5).replace("</link>", MESH + "</link>"),
        link("arm", "1 0 0", "0 0 1.5707963267948966", mass=2),
        link("tool", mass=2, inertia=""),
        joint("hinge", "revolute", "base", "arm", hinge + '<dynamics damping="0.5" friction="0.1"/>'),
        joint("weld", "fixed", "arm", "tool", '<origin xyz="3 0 0"/>'),
    )
    got = reading(text)
    (found,) = got.joints
    assert (found.name, found.kind, found.parent, found.limits) == ("hinge", "revolute", "", (-1, 2, 3, None))
    assert (found.damping, found.armature, found.friction, found.mimic) == (0.5, 0, None, None)
    np.testing.assert_allclose(found.origin, (0, 0, 1))
    np.testing.assert_allclose(found.axis, (0, 1, 0), atol=1e-15)
    assert found.carries.mass == 4
    np.testing.assert_allclose(found.carries.com, (0, 2, 1), atol=1e-15)
    # Two masses of 2 kg, 1 m from their centre, along y; the block is turned by half a turn.
    np.testing.assert_allclose(found.carries.inertia, (1 + 4, 2, 2.5 + 4, 0, 0, 0), atol=1e-14)
    assert [(x.name, x.joint, x.has.mass) for x in got.links] == [("base", "", 5), ("arm", "hinge", 2), ("tool", "hinge", 2)]
    assert got.gravity == (0, 0, -9.81)
    assert any("friction" in line and line.startswith("line ") for line in got.said)
    assert Reading.from_document(got.to_document()) == got


def test_says_what_drake_says_and_prints_nothing(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    impossible = link("arm", inertia='<inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/>')
    got = reading(robot(link("base"), impossible, joint("hinge", "continuous", "base", "arm")))
    assert any("triangle inequality" in line for line in got.said)
    assert got.joints[0].carries.inertia[0] == got.joints[0].carries.inertia[2], "a ball of water takes its place"
    assert capfd.readouterr() == ("", "")
    assert not caplog.records


def test_moments_without_mass_become_a_kilogram() -> None:
    """Drake warns; this is its own choice, by which its bolt differs from everybody's."""
    got = reading(robot(link("base"), link("foot", mass=0), joint("hinge", "continuous", "base", "foot")))
    assert got.joints[0].carries.mass == pytest.approx(1)
    assert got.said


def test_balls_of_water_are_explained() -> None:
    text = robot(
        *(link("base"), link("foot", "1 2 3", mass=0), link("hand", mass=2, inertia=BLOCK.replace("2.5", "9"))),
        joint("hip", "continuous", "base", "foot"),
        joint("wrist", "continuous", "foot", "hand"),
    )
    explained = explain(File(text, free_base=False), reading(text))
    assert not explained.remaining
    assert {one.hypothesis.sentence for one in explained.misread} == {
        "puts a ball of water of 1 kg in place of moments without mass",
        "puts a ball of water of the same mass in place of an inertia that no body can have",
    }


def test_workarounds_of_the_reader_are_declared() -> None:
    (own,) = Drake().workarounds
    assert own in AsRead(ENGINE).workarounds
    assert any("welded to the world" in phrase for phrase in AsRead(ENGINE).workarounds)
    (pinocchio,) = (one for one in ENGINES if one.name == "pinocchio")
    assert any("damping" in phrase for phrase in AsRead(pinocchio).workarounds), "its adapter's hold, too"


def test_mimic_joints_move_on_their_own_and_a_line_says_so() -> None:
    text = robot(
        *(link(name) for name in ("base", "left", "right")),
        joint("leader", "continuous", "base", "left"),
        joint("follower", "continuous", "left", "right", '<mimic joint="leader" multiplier="2"/>'),
    )
    got = reading(text)
    assert [x.mimic for x in got.joints] == [None, None] != [None, ReadMimic("leader", 2, 0)]
    assert any("constraints of the file" in line for line in got.said)
    mechanism = parse_urdf(text, ignore_mimic=True)
    assert "forward_dynamics" in agreeing(AsRead(ENGINE).load(mechanism), mechanism), "a constraint stops it"


@pytest.mark.parametrize("free_base", [False, True])
def test_the_model_that_drake_reads_agrees(free_base: bool) -> None:
    """Masses welded to the root, rotated inertials, a tree that Drake orders in its own way."""
    drawn = random_mechanism(5, 6, ("revolute", "prismatic"), armature=False)
    bodies = [replace(body, parent="ground") if body.parent == drawn.root else body for body in drawn.bodies]
    written = write_urdf(replace(drawn, bodies=tuple(bodies), root="ground"))
    welded = link("ground", "1 2 3", "1 2 3", 3) + link("rock", "1 2 3", "1 2 3", 3)
    weld = joint("weld", "fixed", "ground", "rock", '<origin xyz="1 2 3" rpy="1 2 3"/>')
    assert '<link name="ground"/>' in written
    mechanism = parse_urdf(written.replace('<link name="ground"/>', welded + weld), free_base=free_base)
    offered = agreeing(AsRead(ENGINE).load(mechanism), mechanism, batch=2)
    assert offered > {"center_of_mass", "forward_dynamics", "potential_energy"}
    assert ("inverse_dynamics_dq" in offered) != free_base


def test_a_root_link_called_world_is_freed_at_its_weld() -> None:
    text = robot(
        '<link name="world"/>', link("base"), joint("weld", "fixed", "world", "base", '<origin xyz="1 2 3" rpy="1 2 3"/>')
    )
    mechanism = parse_urdf(text, free_base=True)
    agreeing(AsRead(ENGINE).load(mechanism), mechanism)
    with pytest.raises(Unsupported, match='"world", which is the world itself'):
        reading(text.replace("fixed", "revolute"), free_base=True)


def test_floating_joints_keep_their_names_and_lose_their_origins() -> None:
    text = robot(*map(link, ("base", "ball")), joint("flight", "floating", "base", "ball", '<origin xyz="1 2 3"/>'))
    (found,) = reading(text).joints
    assert (found.name, found.kind, found.origin) == ("flight", "free", (0, 0, 0))


def test_floating_joints_are_explained() -> None:
    text = robot(
        *map(link, ("base", "arm", "ball")),
        joint("hinge", "continuous", "base", "arm", '<origin xyz="1 0 0"/>'),
        joint("flight", "floating", "arm", "ball", '<origin xyz="1 2 3"/>'),
    )
    explained = explain(File(text, free_base=False), reading(text))
    assert [one.hypothesis.sentence for one in explained.misread] == [
        "takes the parent and the origin of floating joints for those of the world"
    ]
    assert not explained.remaining


def test_refusals_have_drakes_words() -> None:
    with pytest.raises(Unsupported, match=r"Drake refuses the file: .*mimic"):
        reading(
            robot(
                *(link(name) for name in ("base", "left", "right")),
                joint("leader", "continuous", "base", "left"),
                joint("follower", "fixed", "left", "right", '<mimic joint="leader"/>'),
            )
        )
    hinge = joint("hinge", "revolute", "base", "arm", '<axis xyz="0 1"/><limit lower="0" upper="1"/>')
    two = link("base") + link("arm")
    for text in ("", "<robot", "\x00", "\ud800", "<mujoco/>", "<robot/>", robot(two, hinge), robot(link("arm"), hinge)):
        with pytest.raises(Unsupported, match="Drake refuses the file: "):
            reading(text)


def test_drakes_assertions_do_not_end_the_process() -> None:
    """pydrake raises SystemExit for them."""
    two = link("base") + link("arm")
    limits = joint("hinge", "revolute", "base", "arm", '<limit lower="2" upper="1"/>')
    for text in (robot(two, limits), robot(link("base")).replace('"r"', '""')):
        with pytest.raises(Unsupported, match=r"Drake refuses the file: .*condition .* failed"):
            reading(text)
    loop = robot(link("base"), link("world"), joint("hinge", "continuous", "base", "world"))
    with pytest.raises(Unsupported, match=r"Drake refuses the file: .*world"):
        reading(loop)


def test_planar_axes_and_what_does_not_move() -> None:
    plane = joint("slide", "planar", "base", "puck", '<axis xyz="1 0 0"/>')
    (found,) = reading(robot(link("base"), link("puck"), plane)).joints
    np.testing.assert_allclose(found.axis, (1, 0, 0), atol=1e-15)
    assert reading(robot(link("base"))).joints == ()


MJCF = """<mujoco model="m"><option gravity="0 0 -5"/><asset><mesh name="shell" file="nowhere.stl"/></asset>
<worldbody><body name="trunk" pos="0 0 1"><freejoint name="fly"/><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/>
<geom type="mesh" mesh="shell"/><body name="leg" pos="0 0 -1">
<joint name="hip" axis="0 1 0" range="-90 90" damping="0.2" armature="0.3"/>
<inertial pos="0 0 -0.5" mass="2" diaginertia="1 2 2.5"/></body></body></worldbody></mujoco>"""

SDF = """<sdf version="1.9"><model name="m"><link name="base"><inertial><mass>3</mass></inertial></link>
<link name="leg"><pose>0 0 -1 0 0 0</pose><inertial><pose>0 0 -0.5 0 0 0</pose><mass>2</mass></inertial></link>
<joint name="hip" type="revolute"><parent>base</parent><child>leg</child><axis><xyz>0 1 0</xyz></axis></joint></model></sdf>"""


def test_reads_mjcf_and_cuts_out_meshes_that_are_not_there() -> None:
    got = read(ENGINE, MJCF, "mjcf", False).reading
    assert [(x.name, x.kind, x.parent) for x in got.joints] == [("fly", "free", ""), ("hip", "revolute", "fly")]
    hip = got.joints[1]
    assert (hip.damping, hip.limits[1], hip.carries.mass) == (0.2, pytest.approx(np.pi / 2), 2)
    np.testing.assert_allclose(hip.carries.com, (0, 0, -1.5))
    assert any("2 elements that name meshes were cut out" in line for line in got.said)
    with pytest.raises(Unsupported, match="MJCF says itself"):
        read(ENGINE, MJCF, "mjcf", True)


def test_armature_of_mjcf_needs_an_actuator() -> None:
    """Drake drops the armature of a joint that has none, and says nothing."""
    driven = MJCF.replace("</mujoco>", '<actuator><motor joint="hip"/></actuator></mujoco>')
    for text, armature in ((MJCF, 0), (driven, 0.3)):
        assert read(ENGINE, text, "mjcf", False).reading.joints[1].armature == armature


def test_reads_sdf() -> None:
    got = read(ENGINE, SDF, "sdf", False).reading
    assert [(x.name, x.kind, x.parent) for x in got.joints] == [("root_joint", "free", ""), ("hip", "revolute", "root_joint")]
    np.testing.assert_allclose(got.joints[1].carries.com, (0, 0, -1.5))


def test_drake_still_leaves_damping_out_of_its_power() -> None:
    """docs/findings/drake-nonconservative-power-damping.md; once it does not, the page needs the version."""
    drake = engine()
    plant = drake.MultibodyPlant(0.0)
    body = plant.AddRigidBody("wheel", drake.SpatialInertia.SolidSphereWithMass(1.0, 1.0))
    plant.AddJoint(drake.RevoluteJoint("axle", plant.world_frame(), body.body_frame(), [0, 0, 1], damping=2.0))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetVelocities(context, [3.0])
    omega, alpha = plant.EvalTimeDerivatives(context).CopyToVector()
    assert plant.CalcMassMatrix(context)[0, 0] * omega * alpha == pytest.approx(-18)
    assert plant.CalcNonConservativePower(context) == 0
