"""Known faults of released engines: expected by name and version, so that they neither block a run nor hide a new one.

Each has a minimal reproduction under ``docs/findings/``, with the proof of who is right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TypeVar

from cross_check.results import Cell, Invariant


@dataclass(frozen=True)
class Finding:
    """A fault of one engine: where it shows, and in which versions (a regular expression that the whole version matches)."""

    name: str
    implementation: str
    versions: str
    cells: str
    """A regular expression that the whole cell id matches."""


FINDINGS: tuple[Finding, ...] = ()

Item = TypeVar("Item", Cell, Invariant)


def recognise(item: Item, version: str, findings: tuple[Finding, ...] = FINDINGS) -> Item:
    """The cell or invariant, its discrepancy called known where a finding of that version explains it."""
    if item.verdict != "discrepancy":
        return item
    for finding in findings:
        known = finding.implementation == item.implementation and re.fullmatch(finding.versions, version)
        if known and re.fullmatch(finding.cells, item.id):
            return replace(item, verdict="known", message=f"known fault of {finding.implementation} {version}: docs/findings/{finding.name}.md")
    return item
