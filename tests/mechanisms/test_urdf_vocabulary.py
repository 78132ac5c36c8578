"""What the reader of URDF refuses, and what it ignores aloud, beside the files of the torture set (test_urdf_traits.py)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

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


@pytest.mark.parametrize(
    ("quaternion", "message"),
    [
        (" ", "<origin> lacks the attribute 'quat_xyzw'; add it"),
        ("0 0 1e-200 0", "quat_xyzw of <origin> is about 1e-200; give zero, or"),
    ],
)
def test_what_cannot_be_right_is_refused_in_one_sentence(quaternion, message):
    with pytest.raises(MechanismError) as error:
        parse(f'<origin quat_xyzw="{quaternion}"/>', attributes='version="1.2"')
    assert str(error.value).startswith(f"r.urdf: joint 'j': {message}")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("version", ["0.9", "1.1 ", "1.2.0", "1.-1"])
def test_other_versions_are_refused(version):
    with pytest.raises(MechanismError, match=r"version of <robot> is .*; give one of 1.0, 1.1, 1.2, or none for 1.0"):
        parse(attributes=f'version="{version}"')


def test_friction_is_ignored_aloud_unless_it_is_zero():
    (note,) = parse('<dynamics friction="?"/>').notes
    assert note.startswith("joint 'j': the attribute 'friction' of <dynamics> is ignored")
    assert parse('<dynamics friction="0.0"/>').notes == ()
    assert parse('<dynamics friction="?"/>') == parse('<dynamics friction="0.0"/>') == parse()


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
