"""The torture set as files, for readers that are judged elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from mechanisms.urdf_traits.trait import Trait

INDEX = "traits.json"
"""The file that says what is right to make of the others."""

COMPARED = ("name", "kind", "parent", "origin", "axis", "carries", "damping", "mimic")
"""The fields of :class:`mechanisms.reading.ReadJoint` that a right reading gives."""


def files(groups: Mapping[str, tuple[Trait, ...]]) -> dict[str, bytes]:
    """The content of every file by its name, and of the index, UTF-8."""
    made = {file_name(trait): as_bytes(trait) for traits in groups.values() for trait in traits}
    index = [_entry(group, trait) for group, traits in groups.items() for trait in traits]
    return {**made, INDEX: (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode()}


def file_name(trait: Trait) -> str:
    """A name that every file system takes."""
    plain = trait.name.replace("\N{MINUS SIGN}", "minus ")
    return re.sub(r"[^A-Za-z0-9.]+", "-", plain).strip("-.").lower() + ".urdf"


def as_bytes(trait: Trait) -> bytes:
    """The file's content."""
    return trait.text.encode() if isinstance(trait.text, str) else trait.text


def _entry(group: str, trait: Trait) -> dict[str, Any]:
    joints = trait.joints and [{name: asdict(joint)[name] for name in COMPARED} for joint in trait.joints]
    return {
        "file": file_name(trait),
        "trait": trait.name,
        "group": group,
        "why": trait.why,
        "may_refuse": trait.may_refuse,
        "joints": None if trait.joints is None else joints or [],
    }
