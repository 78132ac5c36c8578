"""Heat: an error in ε-units as one of six levels, and the cells of a mechanism and an implementation as one square."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from cross_check.results.objects import Item, MechanismSummary, Results
from reports.causes import rank

LEVELS = (1e3, 1e6, 1e9)
"""Errors above the bar have a level of their own up to each of these, and one beyond the last."""

GRAVITY = ("failed", "discrepancy", "known", "lost digits", "agrees", "unsupported", "not offered")
"""Verdicts, the gravest first: a square has the gravest of its cells."""


def level(error: float | None, bar: float) -> int:
    """0 where there is no error to speak of, 1 up to the bar, and 2 to 5 above it."""
    if error is None or error < 1:
        return 0
    return 1 if error <= bar else 2 + sum(error > limit for limit in LEVELS)


@dataclass(frozen=True)
class Square:
    """All cells and invariants of one mechanism and one implementation; ``error`` is the largest with this verdict."""

    verdict: str
    error: float | None
    level: int


def square(items: Sequence[Item], bar: float) -> Square:
    """The square of these items; "not run" if there are none."""
    verdict = min((item.verdict for item in items), key=GRAVITY.index, default="not run")
    errors = [item.error for item in items if item.verdict == verdict and item.error is not None]
    largest = max(errors, default=None)
    return Square(verdict, largest, level(largest, bar))


@dataclass(frozen=True)
class Map:
    """Mechanisms × implementations: users' code first, then engines, then our own."""

    implementations: tuple[str, ...]
    rows: tuple[tuple[MechanismSummary, tuple[Square, ...]], ...]


def heat_map(results: Results) -> Map:
    """The map of a run."""
    names = [entry.name for entry in sorted(results.implementations, key=lambda entry: rank(entry.spec))]
    items = _by(results.items)
    rows = ((m, tuple(square(items.get((m.name, name), []), results.settings.bar) for name in names)) for m in results.mechanisms)
    return Map(tuple(names), tuple(rows))


def _by(items: Iterable[Item]) -> dict[tuple[str, str], list[Item]]:
    def key(item: Item) -> tuple[str, str]:
        return item.mechanism, item.implementation

    return {pair: list(group) for pair, group in groupby(sorted(items, key=key), key)}
