"""iDynTree's adapter and reader: against the reference, against closed forms, and what they refuse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_joint import chain, compared, states

from cross_check.findings.finding import Prediction
from cross_check.findings.known import findings_of
from implementations.engines import as_read
from implementations.engines.declared import ENGINES
from implementations.engines.idyntree.adapter import IDynTree
from implementations.protocol import Missing, Unsupported
from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation, random_mechanism, read_urdf
from mechanisms.extended import on_free_base
from mechanisms.joint import MOVING, Kind
from mechanisms.urdf_reading import reading_of

pytestmark = pytest.mark.engines

KINDS = tuple(kind for kind in MOVING if kind != "helical")
CUBE = Inertia(2, ("0.1", "-0.2", "0.3"), ("0.3", "0.4", "0.5", "0.02", "0.03", "-0.01"))
OFFERED = {
    *("inverse_dynamics", "mass_matrix", "nonlinear_effects", "gravity", "inverse_dynamics_with_forces", "placements"),
    *(f"{family}_{frame}" for family in ("jacobians", "velocities", "drifts") for frame in ("local", "world", "aligned")),
    *("accelerations_local", "accelerations_world", "classical_accelerations"),
    *("center_of_mass", "centroidal_momentum", "centroidal_momentum_matrix", "joint_torque_regressor"),
}
"""What iDynTree has for every mechanism."""


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    try:
        IDynTree().version  # noqa: B018
    except Missing as missing:
        pytest.skip(str(missing))


def hold(mechanism: Mechanism, dynamics: Any = None) -> set[str]:
    """Every quantity that is offered agrees with the reference, relative to the largest component; their names."""
    findings = findings_of("idyntree", IDynTree().version)
    dynamics = Prediction(findings, mechanism).without(dynamics or IDynTree().load(mechanism))
    _, v, _ = states(mechanism)
    offered = set()
    for name, got, expected in compared(dynamics, mechanism):
        if name == "coriolis_matrix":
            # Two right matrices may differ; these are what all have in common.
            got, expected = (np.dstack([C + C.swapaxes(1, 2), C @ v[..., None]]) for C in (got, expected))
        np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * max(1, abs(expected).max()), err_msg=name)
        offered.add(name)
    return offered


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_joint_agrees_alone_and_beside_another(kind: Kind) -> None:
    turning = {"planar", "free"}
    assert hold(chain(kind)) == OFFERED | (set() if kind in turning else {"coriolis_matrix"})
    other = KINDS[(KINDS.index(kind) + 5) % len(KINDS)]
    assert hold(chain(other, kind, armature=False, seed=1)) >= OFFERED


@pytest.mark.slow
@pytest.mark.parametrize("free_base", [False, True])
def test_trees_of_every_joint_agree(free_base: bool) -> None:
    mechanism = random_mechanism(3, 14, KINDS, free_base, armature=True, tilted_gravity=True)
    assert hold(mechanism) == OFFERED


def test_a_free_base_is_native_and_has_forward_dynamics() -> None:
    arm = random_mechanism(2, 7, ("revolute", "prismatic", "continuous"), armature=False, tilted_gravity=True)
    assert hold(on_free_base(arm)) == OFFERED | {"forward_dynamics", "coriolis_matrix"}


def test_a_free_joint_that_is_placed_or_not_alone_agrees_too() -> None:
    place = Placement(Rotation(1, "0.2", "-0.3", "0.4"), ("0.5", "0.1", "-0.2"))
    placed = Body("a", "world", Joint("free a", "free", placement=place), CUBE)
    other = Body("b", "world", Joint("free b", "free"), CUBE)
    assert hold(Mechanism("placed", (placed,))) == hold(Mechanism("two", (other, placed))) == OFFERED


def test_answers_do_not_depend_on_what_was_asked_before() -> None:
    mechanism = random_mechanism(5, 6, KINDS)
    q, v, a = states(mechanism)
    used = IDynTree().load(mechanism)
    for name, arguments in {
        "mass_matrix": (q,),
        "drifts_aligned": (q, v),
        "gravity": (q,),
        "inverse_dynamics": (q, v, a),
    }.items():
        used.inverse_dynamics_with_forces(q[::-1], a, v, np.ones((len(q), 6, 6)))
        np.testing.assert_array_equal(getattr(used, name)(*arguments), getattr(IDynTree().load(mechanism), name)(*arguments))


def test_what_it_has_not_is_said_with_the_joint() -> None:
    with pytest.raises(Unsupported, match="iDynTree has no helical joint, which joint 'joint1' is"):
        IDynTree().load(chain("revolute", "helical"))
    geared = Mechanism("one", (Body("b", "world", Joint("geared", "revolute", armature=1), CUBE),))
    with pytest.raises(Unsupported, match="no armature, which joint 'geared' has"):
        IDynTree().load(geared).forward_dynamics(*states(geared))
    fixed = chain("revolute", armature=False)
    with pytest.raises(Unsupported, match="for a free base only"):
        IDynTree().load(fixed).forward_dynamics(*states(fixed))
    ball = on_free_base(chain("spherical"))
    with pytest.raises(Unsupported, match="joints of one degree of freedom only"):
        IDynTree().load(ball).forward_dynamics(*states(ball))
    rotor = Mechanism("rotor", (Body("disc", "world", Joint("axle", "revolute")),))
    with pytest.raises(Unsupported, match="no centre of mass"):
        IDynTree().load(rotor).center_of_mass(np.zeros((1, 1)))


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
    offered = hold(mechanism, as_read.AsRead(ENGINE).load(mechanism))
    assert offered >= OFFERED


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
        assert hold(mechanism, dynamics) == rest
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
