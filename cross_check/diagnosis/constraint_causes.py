"""The causes of what disagrees on the constraints of mechanisms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cross_check.diagnosis.words import identifier
from cross_check.part import Entry
from cross_check.results.causes import Cause
from cross_check.results.objects import Cell
from cross_check.settings import Settings
from mechanisms import Mechanism

REMEDY = "compare J and the drift first, then M and h of the tree, then λ; docs/loops.md has the signs"


def constraint_causes(
    entry: Entry, cells: Sequence[Cell], mechanisms: Sequence[Mechanism], settings: Settings
) -> Iterator[Cause]:
    """The causes of the ``cells`` that disagree."""
    ids = tuple(cell.id for cell in cells if cell.verdict == "discrepancy")
    said = "it disagrees on constraints"
    yield Cause(identifier(entry.name, said), entry.name, "unknown", said, ids, remedy=REMEDY)
