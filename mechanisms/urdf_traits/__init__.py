"""The torture set for readers of URDF: small files with one trait each, and what is right to make of them.

The folder ``files`` has the files, and the table ``traits.json``, which says in numbers what is right to make of each file.
``dalembert traits -o`` writes a copy of this folder, for readers that are judged elsewhere. The numbers of the table were written
by hand, or computed from numbers written by hand: turned axes and inertias from the cosine and the sine of each angle, inertias
of welded links by Steiner's theorem. Nothing here is shared with our own reader. Tests compare our reader with the table, and
docs/urdf-traits.md shows what every engine's own reader makes of each file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechanisms.reading import ReadJoint

FILES = Path(__file__).with_name("files")

INDEX = FILES / "traits.json"
"""The table: for each file its name, the trait, the group, and the other fields of :class:`Trait`."""


@dataclass(frozen=True)
class Trait:
    """A small URDF file with one peculiarity, and what is right to make of it.

    ``joints`` is the right reading, parents first, otherwise in the order of the file; None where there is none, so that a
    reader must refuse the file. With ``may_refuse`` the file breaks a rule, or leaves out what a reader may well need: to refuse
    it is as right as to read it so.
    """

    name: str
    group: str
    """What the trait is about."""
    file: str
    """The name of the file in the folder."""
    why: str
    """The reason, with its source."""
    may_refuse: bool
    joints: tuple[ReadJoint, ...] | None

    @property
    def right(self) -> str:
        """What is right, in a word: "read", "refuse" or "either"."""
        return "refuse" if self.joints is None else "either" if self.may_refuse else "read"

    @property
    def content(self) -> bytes:
        """The file's content. It need not be UTF-8, and need not be XML."""
        return (FILES / self.file).read_bytes()


def _trait(entry: Mapping[str, Any]) -> Trait:
    joints = None if entry["joints"] is None else tuple(map(ReadJoint.from_document, entry["joints"]))
    return Trait(entry["trait"], entry["group"], entry["file"], entry["why"], entry["may_refuse"], joints)


TRAITS: dict[str, Trait] = {trait.name: trait for trait in map(_trait, json.loads(INDEX.read_text("utf-8")))}
"""All traits by name."""

GROUPS: dict[str, tuple[Trait, ...]] = {
    group: tuple(trait for trait in TRAITS.values() if trait.group == group)
    for group in dict.fromkeys(trait.group for trait in TRAITS.values())
}
"""All traits, by what they are about."""
