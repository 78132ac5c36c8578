"""Our own reader gives exactly the right reading of every file of the torture set of SDF, or refuses it in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tortured import wrong

from mechanisms import MechanismError, parse_sdf
from mechanisms.files.reading import reading_of
from mechanisms.reading import Reading, ReadJoint
from mechanisms.sdf_traits import TRAITS
from mechanisms.urdf_traits import Trait

REFUSES: dict[str, str] = json.loads(Path(__file__).with_name("sdf_traits.json").read_text("utf-8"))
"""By the trait: the end of the sentence with which our reader refuses the file. It reads every other file."""


def defects(trait: Trait) -> list[str]:
    """What our reader has wrong about the file."""
    try:
        mechanism = parse_sdf(trait.content, "trait.sdf")
    except MechanismError as error:
        bare = error.__cause__ is None and error.__suppress_context__
        begins_right = re.match(r"trait\.sdf(, line \d+)?: ", str(error))
        right = begins_right and str(error).endswith(REFUSES.get(trait.name, "\n")) and "\n" not in str(error) and bare
        return [] if right else [f"refused: {error}"]
    if trait.name in REFUSES:
        return ["this is to be refused"]
    reading = reading_of(mechanism)
    others = [] if [joint.name for joint in reading.joints] == [joint.name for joint in trait.joints or ()] else ["another order"]
    return wrong(trait, reading, 1e-12) + _armatures(trait.joints or (), reading) + others


def _armatures(right: tuple[ReadJoint, ...], reading: Reading) -> list[str]:
    pairs = zip(right, reading.joints, strict=False)
    return [f"armature {got.armature}" for one, got in pairs if abs((one.armature or 0) - (got.armature or 0)) > 1e-12]


def test_our_reader_gives_the_right_reading_of_every_file() -> None:
    assert {name: found for name, trait in TRAITS.items() if (found := defects(trait))} == {}


def test_the_table_has_every_file_once_and_a_reason_for_each() -> None:
    (folder,) = {trait.folder for trait in TRAITS.values()}
    assert sorted(path.name for path in folder.iterdir()) == sorted(["traits.json", *(trait.file for trait in TRAITS.values())])
    assert len({trait.content for trait in TRAITS.values()}) == len(TRAITS) >= 130, "several traits have one file"
    assert {name for name, trait in TRAITS.items() if trait.joints is None} == REFUSES.keys()
    assert all(trait.why for trait in TRAITS.values())
