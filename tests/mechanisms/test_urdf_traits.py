"""Our own reader on every file of the torture set: it gives exactly the right reading, or refuses in one sentence."""

from __future__ import annotations

import ast
import dataclasses
import json
from pathlib import Path

import pytest

from mechanisms import MechanismError, parse_urdf
from mechanisms import urdf_traits as package
from mechanisms.reading import ReadJoint
from mechanisms.urdf_reading import reading_of
from mechanisms.urdf_traits import FILES, INDEX, TRAITS, Trait, wrong

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
        right = str(error).startswith("trait.urdf: ") and str(error).endswith(expected) and "\n" not in str(error) and is_bare
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


def test_file_names_are_distinct_and_plain() -> None:
    names = [trait.file for trait in TRAITS.values()]
    assert len({name.lower() for name in names}) == len(names)
    assert all(name.isascii() and " " not in name and len(name) < 100 for name in names)


def test_line_ends_are_kept() -> None:
    assert b"\r\n" in TRAITS["origin with line ends of Windows"].content


def test_the_right_readings_share_no_code_with_the_reader() -> None:
    imported = {
        module
        for path in Path(package.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for module in [node.module or ""]
        if module.startswith("mechanisms") and not module.startswith("mechanisms.urdf_traits")
    }
    assert imported == {"mechanisms.reading"}


ARM = TRAITS["axis along x"]

WRONG_JOINTS = {
    "origin": {"origin": (0, 0, 1.00001)},
    "axis": {"axis": (-1, 0, 0)},
    "no axis": {"axis": ()},
    "kind": {"kind": "prismatic"},
    "parent": {"parent": "elbow"},
    "name": {"name": "elbow"},
    "damping": {"damping": 0.1},
}


@pytest.mark.parametrize("fault", WRONG_JOINTS)
def test_a_wrong_joint_is_seen(fault: str) -> None:
    (joint,) = ARM.joints or ()
    reading, _ = reading_of(ARM.content.decode())
    assert wrong(ARM, reading) == []
    assert wrong(ARM, dataclasses.replace(reading, joints=(_changed(joint, WRONG_JOINTS[fault]),)))
    assert wrong(ARM, dataclasses.replace(reading, joints=()))


@pytest.mark.parametrize("fault", [{"mass": 2.0001}, {"com": (0.1, 0.2, -1.3)}, {"inertia": (0.5, 0.6, 0.7, -0.01, 0.02, 0.03)}])
def test_a_wrong_inertia_is_seen(fault: dict[str, object]) -> None:
    (joint,) = ARM.joints or ()
    carries = dataclasses.replace(joint.carries, **fault)
    reading = dataclasses.replace(reading_of(ARM.content.decode())[0], joints=(_changed(joint, {"carries": carries}),))
    assert wrong(ARM, reading)


def _changed(joint: ReadJoint, fault: dict[str, object]) -> ReadJoint:
    return dataclasses.replace(joint, **fault)  # type: ignore[arg-type]
