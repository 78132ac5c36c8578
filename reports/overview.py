"""The codes of a run: a row for each with its verdict, causes and errors; the filters of the list of causes; and the map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from cross_check.exchange.results.objects import COMPARED, Item, MechanismSummary, Results, name_of
from cross_check.exchange.results.tally import Tally, tallies
from reports.causes import rank
from reports.charts import axis_of, points, scale
from reports.embedded import columns_of, tables
from reports.explained import Explained
from reports.words import GRAVITY, PROBLEMS, Word, count, gravest, largest, level, tally_word, units

STRIP = 250
"""The width of the axis of errors in pixels."""

MAP_GRAVITY = ("failed", *GRAVITY)
"""On the map, code that failed hides every other verdict."""


@dataclass(frozen=True)
class Code:
    """An implementation in the overview, with its entries of the list of causes."""

    tally: Tally
    word: Word
    wrong: tuple[Explained, ...]
    known: tuple[Explained, ...]
    points: Markup
    """Every comparison as a mark on the axis of errors; empty if there is none."""

    @property
    def causes(self) -> str:
        """ "2 causes", and what no cause explains: "1 unexplained", "1 known"."""
        named = sum(1 for one in self.wrong if one.entry.cause and one.entry.cause.kind != "unknown")
        rest = {"unexplained": len(self.wrong) - named, "known": len(self.known)}
        parts = [count(named, "cause")] if named else []
        return ", ".join(parts + [f"{number} {word}" for word, number in rest.items() if number]) or "–"

    @property
    def agreement(self) -> str:
        """ "7 of 12 agree", and how many comparisons failed or broke."""
        tally = self.tally
        parts = [f"{tally.having('agrees')} of {tally.compared} agree"] if tally.compared else []
        failed = {"lost digits": tally.having("lost digits"), "known": tally.having("known"), "failed": tally.failed}
        parts += [f"{number} {word}" for word, number in failed.items() if number]
        return ", ".join(parts + ([f"{count(tally.violated, 'invariant')} broken"] if tally.violated else [])) or "–"


def codes(results: Results, shown: Sequence[Explained]) -> tuple[list[Code], Markup]:
    """The codes of a run, the gravest first as in the list of causes, and the numbers of their common axis.

    Code that agrees comes last: users' code, engines, our own.
    """
    bar, counted = results.settings.bar, tallies(results)
    compared = {
        tally.name: [(cell.error or 0.0, cell.verdict == "known") for cell in tally.cells if cell.verdict in COMPARED]
        for tally in counted
    }
    axis = axis_of((error for errors in compared.values() for error, _ in errors), bar, 14, STRIP)
    order = {name: k for k, name in enumerate(dict.fromkeys(one.entry.implementation for one in shown))}
    found = [
        Code(
            tally,
            tally_word(tally),
            tuple(one for one in shown if one.entry.implementation == tally.name and one.entry.tone != "known"),
            tuple(one for one in shown if one.entry.implementation == tally.name and one.entry.tone == "known"),
            points(errors, bar, axis, _about(errors)) if (errors := compared[tally.name]) else Markup(""),
        )
        for tally in counted
    ]
    found.sort(key=lambda code: (not code.wrong, order.get(code.tally.name, len(order)), rank(code.tally.spec)))
    return found, scale(axis, bar)


def _about(errors: Sequence[tuple[float, bool]]) -> str:
    return f"{count(len(errors), 'comparison')} on a logarithmic axis, the largest {units(max(errors)[0])} ε-units"


class Filters:
    """What the list of causes and the map can be filtered by, with rules of style that do it where no script runs.

    Every choice is the place of a name in a table of :func:`tables`, so that no name gets into a rule.
    """

    def __init__(self, results: Results) -> None:
        self.tables = tables(results)

    @cached_property
    def rules(self) -> str:
        """A rule for every choice: what stands behind the form and does not have it is not shown."""
        choices = {name: [str(k) for k in table.values()] for name, table in self.tables.items() if name != "verdict"}
        choices["verdict"] = [name.replace(" ", "-") for name in ("problems", *self.tables["verdict"])]
        rule = '.filters:has(#by-{0} [value="{1}"]:checked) ~ * [data-{0}]:not([data-{0}~="{1}"]){{display:none}}'
        return "\n".join(rule.format(name, value) for name, values in choices.items() for value in values)

    def about(self, shown: Sequence[Explained]) -> Markup:
        """The attributes of an element that shows these entries."""
        items = [item for one in shown for item in one.entry.items]
        names = {
            "implementation": [one.entry.implementation for one in shown],
            "mechanism": [item.mechanism for item in items],
            "quantity": [name_of(item) for item in items],
        }
        places = {
            key: [str(self.tables[key][name]) for name in dict.fromkeys(given) if name in self.tables[key]]
            for key, given in names.items()
        }
        tones = dict.fromkeys(one.entry.tone for one in shown)
        places["verdict"] = [*tones, *(["problems"] if any(tone in PROBLEMS for tone in tones) else [])]
        return Markup(" ").join(Markup('data-{}="{}"').format(key, " ".join(values)) for key, values in places.items())


@dataclass(frozen=True)
class Square:
    """All cells and invariants of one mechanism and one implementation; ``error`` is the largest with this verdict."""

    verdict: str
    error: float | None
    level: int


def square(items: Sequence[Item], bar: float) -> Square:
    """The square of these items; "not run" without items."""
    verdict, having = gravest(items, MAP_GRAVITY)
    error = largest(having)
    return Square(verdict, error, level(error, bar))


@dataclass(frozen=True)
class Map:
    """Mechanisms × implementations: users' code first, then engines, then our own."""

    implementations: tuple[str, ...]
    rows: tuple[tuple[MechanismSummary, tuple[Square, ...]], ...]


def heat_map(results: Results) -> Map:
    """The map of a run."""
    names = [entry.name for entry in columns_of(results)]
    items: dict[tuple[str, str], list[Item]] = {}
    for item in results.items:
        items.setdefault((item.mechanism, item.implementation), []).append(item)
    rows = ((m, tuple(square(items.get((m.name, name), []), results.settings.bar) for name in names)) for m in results.mechanisms)
    return Map(tuple(names), tuple(rows))
