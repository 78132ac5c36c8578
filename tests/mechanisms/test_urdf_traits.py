"""Our own reader on every file of the torture set: it gives exactly the right reading, or refuses in one sentence."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import pytest

from mechanisms import MechanismError, parse_urdf
from mechanisms import urdf_traits as package
from mechanisms.reading import ReadJoint
from mechanisms.urdf_reading import reading_of
from mechanisms.urdf_traits import GROUPS, TRAITS
from mechanisms.urdf_traits.judge import wrong

FOLDER = Path(package.__file__).parent


@pytest.mark.parametrize("name", TRAITS)
def test_our_reader_gives_the_right_reading(name: str) -> None:
    trait = TRAITS[name]
    try:
        mechanism = parse_urdf(trait.text, "trait.urdf")
    except MechanismError as error:
        assert trait.named, f"refused: {error}"
        assert str(error).startswith("trait.urdf: ")
        assert "\n" not in str(error)
        assert trait.named in str(error)
        return
    assert not trait.named, "this is to be refused"
    assert mechanism.source
    reading, _ = reading_of(mechanism.source.text)
    assert wrong(trait, reading, 1e-12) == []
    assert trait.joints is not None
    assert [joint.name for joint in reading.joints] == [joint.name for joint in trait.joints]
    if trait.aloud:
        assert any(trait.aloud in note for note in mechanism.notes)
    else:
        assert mechanism.notes == ()


def test_names_are_unique_and_reasons_are_given() -> None:
    assert len(TRAITS) == sum(map(len, GROUPS.values())) >= 120
    assert all(trait.why and (trait.joints is not None or trait.named) for trait in TRAITS.values())
    assert len({trait.text for trait in TRAITS.values()}) >= len(TRAITS) - 12, "several traits share a file"


def test_the_right_readings_share_no_code_with_the_reader() -> None:
    imported = {
        module
        for path in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for module in [node.module or ""]
        if module.startswith("mechanisms") and not module.startswith("mechanisms.urdf_traits")
    }
    assert imported == {"mechanisms.reading"}


ARM = TRAITS["axis along x"]

FAULTS = {
    "origin": {"origin": (0, 0, 1.00001)},
    "axis": {"axis": (-1, 0, 0)},
    "no axis": {"axis": ()},
    "kind": {"kind": "prismatic"},
    "parent": {"parent": "elbow"},
    "name": {"name": "elbow"},
    "damping": {"damping": 0.1},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_joint_is_seen(fault: str) -> None:
    (joint,) = ARM.joints or ()
    reading, _ = reading_of(str(ARM.text))
    assert wrong(ARM, reading) == []
    assert wrong(ARM, dataclasses.replace(reading, joints=(_changed(joint, FAULTS[fault]),)))
    assert wrong(ARM, dataclasses.replace(reading, joints=()))


@pytest.mark.parametrize("fault", [{"mass": 2.0001}, {"com": (0.1, 0.2, -1.3)}, {"inertia": (0.5, 0.6, 0.7, -0.01, 0.02, 0.03)}])
def test_a_wrong_inertia_is_seen(fault: dict[str, object]) -> None:
    (joint,) = ARM.joints or ()
    carries = dataclasses.replace(joint.carries, **fault)
    reading = dataclasses.replace(reading_of(str(ARM.text))[0], joints=(_changed(joint, {"carries": carries}),))
    assert wrong(ARM, reading)


def _changed(joint: ReadJoint, fault: dict[str, object]) -> ReadJoint:
    return dataclasses.replace(joint, **fault)  # type: ignore[arg-type]
