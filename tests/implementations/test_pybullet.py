"""PyBullet's adapter and reader: against the reference, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, chain

from implementations.engines import as_read
from implementations.engines.declared import ENGINES
from implementations.engines.pybullet.adapter import PyBullet
from implementations.protocol import Unsupported
from mechanisms import Mechanism, read_urdf
from mechanisms.urdf_reading import reading_of

pytestmark = pytest.mark.engines

OFFERED = {"inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "jacobians_aligned"}

(ENGINE,) = (engine for engine in ENGINES if engine.name == "pybullet")


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    pytest.importorskip("pybullet", reason='pip install "dalembert[pybullet]"')


def hold(mechanism: Mechanism, dynamics: Any = None) -> set[str]:
    return agreeing(dynamics or PyBullet().load(mechanism), mechanism)


@pytest.mark.slow
def test_worlds_do_not_know_of_each_other() -> None:
    """PyBullet keeps trees between calls, so two mechanisms asked in turn must not share one."""
    first, second = chain("revolute", "prismatic"), chain("prismatic", "revolute", seed=4)
    used = {mechanism: PyBullet().load(mechanism) for mechanism in (first, second)}
    for mechanism in (first, second, first):
        hold(mechanism, used[mechanism])
    for seed in range(20):
        hold(chain("revolute", seed=seed))


# The reader

ROBOT = """<robot name="r"><link name="ground"><inertial><mass value="5"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="1 2 3" rpy=".1 .2 .3"/><mass value="2"/>
<inertia ixx="1" iyy="1.25" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual></link>
<link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1.5" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="slider"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="ground"/><child link="arm"/><origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>
<axis xyz="0 2 0"/><dynamics damping="3" friction="4"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 1 0"/></joint>
<joint name="slide" type="prismatic"><parent link="tool"/><child link="slider"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>"""


def urdf(folder: Path, text: str, free_base: bool = False) -> Mechanism:
    file = folder / "robot.urdf"
    file.write_text(text, "utf-8")
    return read_urdf(file, free_base=free_base)


def test_its_reader_and_ours_make_the_same_robot(tmp_path: Path) -> None:
    reading = as_read.read(ENGINE, ROBOT, "urdf", False).reading
    turn, slide = reading.joints
    assert (turn.name, turn.kind, turn.parent, turn.damping, turn.friction) == ("turn", "revolute", "", 3, 4)
    assert (slide.name, slide.parent, slide.limits) == ("slide", "turn", (-1, 2, 4, 3))
    np.testing.assert_allclose([turn.origin, turn.axis, slide.axis], [(1, 0, 0), (-1, 0, 0), (0, 0, 1)], atol=1e-12)
    for theirs, ours in zip(reading.joints, reading_of(ROBOT)[0].joints, strict=True):
        assert theirs.carries.mass == ours.carries.mass
        np.testing.assert_allclose(theirs.carries.com, ours.carries.com, atol=1e-12)
        np.testing.assert_allclose(theirs.carries.inertia, ours.carries.inertia, atol=1e-12)
    assert any("meshes" in line for line in reading.said)
    assert hold(urdf(tmp_path, ROBOT), as_read.AsRead(ENGINE).load(urdf(tmp_path, ROBOT))) == OFFERED


def test_a_free_base_is_read_but_not_computed(tmp_path: Path) -> None:
    root, turn, _ = as_read.read(ENGINE, ROBOT, "urdf", True).reading.joints
    assert (root.name, root.kind, root.carries.mass, turn.parent) == ("root_joint", "free", 5, "root_joint")
    with pytest.raises(Unsupported, match="does not convert PyBullet's free base"):
        as_read.AsRead(ENGINE).load(urdf(tmp_path, ROBOT, free_base=True))


@pytest.mark.parametrize("name", ["a\u009bb", "a\u202eb", "a  b", "漢字"])
def test_names_are_those_of_the_file(name: str) -> None:
    """Else a joint with such a name corresponds to none of ours."""
    text = ROBOT.replace('"turn"', f'"{name}"').replace('"arm"', f'"{name}"')
    theirs, ours = as_read.read(ENGINE, text, "urdf", False).reading, reading_of(text)[0]
    assert [joint.name for joint in theirs.joints] == [joint.name for joint in ours.joints] == [name, "slide"]
    assert {link.name for link in theirs.links} == {link.name for link in ours.links}


def test_what_it_prints_is_what_it_said(capfd: pytest.CaptureFixture[str]) -> None:
    bare = ROBOT.replace('<link name="tool">', '<link name="pin"/><link name="tool">').replace(
        "</robot>", '<joint name="at" type="fixed"><parent link="tool"/><child link="pin"/></joint></robot>'
    )
    model = as_read.read(ENGINE, bare, "urdf", False)
    assert any(
        line.startswith("No inertial data for link, using mass=1") and line.endswith(": pin") for line in model.reading.said
    )
    assert model.reading.joints[0].carries.mass == 4
    for text, words in {
        ROBOT[:-10]: "Error reading end tag|XML_ERROR",
        "": "it does not say why",
        ROBOT.replace("<limit", "<unlimited"): "PRISMATIC without limits: slide",
    }.items():
        with pytest.raises(Unsupported, match=f"PyBullet refuses the file: .*({words})"):
            as_read.read(ENGINE, text, "urdf", False)
    assert capfd.readouterr() == ("", "")


def test_a_link_with_zero_inertia_has_none() -> None:
    """A link without <inertial> is a kilogram here; dalembert diff says what to write instead."""
    zero = '<inertial><mass value="0"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    weld = '<joint name="at" type="fixed"><parent link="arm"/><child link="pin"/></joint></robot>'
    masses = []
    for inertial in ("", zero):
        text = ROBOT.replace("</robot>", f'<link name="pin">{inertial}</link>{weld}')
        masses.append(as_read.read(ENGINE, text, "urdf", False).reading.joints[0].carries.mass)
    assert masses == [4, 3]


def test_what_it_prints_in_pieces_is_put_together() -> None:
    """A name is printed behind its message, and what comes next begins on the same line."""
    joint = '<joint name="j" type="planar"><parent link="base"/><child link="a"/></joint>'
    bare = f'<robot name="r"><link name="base"/><link name="a"/>{joint}</robot>'
    no_inertia = "No inertial data for link, using mass=1, localinertiadiagonal = 1,1,1, identity local inertial frame: base, a"
    assert as_read.read(ENGINE, bare, "urdf", False).reading.said[0] == no_inertia
    floating = as_read.read(ENGINE, bare.replace("planar", "floating"), "urdf", False).reading.said
    assert floating[0] == no_inertia
    assert floating[-1] == "Warning: joint unsupported, creating a fixed joint instead."
    with pytest.raises(Unsupported, match="Joint j has unknown type: helical; joint xml is not initialized correctly"):
        as_read.read(ENGINE, bare.replace("planar", "helical"), "urdf", False)
