"""Releases compared with one another, in words and rows: the same in the terminal, in Markdown and in HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.exchange.results.objects import Cell, Results
from cross_check.exchange.results.versions import Bisection, Step, VerdictChange
from reports.words import VERDICTS, Word, gravest, symbol, title, units


@dataclass(frozen=True)
class ReleaseSquare:
    """One quantity in one release, over all mechanisms: the gravest verdict, on how many mechanisms, and the largest error."""

    word: Word
    error: float | None
    count: str
    moved: float | None
    """How far answers moved since the release before it, in ε-units."""

    @property
    def text(self) -> str:
        """The sign, the error or the verdict, and how far it moved."""
        shown = units(self.error) if self.error is not None else self.word.word
        parts = [self.word.sign, shown, self.count, f"(moved {units(self.moved)})" if self.moved else ""]
        return " ".join(filter(None, parts))


def rows(results: Results) -> list[tuple[str, str, list[ReleaseSquare]]]:
    """Quantities × releases: symbol, title, and a square for every release. A quantity that none offers has no row."""
    names = dict.fromkeys(cell.quantity for cell in results.cells if cell.verdict != "not offered")
    found = []
    for name in names:
        of = [cell for cell in results.cells if cell.quantity == name]
        squares = [_square([cell for cell in of if cell.implementation == entry.name]) for entry in results.implementations]
        found.append((symbol(name), title(name), squares))
    return found


def _square(cells: Sequence[Cell]) -> ReleaseSquare:
    verdict, having = found = gravest(cells)
    moves = [cell.moved for cell in cells if cell.moved is not None]
    share = f"on {len(having)} of {len(cells)}" if verdict not in ("agrees", "not offered") and len(cells) > 1 else ""
    return ReleaseSquare(VERDICTS[verdict], found.error, share, max(moves, default=None))


@dataclass(frozen=True)
class ChangeWords:
    """One cell whose verdict changed, in words."""

    kind: str
    cell: str
    sentence: str

    @property
    def text(self) -> str:
        return f"{self.kind}: {self.cell} {self.sentence}"


def change_words(change: VerdictChange) -> ChangeWords:
    """The cell, and both verdicts with their errors."""
    before, now = (
        VERDICTS[name].word + (f" by {units(error)} ε-units" if error is not None and name in ("discrepancy", "known") else "")
        for name, error in ((change.before, change.error_before), (change.now, change.error_now))
    )
    moved = f"; moved by {units(change.moved)} ε-units" if change.moved else ""
    return ChangeWords(change.kind, f"{symbol(change.quantity)} of {change.mechanism}", f"{before} → {now}{moved}")


def all_changes(steps: Sequence[Step]) -> list[tuple[Step, list[ChangeWords]]]:
    """The changes of every step that has some."""
    return [(step, [change_words(change) for change in step.changes]) for step in steps if step.changes]


def tested_words(bisection: Bisection) -> list[str]:
    """What every release that was tested turned out to be."""
    first, last = bisection.tested[0].version, bisection.tested[-1].version
    words = {"as before": f"as {first}", "as after": f"as {last}", "neither": "otherwise", "not run": "did not run"}
    return [f"{one.version}: {words[one.state]}{f' ({one.why})' if one.why else ''}" for one in bisection.tested]


def environment_words(results: Results) -> list[str]:
    """What every environment took."""
    kept = results.versions.environments if results.versions else ()
    return [f"{one.name}: {len(one.packages)} packages, {one.megabytes:.0f} MB, made in {one.seconds:.1f} s" for one in kept]
