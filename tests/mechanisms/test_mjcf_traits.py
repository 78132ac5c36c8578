"""Our own reader gives exactly the right reading of every file of the torture set of MJCF, or refuses it in one sentence."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tortured import wrong

from mechanisms import MechanismError, parse_mjcf
from mechanisms.files.reading import reading_of
from mechanisms.mjcf_traits import TRAITS
from mechanisms.urdf_traits import TABLE, Trait

REFUSED: dict[str, str] = json.loads(Path(__file__).with_name("mjcf_traits.json").read_text("utf-8"))
"""By the trait: the sentence with which our reader refuses the file."""


def defects(trait: Trait) -> list[str]:
    """What our reader has wrong about the file."""
    try:
        mechanism = parse_mjcf(trait.content, "trait.xml")
    except MechanismError as error:
        is_bare = error.__cause__ is None and error.__suppress_context__
        return [] if is_bare and str(error) == REFUSED.get(trait.name) else [f"refused: {error}"]
    if trait.joints is None or trait.name in REFUSED:
        return ["this is to be refused"]
    reading = reading_of(mechanism)
    ordered = [joint.name for joint in reading.joints] == [joint.name for joint in trait.joints]
    return wrong(trait, reading, 1e-12) + ([] if ordered else ["joints in another order"])


def test_our_reader_gives_the_right_reading_of_every_file() -> None:
    assert {name: found for name, trait in TRAITS.items() if (found := defects(trait))} == {}


def test_the_table_has_every_file_once_and_a_reason_for_each() -> None:
    folder = next(iter(TRAITS.values())).folder
    assert len(TRAITS) >= 150
    assert sorted(path.name for path in folder.iterdir()) == sorted([TABLE, *(trait.file for trait in TRAITS.values())])
    assert len({trait.content for trait in TRAITS.values()}) == len(TRAITS), "several traits have one file"
    assert all(trait.why for trait in TRAITS.values())
    assert REFUSED.keys() == {name for name, trait in TRAITS.items() if trait.joints is None}


def test_refusals_say_where_unless_no_element_is_wrong() -> None:
    without = {name for name, words in REFUSED.items() if not re.match(r"trait\.xml, line \d+: ", words)}
    assert without == {"no body that moves"}
