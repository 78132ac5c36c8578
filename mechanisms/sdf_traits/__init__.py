"""The torture set for readers of SDF: small files with one trait each, and what is right to make of them.

The folder ``files`` has the files and the table ``traits.json``, as for URDF (:mod:`mechanisms.urdf_traits`). Numbers of the
table were written by hand, or computed from numbers written by hand.
"""

from __future__ import annotations

import json
from pathlib import Path

from mechanisms.reading import ReadJoint
from mechanisms.urdf_traits import Trait

FILES = Path(__file__).with_name("files")


class SDFTrait(Trait):
    """A small SDF file with one peculiarity."""

    @property
    def content(self) -> bytes:
        return (FILES / self.file).read_bytes()


TRAITS: dict[str, SDFTrait] = {
    entry["trait"]: SDFTrait(
        entry["trait"],
        entry["group"],
        entry["file"],
        entry["why"],
        entry["may_refuse"],
        None if entry["joints"] is None else tuple(map(ReadJoint.from_document, entry["joints"])),
    )
    for entry in json.loads((FILES / "traits.json").read_text("utf-8"))
}
"""All traits by name."""
