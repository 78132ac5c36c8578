"""Where and when an entry is wrong: its errors by kind of state, joint, quantity, mechanism and size, as plots."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from cross_check.exchange.results.objects import INFINITE, Cell, Results
from cross_check.exchange.results.parts import lower_end
from cross_check.exchange.results.shown import sharpnesses
from reports.causes import CauseEntry
from reports.charts import LEAST, Axis, PlotRow, histogram, row_plot
from reports.words import count, title

MOST = 32
"""Rows of a plot; of more, those with the largest errors are shown."""


@dataclass(frozen=True)
class Figure:
    """A plot and its caption."""

    title: str
    note: str
    plot: Markup


def profiles(results: Results, entry: CauseEntry) -> tuple[Figure, ...]:
    """The plots of an entry. A plot that would have one row is left out; an entry without errors has no plots."""
    cells = [item for item in entry.items if isinstance(item, Cell) and item.error is not None]
    if not cells:
        return ()
    bar = results.settings.bar
    worst = max(cells, key=lambda cell: cell.error or 0.0)
    states = [state for cell in cells for state in _states(results, cell)]
    own = [cell for cell in results.cells if cell.implementation == entry.implementation and cell.error is not None]
    quantities = ((title(cell.quantity), cell.error) for cell in own if cell.mechanism in entry.mechanisms)
    mechanisms = ((cell.mechanism, cell.error) for cell in own if cell.quantity in entry.quantities)
    what, joints = _joints(results, worst)
    figures = [
        (f"By {what}", f"{title(worst.quantity)} of {worst.mechanism}", [PlotRow(name, error) for name, error in joints]),
        ("By kind of state", "a line from the smallest error to the largest", _ranges(state[:2] for state in states)),
        ("By quantity", "all quantities of this code on these mechanisms", _largest(quantities)),
        ("By mechanism", "all mechanisms of the run", _largest(mechanisms)),
    ]
    shown = [_figure(name, note, rows, bar) for name, note, rows in figures if len(rows) > 1]
    counts = _decades(states)
    note = f"{count(sum(counts.values()), 'state')}; the bar is at {bar:g} ε-units"
    return (*shown, Figure("By size", note, histogram(counts, bar, "How many states have an error of which size")))


def sharpness_plot(results: Results) -> Markup:
    """To which part of its size every number is right, by implementation, or by mechanism if there is one implementation."""
    fitted = sharpnesses(results)
    several = len({cell.implementation for cell, _ in fitted}) > 1
    rows = _ranges((cell.implementation if several else cell.mechanism, bound) for cell, bound in fitted)[:MOST]
    if not rows:
        return Markup("")
    high = math.ceil(math.log10(max(1e-12, *(row.error for row in rows if row.error < INFINITE))))
    about = "To which part of its size every number is right"
    return row_plot(rows, 2.0**-52, about, Axis(-18, high, 0, 1), "ε", "{:.1e}".format)


def _states(results: Results, cell: Cell) -> Iterator[tuple[str, float, int]]:
    """The kind of every state, its error, and how many states of this kind have it."""
    if cell.histogram:
        for kind, bins in cell.histogram.bins.items():
            yield from ((kind, lower_end(k), number) for k, number in bins)
        return
    kinds = results.mechanism(cell.mechanism).kinds
    names = kinds if len(kinds) == len(cell.errors) else ["recorded"] * len(cell.errors)
    yield from ((kind, error, 1) for kind, error in zip(names, cell.errors, strict=True))


def _joints(results: Results, cell: Cell) -> tuple[str, list[tuple[str, float]]]:
    """What the numbers of the cell belong to, and the largest error of each, in the order of the mechanism."""
    mechanism = results.mechanism(cell.mechanism)
    errors: Sequence[float] = cell.coordinates or [max(column) for column in zip(*cell.by_kind.values(), strict=False)]
    named = {"joint": mechanism.coordinates, "body": [bone.body for bone in mechanism.skeleton]}
    for what, names in named.items():
        if len(names) == len(errors):
            kept = sorted(sorted(range(len(names)), key=lambda k: -errors[k])[:MOST])
            return what, [(names[k], errors[k]) for k in kept]
    return "joint", []


def _ranges(pairs: Iterable[tuple[str, float]]) -> list[PlotRow]:
    """A row for every name, from its smallest to its largest value; the largest first."""
    found: dict[str, list[float]] = {}
    for name, error in pairs:
        found.setdefault(name, []).append(error)
    rows = [PlotRow(name, max(errors), min(errors)) for name, errors in found.items()]
    return sorted(rows, key=lambda row: -row.error)


def _largest(pairs: Iterable[tuple[str, float | None]]) -> list[PlotRow]:
    return [PlotRow(row.name, row.error) for row in _ranges((name, error or 0.0) for name, error in pairs)]


def _figure(name: str, note: str, rows: Sequence[PlotRow], bar: float) -> Figure:
    more = f"; the {MOST} worst of {len(rows)}" if len(rows) > MOST else ""
    wrong = sum(row.error > bar for row in rows)
    return Figure(name, note + more, row_plot(rows[:MOST], bar, f"{name}: {wrong} of {len(rows)} are wrong"))


def _decades(states: Iterable[tuple[str, float, int]]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for _, error, number in states:
        counts[max(LEAST, math.floor(math.log10(min(error, 1e30)))) if error > 0 else LEAST] += number
    return counts
