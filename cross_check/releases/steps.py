"""What moved from one release to the next, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal

from cross_check.results.objects import COMPARED, RIGHT, Cell, Results, Verdict
from cross_check.results.versions import Kind, Step, VerdictChange

Class = Literal["right", "wrong", "failed", "absent"]

Key = tuple[str, str]
"""The names of a mechanism and a quantity."""


def class_of(cell: Cell | None) -> Class:
    """What a verdict amounts to: a known fault is wrong, too."""
    if cell is None or cell.verdict in ("not offered", "unsupported"):
        return "absent"
    if cell.verdict == "failed":
        return "failed"
    return "right" if cell.verdict in RIGHT else "wrong"


def cells_of(results: Results, name: str) -> dict[Key, Cell]:
    """The cells of one release."""
    return {(cell.mechanism, cell.quantity): cell for cell in results.cells if cell.implementation == name}


def steps_of(results: Results) -> tuple[Step, ...]:
    """From every implementation of the run to the next one."""
    names = [entry.name for entry in results.implementations]
    return tuple(
        _step(before, now, cells_of(results, before), cells_of(results, now))
        for before, now in pairwise(name for name in names if cells_of(results, name))
    )


def changes_between(before: Mapping[Key, Cell], now: Mapping[Key, Cell]) -> list[VerdictChange]:
    """The cells whose verdict changed, in the order of the run."""
    found = []
    for key in dict.fromkeys((*before, *now)):
        then, cell = before.get(key), now.get(key)
        old, new = _verdict(then), _verdict(cell)
        if old == new or class_of(then) == class_of(cell) == "absent":
            continue
        errors = (then.error if then else None, cell.error if cell else None, cell.moved if cell else None)
        found.append(VerdictChange(*key, old, new, _kind(then, cell), *errors))
    return found


def _step(before: str, now: str, then: Mapping[Key, Cell], cells: Mapping[Key, Cell]) -> Step:
    both: Sequence[Cell] = [
        cell for key, cell in cells.items() if cell.verdict in COMPARED and key in then and then[key].verdict in COMPARED
    ]
    moves = [cell.moved for cell in both if cell.moved is not None]
    moved = sum(move > 0 for move in moves) if len(moves) == len(both) else None
    return Step(before, now, len(both), moved, max(moves, default=None), tuple(changes_between(then, cells)))


def _verdict(cell: Cell | None) -> Verdict:
    return cell.verdict if cell else "unsupported"


def _kind(then: Cell | None, now: Cell | None) -> Kind:
    match class_of(then), class_of(now):
        case "right", ("wrong" | "failed"):
            return "broke"
        case "wrong", "right":
            return "repaired"
        case (("right" | "wrong"), ("failed" | "absent")):
            return "lost"
        case (("failed" | "absent"), ("right" | "wrong")):
            return "new"
    return "changed"
