"""MuJoCo's own readers of URDF and MJCF: against our reading, and what they refuse, ignore and leave out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import states

from cross_check.read.readers.compare import differences
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import parse_urdf
from mechanisms.library import find_mechanism
from mechanisms.urdf_reading import reading_of

pytestmark = pytest.mark.engines


@pytest.fixture
def mj() -> Any:
    return pytest.importorskip("mujoco", reason="MuJoCo has no wheel for this platform")


TURNED = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="0.3 -0.4 0.5"/><mass value="2"/>'
    '<inertia ixx="1" ixy="0.1" ixz="0.02" iyy="1.25" iyz="-0.03" izz="1.5"/></inertial>'
)


def link(name: str, inside: str = TURNED) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, kind: str, parent: str, child: str, inside: str = "") -> str:
    origin = '<origin xyz="0.3 -0.2 0.1" rpy="0.4 0.5 0.6"/>'
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{origin}{inside}</joint>'


def robot(*elements: str) -> str:
    return f'<robot name="made">{"".join(elements)}</robot>'


SKEW = '<axis xyz="0 0.6 0.8"/>'

LIMITED = '<axis xyz="0 0.6 0.8"/><limit lower="-1" upper="2" effort="5" velocity="3"/><dynamics damping="0.5" friction="0.2"/>'

LINKS = [link("a"), link("b"), link("c")]

ARM = robot(
    link("base"), link("arm"), link("tool"), link("tip"),
    joint("weld", "fixed", "arm", "tool"), joint("slide", "prismatic", "tool", "tip", LIMITED),
    joint("shoulder", "revolute", "base", "arm", LIMITED),
)  # fmt: skip


def read(text: str, form: Any = "urdf", free_base: bool = False) -> Any:
    from implementations.engines.mujoco.reader import read

    return read(text, form, free_base)


@pytest.mark.parametrize("free_base", [False, True])
@pytest.mark.parametrize(
    "text",
    [
        ARM,
        robot(link("o", ""), *LINKS[:2], joint("i", "fixed", "o", "a"), joint("j", "planar", "a", "b", SKEW)),
        robot(*LINKS, joint("i", "revolute", "a", "b", '<axis xyz="0 0 -1"/>'), joint("j", "planar", "b", "c")),
        robot(*LINKS, link("d"), *(joint(x, "revolute", "a", x, SKEW) for x in "bc"), joint("d", "prismatic", "b", "d", SKEW)),
    ],
    ids=["welded", "root-welded", "axes", "branches"],
)  # fmt: skip
def test_files_are_read_as_we_read_them_and_computed_right(mj: Any, text: str, free_base: bool) -> None:
    ours, mechanism = reading_of(text, free_base)
    model = read(text, free_base=free_base)
    remaining = [difference for difference in differences(ours, model.reading) if not difference.is_digits]
    assert not remaining
    places = [body.joint.name for body in mechanism.bodies]
    dynamics = model.dynamics(mechanism, [places.index(joint.name) for joint in model.reading.joints])
    q, v, a = states(mechanism)
    expected = REFERENCE.load(mechanism).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), expected, rtol=0, atol=1e-12 * abs(expected).max())


def test_a_reading_has_mujoco_s_numbers(mj: Any) -> None:
    reading = read(ARM).reading
    first, second = reading.joints
    assert (reading.name, reading.gravity, reading.said) == ("made", (0.0, 0.0, -9.81), ())
    assert (first.name, first.kind, first.parent, second.name, second.kind, second.parent) == (
        "shoulder", "revolute", "", "slide", "prismatic", "shoulder",
    )  # fmt: skip
    assert first.limits == (-1.0, 2.0, None, 5.0), "it has no largest speed"
    assert (first.damping, first.friction, first.armature) == (0.5, 0.2, 0.0)
    assert (first.carries.mass, second.carries.mass) == (4.0, 2.0)
    assert [(link.name, link.joint) for link in reading.links] == [
        ("base", ""), ("arm", "shoulder"), ("tool", "shoulder"), ("tip", "slide"),
    ]  # fmt: skip
    assert [link.has.mass for link in reading.links] == [2.0] * 4


def test_welded_links_without_mass_still_lose_their_moments(mj: Any) -> None:
    """Once they do not, there is no finding any more."""
    rotor = '<inertial><mass value="0"/><inertia ixx="0.5" ixy="0" ixz="0" iyy="0.5" iyz="0" izz="0.5"/></inertial>'
    text = robot(*LINKS[:2], link("rotor", rotor), joint("j", "revolute", "a", "b"), joint("weld", "fixed", "b", "rotor"))
    reading = read(text).reading
    assert reading.links[2].has.inertia[:3] == pytest.approx((0.5, 0.5, 0.5))
    assert sum(reading.joints[0].carries.inertia[:3]) == pytest.approx(sum(reading.links[1].has.inertia[:3]), rel=1e-13)


def test_links_without_inertia_get_the_mass_of_their_geometry(mj: Any) -> None:
    box = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'
    text = robot(link("base"), link("arm", box), joint("j", "revolute", "base", "arm"))
    assert read(text).reading.joints[0].carries.mass == pytest.approx(6, rel=1e-12)


def test_geometry_from_files_is_left_out_and_said(mj: Any) -> None:
    mesh = '<geometry><mesh filename="package://no/such.stl"/></geometry>'
    arm = f"{TURNED}<visual>{mesh}</visual><collision>{mesh}</collision>"
    text = robot(link("base", f"<collision>{mesh}</collision>"), link("arm", arm), joint("j", "revolute", "base", "arm"))
    reading = read(text).reading
    assert reading.joints[0].carries.mass == 2
    assert [line.partition(",")[0] for line in reading.said] == [
        "2 geometries were left out before it built the model",
        "bodies without an inertia",
    ]
    assert reading.said[1].endswith(": base")


def test_mimic_joints_are_read_and_what_is_ignored_is_said(mj: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fingers = [link("base"), link("a"), link("b"), joint("leads", "revolute", "base", "a")]
    follows = joint("follows", "revolute", "base", "b", '<mimic joint="leads" multiplier="-2" offset="0.5"/>')
    mimic = {found.name: found.mimic for found in read(robot(*fingers, follows)).reading.joints}
    assert mimic["leads"] is None
    assert (mimic["follows"].leader, mimic["follows"].multiplier, mimic["follows"].offset) == ("leads", -2.0, 0.5)
    nobody = joint("follows", "revolute", "base", "b", '<mimic joint="nobody"/>')
    (line,) = read(robot(*fingers, nobody)).reading.said
    assert "<mimic> on joint 'follows' ignored" in line
    assert not list(tmp_path.iterdir()), "MuJoCo would write its warnings into a file"


@pytest.mark.parametrize(
    ("text", "free_base", "says"),
    [
        ("<robot", False, "MuJoCo refuses the file: XML parse error"),
        (
            robot(*LINKS, joint("i", "revolute", "a", "b"), joint("j", "floating", "b", "c")),
            False,
            "free joint can only be used on top level",
        ),
        (robot(link("a"), link("b", ""), joint("j", "revolute", "a", "b")), False, "larger than mjMINVAL"),
        (robot(link("world", ""), link("b"), joint("j", "revolute", "world", "b")), True, "give the link another name"),
        (robot(link("world"), link("b"), joint("j", "fixed", "world", "b")), True, "give the link another name"),
    ],
)
def test_what_the_reader_refuses_is_one_sentence(mj: Any, text: str, free_base: bool, says: str) -> None:
    with pytest.raises(Unsupported, match=says) as caught:
        read(text, free_base=free_base)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


MJCF = """<mujoco model="scene"><option gravity="0 0 -5"/><asset><mesh name="m" file="no.stl"/></asset><worldbody>
  <body name="trunk" pos="0 0 1"><freejoint name="base"/><geom type="sphere" size="0.1" density="1000"/>
    <body name="leg" pos="0 0 -1"><joint name="hip" axis="0 1 0" range="-10 50" damping="2" armature="0.1" frictionloss="0.2"/>
      <joint type="slide" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/>
      <body name="foot" pos="0 0 -0.5"><inertial pos="0 0 0" mass="3" diaginertia="1 1 1"/></body></body></body>
