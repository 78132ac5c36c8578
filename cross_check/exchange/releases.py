"""Releases of one package: what moved from each to the next, cell by cell, and in which one a verdict changed.

A bisection halves the releases between two of which one is otherwise than the other. Halving finds one change if there is one. It
cannot know whether releases that it did not test went back and forth, so the result names them; testing every release can.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from cross_check.exchange.results.objects import COMPARED, RIGHT, Cell, Results, Verdict
from cross_check.exchange.results.versions import Bisection, ReleaseChange, Step, Trial, VerdictChange
from mechanisms.plain_text import count, listing, one_line
from mechanisms.quantities import QUANTITIES

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


def _kind(then: Cell | None, now: Cell | None) -> ReleaseChange:
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


Cells = Mapping[Key, Cell]

Test = Callable[[str], "Cells | str"]
"""The cells of a release, or in words why there are none."""

VERBS = {
    ("right", "wrong"): "broke in",
    ("right", "failed"): "began to fail in",
    ("wrong", "right"): "came right in",
    ("failed", "right"): "stopped failing in",
    ("absent", "right"): "appeared in",
    ("absent", "wrong"): "appeared, wrong, in",
    ("right", "absent"): "disappeared in",
    ("wrong", "absent"): "disappeared in",
}
"""What happened to cells, by what they were and what they are."""

NAMED = 3
"""So many cells are named in a sentence."""


@dataclass
class Search:
    """A bisection while it goes: an interrupted one keeps what it has tested.

    ``between`` are the releases between the two ends, the oldest first.
    """

    package: str
    ends: tuple[str, str]
    between: Sequence[str]
    cells: tuple[Cells, Cells]

    def __post_init__(self) -> None:
        first, last = self.ends
        self.order = [first, *self.between, last]
        self.differing = _changed(*self.cells)
        """The cells that the two ends judge otherwise."""
        self.found: dict[str, Cells] = dict(zip(self.ends, self.cells, strict=True))
        """The cells of the releases that ran."""
        self.tested = {first: Trial(first, "as before"), last: Trial(last, "as after" if self.differing else "as before")}

    def run(self, test: Test, every: bool = False) -> None:
        """Test releases until nothing is left to know; ``every`` tests all of them, also where the ends do not differ."""
        for version in self.between if every else iter(self._next, ""):
            found = test(version)
            if isinstance(found, str):
                self.tested[version] = Trial(version, "not run", found)
            else:
                self.found[version], self.tested[version] = found, self._judged(version, found)

    def _next(self) -> str:
        """The release in the middle of those that are left; empty if none is."""
        low, high = self._bounds()
        left = [version for version in self.order[low + 1 : high] if version not in self.tested]
        return left[len(left) // 2] if left else ""

    def _bounds(self) -> tuple[int, int]:
        """The places of the last tested release that is as the earlier end, and of the first one that is otherwise.

        Both are 0 if none is otherwise.
        """
        states = [self.tested[version].state if version in self.tested else None for version in self.order]
        high = next((k for k, state in enumerate(states) if state in ("as after", "neither")), 0)
        return max((k for k, state in enumerate(states[:high]) if state == "as before"), default=0), high

    def _judged(self, version: str, cells: Cells) -> Trial:
        before, after = self.cells
        keys = self.differing or list(dict.fromkeys((*before, *cells)))
        if not (changed := _changed(before, cells, keys)):
            return Trial(version, "as before")
        if not _changed(after, cells, keys):
            return Trial(version, "as after")
        return Trial(version, "neither", f"{count(len(changed), 'cell')} of {len(keys)} otherwise than in {self.ends[0]}")

    def result(self) -> Bisection:
        """What is known by now."""
        order = self.order
        tested = [self.tested[version] for version in order if version in self.tested]
        untested = [version for version in self.between if version not in self.tested]
        left_out = f"not tested: {listing(untested)}" if untested else ""
        low, high = self._bounds()
        if not high:
            sentence = f"no verdict differs between {self.package} {self.ends[0]} and {self.ends[1]} on these mechanisms"
            return Bisection("; ".join(filter(None, [sentence, left_out])), tested, untested=untested)
        first, last = order[high], order[low]
        inside = order[low + 1 : high]
        where = f"{first}, or in {listing(inside)}, which did not run" if inside else first
        if any(version not in self.tested for version in inside):
            where = f"a release after {last}, at the latest {first}"
        parts = [f"{self._what(first)} {where}"]
        if back := [one.version for one in tested if one.state == "as before" and order.index(one.version) > high]:
            is_rest = len(back) > 1 and back == [one.version for one in tested[-len(back) :]]
            which = f"{back[0]} and later ones are" if is_rest else f"{listing(back)} {'is' if len(back) == 1 else 'are'}"
            parts.append(f"{which} as before again")
        if self.differing and self.tested[first].state == "neither":
            parts.append(f"other cells changed later ({self.tested[first].why}); bisect each quantity alone with -q")
        return Bisection("; ".join(filter(None, [*parts, left_out])), tested, first, last, untested)

    def _what(self, first: str) -> str:
        """The cells that changed in this release, and what happened to them."""
        before, now = self.cells[0], self.found[first]
        keys = _changed(before, now, self.differing or None)
        kinds = {(class_of(before.get(key)), class_of(now.get(key))) for key in keys}
        verb = VERBS.get(kinds.pop(), "changed in") if len(kinds) == 1 else "changed in"
        return f"{_named(keys)} {verb} {self.package}"


def _changed(before: Cells, now: Cells, keys: Sequence[Key] | None = None) -> list[Key]:
    """The cells that are right, wrong, absent or fail in one and not in the other."""
    return [key for key in keys or dict.fromkeys((*before, *now)) if class_of(before.get(key)) != class_of(now.get(key))]


def _named(keys: Sequence[Key]) -> str:
    names = [f"{QUANTITIES[quantity].title} of {one_line(mechanism, 60)}" for mechanism, quantity in keys[:NAMED]]
    more = len(keys) - len(names)
    return listing([*names, *([count(more, "other cell")] if more > 0 else [])])
