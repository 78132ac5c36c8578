"""The torture set for readers of URDF: small files with one trait each, and what is right to make of them.

The folder ``files`` has the files, and the table ``traits.json``, which says in numbers what is right to make of each file.
``dalembert traits -o`` writes a copy of this folder, for readers that are judged elsewhere. The numbers of the table were written
by hand, or computed from numbers written by hand: turned axes and inertias from the cosine and the sine of each angle, inertias
of welded links by Steiner's theorem. Nothing here is shared with our own reader. Tests compare our reader with the table, and
docs/urdf-traits.md shows what every engine's own reader makes of each file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mechanisms.reading import Numbers, Reading, ReadJoint

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
        joints = None if entry["joints"] is None else tuple(map(ReadJoint.from_document, entry["joints"]))
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

SMALL = 1e-6
"""Distances (m) and moments of inertia per mass (m²) below this are compared absolutely, for rounding around zero."""


def wrong(trait: Trait, reading: Reading, tolerance: float = 1e-9) -> list[str]:
    """What ``reading`` has wrong, the first cause first; empty if it is right.

    Joints are matched by name, because no specification has an order of them. What a reader does not keep, such as damping, is
    not compared. ``tolerance`` is relative to the largest component of a vector.
    """
    if trait.joints is None:
        return ["reads what has no right reading"]
    found = {joint.name: joint for joint in reading.joints}
    right = {joint.name: joint for joint in trait.joints}
    missing = [f"{name} is missing" for name in right if name not in found]
    more = [f"{name} is added" for name in found if name not in right]
    if missing or more:
        return missing + more
    return [phrase for name in right for phrase in _joint(right[name], found[name], tolerance)]


NAMED = {"lifted": "lifted mass"}
"""What numbers are called where their own names do not do."""


def _joint(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    if got.kind != right.kind:
        yield f"{right.name} is {got.kind}, not {right.kind}"
        return
    if got.parent != right.parent:
        yield f"{right.name} hangs on {got.parent or 'the root'}, not on {right.parent or 'the root'}"
        return
    if right.mimic != got.mimic:
        yield f"{right.name} moves on its own" if got.mimic is None else f"{right.name} follows with {_mimic(got)}"
    if not _near(right.origin, got.origin, tolerance, SMALL):
        yield f"origin {_words(got.origin)}, not {_words(right.origin)}"
    if not _near(right.axis, got.axis, tolerance, 0):
        yield f"axis {_words(got.axis)}, not {_words(right.axis)}"
    yield from _mass(right, got, tolerance)
    for what in ("damping", "armature", "friction", "lifted"):
        a, b = getattr(right, what), getattr(got, what)
        if a is not None and b is not None and not _near((a,), (b,), tolerance, SMALL):
            yield f"{NAMED.get(what, what)} {b:.6g}, not {a:.6g}"


def _mass(right: ReadJoint, got: ReadJoint, tolerance: float) -> Iterator[str]:
    ours, theirs = right.carries, got.carries
    if not _near((ours.mass,), (theirs.mass,), tolerance, 0):
        yield f"mass {theirs.mass:.6g} kg, not {ours.mass:.6g}"
        return
    # The centre of no mass is anywhere.
    if ours.mass and not _near(ours.com, theirs.com, tolerance, SMALL):
        yield f"centre of mass {_words(theirs.com)}, not {_words(ours.com)}"
    # Readers that keep inertias about other points lose digits to the distance.
    distance = max(1.0, *map(abs, ours.com))
    if not _near(ours.inertia, theirs.inertia, tolerance, SMALL * abs(ours.mass) * distance * distance):
        yield f"inertia {_words(theirs.inertia)}, not {_words(ours.inertia)}"


def _near(right: Numbers, got: Numbers, tolerance: float, least: float) -> bool:
    if len(right) != len(got):
        return False
    size = max([least, *map(abs, right)])
    return all(abs(a - b) <= tolerance * size for a, b in zip(right, got, strict=True))


def _mimic(joint: ReadJoint) -> str:
    assert joint.mimic
    return f"{joint.mimic.multiplier:g} · {joint.mimic.leader} + {joint.mimic.offset:g}"


def _words(numbers: Sequence[float]) -> str:
    return " ".join(f"{x + 0.0:.4g}" for x in numbers) or "none"