</worldbody></mujoco>"""


def test_mjcf_is_read(mj: Any) -> None:
    reading = read(MJCF, "mjcf").reading
    base, hip, slide = reading.joints
    assert (reading.name, reading.gravity) == ("scene", (0.0, 0.0, -5.0))
    assert (base.name, base.kind, base.origin) == ("base", "free", (0.0, 0.0, 0.0))
    assert base.carries.mass == pytest.approx(4e3 / 3 * np.pi * 1e-3)
    assert (hip.kind, hip.parent, hip.carries.mass, hip.damping, hip.armature, hip.friction) == (
        "revolute",
        "base",
        0,
        2,
        0.1,
        0.2,
    )
    assert hip.limits[:2] == pytest.approx(np.radians([-10, 50]))
    assert (slide.name, slide.kind, slide.parent, slide.axis) == ("leg 1", "prismatic", "hip", (0.0, 0.0, 1.0))
    assert (slide.carries.mass, slide.carries.com) == (4.0, (0.0, 0.0, -1.375))
    assert slide.carries.inertia == pytest.approx((2 + 3 / 16, 2 + 3 / 16, 2, 0, 0, 0))
    assert [link.joint for link in reading.links] == ["base", "leg 1", "leg 1"]
    with pytest.raises(Unsupported, match="says itself what moves freely"):
        read(MJCF, "mjcf", free_base=True)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ur5", "talos", "solo12"])
def test_real_robots_are_read_as_we_read_them(mj: Any, name: str) -> None:
    source = find_mechanism(name).source
    assert source is not None
    ours, _ = reading_of(source.text, source.free_base)
    theirs = read(source.text, free_base=source.free_base).reading
    assert not [difference for difference in differences(ours, theirs) if not difference.is_digits]


def test_the_calls_are_those_of_the_reader_s_model(mj: Any) -> None:
    """What a URDF brings into the model, limits and contacts, enters no answer."""
    mechanism = parse_urdf(ARM, "arm")
    model = read(ARM)
    dynamics = model.dynamics(mechanism, [0, 1])
    q, v, a = (np.full((1, 2), x) for x in (7.0, 0.3, 0.4))
    expected = REFERENCE.load(mechanism)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), expected.inverse_dynamics(q, v, a), rtol=1e-12)
    tau = expected.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, v, 100 * tau), expected.forward_dynamics(q, v, 100 * tau), rtol=1e-11)
