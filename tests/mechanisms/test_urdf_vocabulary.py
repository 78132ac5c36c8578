"""What the reader of URDF takes, refuses, and ignores aloud."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from mechanisms import Mechanism, MechanismError, parse_urdf
from mechanisms.document import from_document, to_document
from mechanisms.urdf_vocabulary import MOST_NOTES, VOCABULARY

ROOT = Path(__file__).parents[2]


def parse(joint: str = "", link: str = "", robot: str = "", attributes: str = "") -> Mechanism:
    inertial = '<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
    return parse_urdf(
        f'<robot name="r" {attributes}><link name="base"/><link name="arm"><inertial>{inertial}</inertial>{link}</link>'
        f'<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>{joint}</joint>{robot}</robot>',
        "r.urdf",
    )


def rotation(mechanism: Mechanism) -> np.ndarray:
    return np.array(mechanism.bodies[0].joint.placement.rotation.matrix, dtype=float)


YAW = np.array([[0.28, -0.96, 0], [0.96, 0.28, 0], [0, 0, 1]])
"""The turn about z by the quaternion 0 0 0.6 0.8: cosine 0.8² − 0.6², sine 2 · 0.6 · 0.8."""


@pytest.mark.parametrize("version", ["1.1", "1.2"])
@pytest.mark.parametrize("quaternion", ["0 0 0.6 0.8", "0 0 -3 -4", " 0\t0\n6e9   8e9"])
def test_quaternions_are_read_since_version_1_1(version, quaternion):
    m = parse(f'<origin xyz="1 2 3" quat_xyzw="{quaternion}"/>', attributes=f'version="{version}"')
    np.testing.assert_allclose(rotation(m), YAW, rtol=0, atol=1e-16)
    assert m.bodies[0].joint.placement.translation == (1, 2, 3)
    assert m.notes == ()


def test_quaternions_turn_inertias_too():
    inertial = (
        '<inertial><origin quat_xyzw="0 0 1 1"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/>'
    )
    text = f"""<robot name="r" version="1.1"><link name="base"/><link name="arm">{inertial}</inertial></link>
      <joint name="j" type="revolute"><parent link="base"/><child link="arm"/></joint></robot>"""
    assert parse_urdf(text).bodies[0].inertia.about_com == (2, 1, 2, 0, 0, 0)


@pytest.mark.parametrize("attributes", ["", 'version="1.0"'])
def test_quaternions_are_ignored_aloud_before_version_1_1(attributes):
    m = parse('<origin quat_xyzw="0 0 0.6 0.8" rpy="0 0 0"/>', attributes=attributes)
    np.testing.assert_array_equal(rotation(m), np.eye(3))
    (note,) = m.notes
    assert note.startswith("joint 'j': the attribute 'quat_xyzw' of <origin> is ignored, for it needs <robot version=\"1.1\">")


REFUSED = {
    "both": (
        {"joint": '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'},
        "joint 'j': <origin> has both rpy and quat_xyzw; remove one",
    ),
    "zero": ({"joint": '<origin quat_xyzw="0 0 0 0"/>'}, "joint 'j': quat_xyzw of <origin> is zero; give any other"),
    "three": ({"joint": '<origin quat_xyzw="0 0 1"/>'}, "joint 'j': quat_xyzw of <origin> has 3 components; give 4"),
    "five": ({"joint": '<origin quat_xyzw="0 0 1 0 0"/>'}, "joint 'j': quat_xyzw of <origin> has 5 components; give 4"),
    "empty": ({"joint": '<origin quat_xyzw=" "/>'}, "joint 'j': <origin> lacks the attribute 'quat_xyzw'; add it"),
    "nan": ({"joint": '<origin quat_xyzw="0 0 nan 1"/>'}, "joint 'j': component 2 of quat_xyzw of <origin> is 'nan'; give"),
    "tiny": ({"joint": '<origin quat_xyzw="0 0 1e-200 0"/>'}, "joint 'j': quat_xyzw of <origin> is about 1e-200; give zero, or"),
    "include": ({"robot": '<include filename="other.urdf"/>'}, "it has <include>, but no other file is opened; put the elements"),
    "xacro": (
        {"joint": '<x:if xmlns:x="http://www.ros.org/wiki/xacro"/>'},
        "joint 'j': an element of xacro is left; expand the file with xacro first",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_right_is_refused_in_one_sentence(case):
    given, message = REFUSED[case]
    with pytest.raises(MechanismError) as error:
        parse(**given, attributes='version="1.2"')
    assert str(error.value).startswith(f"r.urdf: {message}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("version", ["", "1", "1.3", "2.0", "0.9", "1.1 ", "1.2.0", "x", "1.-1"])
def test_other_versions_are_refused(version):
    with pytest.raises(MechanismError, match=r"version of <robot> is .*; give one of 1.0, 1.1, 1.2, or none for 1.0"):
        parse(attributes=f'version="{version}"')


ALOUD = {
    "attribute of the robot": (
        {"attributes": 'units="mm"'},
        "<robot>: the attribute 'units' is ignored, for the reader does not",
    ),
    "attribute of an origin": ({"joint": '<origin degrees="1"/>'}, "joint 'j': the attribute 'degrees' of <origin> is ignored"),
    "element of a joint": ({"joint": '<spring k="3"/>'}, "joint 'j': the element <spring> is ignored, for the reader does not"),
    "element of a link": ({"link": "<gravity>0</gravity>"}, "link 'arm': the element <gravity> is ignored"),
    "element of the robot": ({"robot": "<loop_joint/>"}, "<robot>: the element <loop_joint> is ignored"),
    "stiffness": ({"joint": '<dynamics stiffness="3"/>'}, "joint 'j': the attribute 'stiffness' of <dynamics> is ignored"),
    "damping of a limit": ({"joint": '<limit damping="3"/>'}, "joint 'j': the attribute 'damping' of <limit> is ignored"),
    "friction": (
        {"joint": '<dynamics friction="3"/>'},
        "joint 'j': the attribute 'friction' of <dynamics> is ignored, for Coulomb",
    ),
    "bad friction": ({"joint": '<dynamics friction="?"/>'}, "joint 'j': the attribute 'friction' of <dynamics> is ignored"),
    "second axis": ({"joint": '<axis xyz="1 0 0"/><axis xyz="0 0 1"/>'}, "joint 'j': a second <axis> is ignored, for only the"),
    "other namespace": ({"joint": '<d:armature xmlns:d="http://d"/>'}, "joint 'j': the element <{http://d}armature> is ignored"),
}


@pytest.mark.parametrize("case", ALOUD)
def test_what_is_not_known_is_ignored_aloud(case):
    given, message = ALOUD[case]
    m = parse(**given)
    (note,) = m.notes
    assert note.startswith(message)
    assert m == parse()


QUIET = {
    "looks": {"link": "<visual><geometry/><origin rpy='x'/></visual><collision/>"},
    "limits": {"joint": '<limit lower="-1" upper="1" effort="x" velocity="1"/><safety_controller k_velocity="1"/>'},
    "no friction": {"joint": '<dynamics friction="0.0"/>'},
    "simulators": {"robot": '<gazebo reference="arm"><turnGravityOff/></gazebo><transmission/><material name="m"/>'},
    "namespaces": {"attributes": 'xmlns="http://www.ros.org" xmlns:xacro="http://www.ros.org/wiki/xacro"'},
}


@pytest.mark.parametrize("case", QUIET)
def test_what_does_not_enter_the_dynamics_is_ignored(case):
    m = parse(**QUIET[case])
    assert m.notes == ()
    assert m == parse()


def test_the_first_of_two_elements_counts():
    (body,) = parse('<axis xyz="0 1 0"/><axis xyz="0 0 1"/><origin xyz="1 0 0"/><origin xyz="2 0 0"/>').bodies
    assert (body.joint.axis, body.joint.placement.translation) == ((0, 1, 0), (1, 0, 0))


def test_one_note_for_every_kind_names_the_first_place_and_counts_the_others():
    joints = "".join(
        f'<joint name="k{k}" type="fixed"><parent link="arm"/><child link="f{k}"/><origin a="1"/></joint><link name="f{k}"/>'
        for k in range(3)
    )
    (note,) = parse(robot=joints).notes
    assert note.startswith("joint 'k0' and 2 others: the attribute 'a' of <origin> is ignored")


def test_notes_are_bounded():
    notes = parse(robot="".join(f"<e{k}/>" for k in range(1000)), link=f"<{'x' * 10**5}/>").notes
    assert len(notes) == MOST_NOTES + 1
    assert notes[-1] == f"{1001 - MOST_NOTES} other kinds of elements and attributes are ignored"
    assert max(map(len, parse(link=f"<{'x' * 10**5}/>").notes)) <= 500


def test_notes_cross_processes_with_the_mechanism():
    m = parse('<spring k="3"/>')
    assert from_document(to_document(m)).notes == m.notes != ()


def test_the_page_shows_the_vocabulary():
    spec = importlib.util.spec_from_file_location("write_urdf", ROOT / "docs" / "write_urdf.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.render(), "run `python docs/write_urdf.py`"
    assert len(VOCABULARY) > 10
