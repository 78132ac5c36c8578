"""Our own reader gives exactly the right reading of every file of the torture set, or refuses it in one sentence.

Beside these files, what it refuses, and what it ignores aloud."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tortured import wrong

from mechanisms import Mechanism, MechanismError, parse_urdf
from mechanisms.files.document import from_document, to_document
from mechanisms.files.urdf.reading import reading_of
from mechanisms.files.urdf.vocabulary import MOST_NOTES
from mechanisms.files.vocabulary import vocabulary
from mechanisms.urdf_traits import FILES, INDEX, TRAITS, Trait

SAID: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("urdf_traits.json").read_text("utf-8"))
"""By the trait: the end of the sentence with which our reader "refuses" the file, or the sentence with which it "notes" what it
ignores. It reads every other file, and notes nothing."""


def defects(trait: Trait) -> list[str]:
    """What our reader has wrong about the file."""
    said = SAID.get(trait.name, {})
    try:
        mechanism = parse_urdf(trait.content, "trait.urdf")
    except MechanismError as error:
        expected, is_bare = said.get("refuses", "\n"), error.__cause__ is None and error.__suppress_context__
        begins_right = re.match(r"trait\.urdf(, line \d+)?: ", str(error))
        right = begins_right and str(error).endswith(expected) and "\n" not in str(error) and is_bare
        return [] if right else [f"refused: {error}"]
    if "refuses" in said or not mechanism.source:
        return ["this is to be refused"]
    reading, _ = reading_of(mechanism.source.text)
    noted = mechanism.notes == ((said["notes"],) if said else ())
    ordered = [joint.name for joint in reading.joints] == [joint.name for joint in trait.joints or ()]
    others = {f"notes {mechanism.notes}": noted, "joints in another order": ordered}
    return wrong(trait, reading, 1e-12) + [words for words, right in others.items() if not right]


def test_our_reader_gives_the_right_reading_of_every_file() -> None:
    assert {name: found for name, trait in TRAITS.items() if (found := defects(trait))} == {}


def test_the_table_has_every_file_once_and_a_reason_for_each() -> None:
    assert len(TRAITS) == len(json.loads(INDEX.read_text("utf-8"))) >= 120
    assert sorted(path.name for path in FILES.iterdir()) == sorted([INDEX.name, *(trait.file for trait in TRAITS.values())])
    assert len({trait.content for trait in TRAITS.values()}) == len(TRAITS), "several traits have one file"
    assert all(trait.why and (trait.joints is not None or "refuses" in SAID[trait.name]) for trait in TRAITS.values())
    assert SAID.keys() <= TRAITS.keys()
    names = [trait.file for trait in TRAITS.values()]
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.isascii() and " " not in name and len(name) < 100 for name in names)
    assert b"\r\n" in TRAITS["origin with line ends of Windows"].content, "Git keeps the ends of lines"


ARM = TRAITS["axis along x"]

WRONG_JOINTS: dict[str, dict[str, Any]] = {
    "origin": {"origin": (0, 0, 1.00001)},
    "axis": {"axis": (-1, 0, 0)},
    "no axis": {"axis": ()},
    "kind": {"kind": "prismatic"},
    "parent": {"parent": "elbow"},
    "name": {"name": "elbow"},
    "damping": {"damping": 0.1},
    "mass": {"carries": {"mass": 2.0001}},
    "centre of mass": {"carries": {"com": (0.1, 0.2, -1.3)}},
    "inertia": {"carries": {"inertia": (0.5, 0.6, 0.7, -0.01, 0.02, 0.03)}},
}


@pytest.mark.parametrize("fault", WRONG_JOINTS)
def test_a_wrong_joint_is_seen(fault: str) -> None:
    (joint,) = ARM.joints or ()
    reading, _ = reading_of(ARM.content.decode())
    changed = dict(WRONG_JOINTS[fault])
    if "carries" in changed:
        changed["carries"] = dataclasses.replace(joint.carries, **changed["carries"])
    assert wrong(ARM, reading) == []
    assert wrong(ARM, dataclasses.replace(reading, joints=(dataclasses.replace(joint, **changed),)))
    assert wrong(ARM, dataclasses.replace(reading, joints=()))


# Beside the files


ROOT = Path(__file__).parents[2]


def parse(joint: str = "", link: str = "", robot: str = "", attributes: str = "") -> Mechanism:
    inertial = '<mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
    return parse_urdf(
        f'<robot name="r" {attributes}><link name="base"/><link name="arm"><inertial>{inertial}</inertial>{link}</link>'
        f'<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>{joint}</joint>{robot}</robot>',
        "r.urdf",
    )


def test_what_cannot_be_right_is_refused_in_one_sentence():
    for attributes, quaternion, message in (
        ('version="1.2"', " ", ", line 1: joint 'j': <origin> lacks the attribute 'quat_xyzw'; add it"),
        ('version="1.2"', "0 0 1e-200 0", ", line 1: joint 'j': quat_xyzw of <origin> is about 1e-200; give zero, or"),
        ('version="1.1 "', "0 0 0 1", ", line 1: version of <robot> is '1.1 '; give one of 1.0, 1.1, 1.2, or none for 1.0"),
    ):
        with pytest.raises(MechanismError) as error:
            parse(f'<origin quat_xyzw="{quaternion}"/>', attributes=attributes)
        assert str(error.value).startswith(f"r.urdf{message}")
        assert "\n" not in str(error.value)


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
    m = parse(robot=joints)
    assert from_document(to_document(m)).notes == m.notes, "notes cross processes"


def test_notes_are_bounded():
    notes = parse(robot="".join(f"<e{k}/>" for k in range(1000)), link=f"<{'x' * 10**5}/>").notes
    assert len(notes) == MOST_NOTES + 1
    assert notes[-1] == f"{1001 - MOST_NOTES} other kinds of elements and attributes are ignored"
    assert max(map(len, parse(link=f"<{'x' * 10**5}/>").notes)) <= 500


def test_the_page_shows_the_vocabulary():
    spec = importlib.util.spec_from_file_location("write_urdf", ROOT / "docs" / "write_urdf.py")
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.PAGE.read_text("utf-8") == script.render(), "run `python docs/write_urdf.py`"
    assert len(vocabulary("urdf")) > 10
