"""iDynTree's adapter and reader: against the reference, against closed forms, and what they refuse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import agreeing, states

from cross_check.explain.findings.finding import Prediction
from cross_check.explain.findings.known import findings_of
from implementations.engines import as_read
from implementations.engines.declared import ENGINES
from implementations.engines.idyntree.adapter import IDynTree
from implementations.protocol import Missing, Unsupported
from mechanisms import Mechanism, read_urdf
from mechanisms.urdf_reading import reading_of

pytestmark = pytest.mark.engines

OFFERED = {
    *("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "inverse_dynamics_with_forces", "placements"),
    *(f"{family}_{frame}" for family in ("jacobians", "velocities", "drifts") for frame in ("local", "world", "aligned")),
    *("accelerations_local", "accelerations_world", "classical_accelerations"),
    *("center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix", "joint_torque_regressor"),
}
"""What iDynTree has for every mechanism."""


def right(dynamics: Any, mechanism: Mechanism) -> set[str]:
    """The quantities that are offered, which are right but for known faults."""
    return agreeing(Prediction(findings_of("idyntree", IDynTree().version), mechanism).without(dynamics), mechanism)


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    try:
        IDynTree().version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize(
    ("page", "printed"),
    {
        "idyntree-com-jacobian-digits": "1e+02 15 15 1e+08 9 15",
        "idyntree-coriolis-matrix-free-base": "0 -1 0 -1 0 0 0 0 0",
        "idyntree-frame-as-base": "0 1 0 0 0 -1 0 1 0 0 0 0 wrong",
    }.items(),
)
def test_the_pages_are_still_true(page: str, printed: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Once a frame is right as a base, there is no reason any more to leave quantities out."""
    text = Path(__file__).parents[2].joinpath("docs", "findings", f"{page}.md").read_text("utf-8")
    exec(re.search(r"```python\n(.*?)```", text, re.S)[1], {})
    assert re.sub(r"[\[\].]", " ", capsys.readouterr().out).split() == printed.split()


# The reader

ROBOT = """<robot name="r"><link name="ground">
<inertial><mass value="5"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="1 2 3" rpy=".1 .2 .3"/><mass value="2"/>
<inertia ixx="1" iyy="1.1" izz="1.2" ixy=".1" ixz=".2" iyz=".3"/></inertial>
<visual><geometry><mesh filename="package://nowhere/arm.stl"/></geometry></visual></link>
<link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="slider"><inertial><mass value="1"/><inertia ixx="1" iyy="1.1" izz="1.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="continuous"><parent link="ground"/><child link="arm"/><origin xyz="1 0 0" rpy="0 .1 .2"/>
<axis xyz="0 3 4"/><dynamics damping="3" friction="4"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 1 0" rpy="1 0 0"/></joint>
<joint name="slide" type="prismatic"><parent link="tool"/><child link="slider"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="2" effort="3" velocity="4"/></joint></robot>"""

(ENGINE,) = (engine for engine in ENGINES if engine.name == "idyntree")


def urdf(tmp_path: Path, text: str, free_base: bool = False) -> Mechanism:
    file = tmp_path / "robot.urdf"
    file.write_text(text, "utf-8")
    return read_urdf(file, free_base=free_base)


@pytest.mark.parametrize("free_base", [False, True])
def test_its_reader_and_ours_make_the_same_robot(tmp_path: Path, free_base: bool) -> None:
    mechanism = urdf(tmp_path, ROBOT, free_base)
    read = as_read.read(ENGINE, ROBOT, "urdf", free_base)
    joints = {joint.name: joint for joint in read.reading.joints}
    assert list(joints) == ["root_joint"] * free_base + ["turn", "slide"]
    assert joints["slide"].limits == (-1, 2, 4, 3)
    assert (joints["turn"].kind, joints["turn"].damping, joints["turn"].friction) == ("revolute", 3, 4)
    assert joints["slide"].parent == "turn"
    for ours in reading_of(ROBOT)[0].joints:
        theirs = joints[ours.name]
        np.testing.assert_allclose(np.concatenate([theirs.origin, theirs.axis]), [*ours.origin, *ours.axis], atol=1e-12)
        assert theirs.carries.mass == ours.carries.mass
        np.testing.assert_allclose(theirs.carries.com, ours.carries.com, atol=1e-12)
        np.testing.assert_allclose(theirs.carries.inertia, ours.carries.inertia, atol=1e-12)
    assert right(as_read.AsRead(ENGINE).load(mechanism), mechanism) >= OFFERED


def test_a_root_link_without_mass_becomes_a_frame_with_what_is_wrong_for_it_left_out(tmp_path: Path) -> None:
    weld = '<parent link="foot"/><child link="ground"/><origin xyz="1 2 3"/>'
    root = f'<link name="foot"/><joint name="on" type="fixed">{weld}</joint>'
    text = ROBOT.replace("</robot>", root + "</robot>")
    wrong = {"joint_torque_regressor", "centroidal_momentum_matrix", "drifts_aligned"}
    for free_base, rest in ((False, OFFERED - {"centroidal_momentum_matrix"} | {"coriolis_matrix"}), (True, OFFERED - wrong)):
        mechanism = urdf(tmp_path, text, free_base)
        dynamics = as_read.AsRead(ENGINE).load(mechanism)
        *_, turn, _ = as_read.read(ENGINE, text, "urdf", free_base).reading.joints
        assert turn.origin == (2, 2, 3)
        assert right(dynamics, mechanism) == rest
        with pytest.raises(Unsupported, match="made link 'foot' a frame of another link"):
            dynamics.centroidal_momentum_matrix(states(mechanism)[0])


def test_what_it_prints_is_what_it_said(capfd: pytest.CaptureFixture[str]) -> None:
    without_limit = re.sub("<limit.*?/>", "", ROBOT, flags=re.S)
    assert as_read.read(ENGINE, without_limit, "urdf", False).reading.said == (
        "[WARNING] JointElement :: : Joint slide misses the limit tag.",
    )
    for text, words in {
        ROBOT.replace("prismatic", "planar"): "type planar that is not currently supported",
        ROBOT[:-10]: "Premature end",
        "": "iDynTree refuses the file",
    }.items():
        with pytest.raises(Unsupported, match=words):
            as_read.read(ENGINE, text, "urdf", False)
    assert capfd.readouterr() == ("", "")
