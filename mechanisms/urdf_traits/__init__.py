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

from mechanisms.decoding import decoded
from mechanisms.reading import ReadJoint

FILES = Path(__file__).with_name("files")

TABLE = "traits.json"
"""The name of the table in a folder of files."""

INDEX = FILES / TABLE
"""The table: for each file its name, the trait, the group, and the other fields of :class:`Trait`."""


@dataclass(frozen=True)
class Trait:
    """A small file with one peculiarity, and what is right to make of it.

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
    folder: Path = FILES

    @property
    def right(self) -> str:
        """What is right, in a word: "read", "refuse" or "either"."""
        return "refuse" if self.joints is None else "either" if self.may_refuse else "read"

    @property
    def content(self) -> bytes:
        """The file's content. It need not be UTF-8, and need not be XML."""
        return (self.folder / self.file).read_bytes()


def traits_in(folder: Path) -> dict[str, Trait]:
    """The traits of the files in a folder with a table, by name."""

    def trait(entry: Mapping[str, Any]) -> Trait:
        joints = None if entry["joints"] is None else decoded(tuple[ReadJoint, ...], entry["joints"])
        return Trait(entry["trait"], entry["group"], entry["file"], entry["why"], entry["may_refuse"], joints, folder)

    return {entry["trait"]: trait(entry) for entry in json.loads((folder / TABLE).read_text("utf-8"))}


TRAITS = traits_in(FILES)
"""All traits by name."""


def grouped(traits: Mapping[str, Trait]) -> dict[str, tuple[Trait, ...]]:
    """The traits by what they are about."""
    groups = dict.fromkeys(trait.group for trait in traits.values())
    return {group: tuple(trait for trait in traits.values() if trait.group == group) for group in groups}


GROUPS = grouped(TRAITS)
"""All traits, by what they are about."""
