"""The terminal's output: readable at 80 columns and without colour.

It fits on one screen: a long list becomes one line that counts it, unless the summary is verbose. No number breaks: a table that
is too wide has another shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cross_check.exchange.results.objects import REVISION, BaselineComparison, Cell, Item, MechanismSummary, Results, RunSettings
from cross_check.exchange.results.parts import lower_end
from cross_check.exchange.results.shown import exercised, sharpness_sentences
from cross_check.exchange.results.tally import Tally, tallies
from cross_check.exchange.results.verdict import verdict_of
from reports import versions
from reports.causes import CauseEntry, sections
from reports.summary import ULPS, aside, distances, inputs, setting_rows, spread, truths, ulps
from reports.words import GRAVITY, VERDICTS, Word, change_word, gravest, number, one_line, symbol, title, units, verdict

STYLES = {"agrees": "cyan", "discrepancy": "bold red", "failed": "bold magenta", "known": "yellow", "absent": "dim"}

SIGNS = {"absent": "·", **{tone: VERDICTS[tone].sign for tone in ("agrees", "discrepancy", "failed")}}

MOST = 12
"""Causes and changes that are listed, and mechanisms; the reports have them all."""

FEW = 3
"""Lines of what is said aside; more are counted. More causes are listed without their evidence."""


@dataclass(frozen=True)
class Indented:
    """Prose that stays indented if the console wraps it, and is one line if it does not."""

    text: Text
    by: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(" " * self.by) + self.text if options.no_wrap else Padding(self.text, (0, 0, 0, self.by))


@dataclass(frozen=True)
class FirstThatFits:
    """The first of the tables that is not wider than the console; the last if all are."""

    tables: tuple[Table, ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # A measurement is cut to the width that it may have.
        freely = options.update(max_width=100 * options.max_width)
        fitting = (one for one in self.tables if Measurement.get(console, freely, one).maximum <= options.max_width)
        yield next(fitting, self.tables[-1])


def summary(results: Results, verbose: bool = False) -> RenderableType:
    """Implementations, causes, changes since the baseline, what was not compared, and last the verdict."""
    parts: list[RenderableType] = _tables(results, verbose) if results.cells else []
    parts += [*_ulps(results), *_versions(results), *_causes(results, verbose), *_baseline(results.baseline)]
    # Where implementations differ in this, the list is long; the reports have it.
    result = verdict_of(results, brief=not verbose)
    for heading, lines in aside(results).items():
        parts += _section(heading, lines, verbose or result.kind == "nothing compared")
    parts += [Text(""), *([Text(truths(results), style="dim")] if results.mechanisms else [])]
    shown = exercised(results) if verbose and len(results.coverage) == 1 else []
    coverage = [*sharpness_sentences(results), *shown, *result.missed]
    parts += [Text(f"{one_line(line, 2000)}.", style="dim") for line in coverage]
    style = "discrepancy" if result.tone == "failed" else result.tone
    return Group(*parts, Text(f"{SIGNS[result.tone]} {result.text}", style=STYLES[style]))


def _section(heading: str, lines: Sequence[str], verbose: bool) -> list[RenderableType]:
    """The lines below their heading, or how many they are."""
    if not lines:
        return []
    if len(lines) > FEW and not verbose:
        return [Text(""), Text.assemble((heading, "bold"), (f": {len(lines)} lines, which -v prints", "dim"))]
    return [Text(""), Text(heading, style="bold"), *(Indented(Text(one_line(line, 2000), style="dim")) for line in lines)]


def settings(results: Results) -> RenderableType:
    """Every setting of the run, and where it came from."""
    rows = [Indented(Text.assemble(f"{row.name:16} {row.value}  ", (row.origin, "dim"))) for row in setting_rows(results)]
    return Group(Text("Settings", style="bold"), *rows, Text(""))


def cell_details(cell: Cell, mechanism: MechanismSummary, settings: RunSettings) -> RenderableType:
    """One cell: its errors by kind of state and by coordinate, and its worst state in full precision."""
    about = f" (the bar is {units(settings.bar)})" if cell.error is not None else ""
    message = f": {one_line(cell.message)}" if cell.message else ""
    parts: list[RenderableType] = [
        Text(one_line(f"{cell.mechanism}, {cell.implementation}, {title(cell.quantity)}"), style="bold"),
        Text.assemble(_sign(verdict(cell), cell.error, words=True), about, message),
    ]
    if cell.ulps:
        share, within = 100 * cell.ulps.rounded, ulps([cell])
        parts.append(Text(f"{share:g} % correctly rounded; half / 99 in 100 / all are within {within} ulps"))
    if cell.output:
        parts.append(Text(f"It printed: {one_line(cell.output, 2000)}"))
    worst = cell.worst
    if not worst:
        return Group(*parts)
    kinds: dict[str, float] = {}
    for kind, error in zip(mechanism.kinds, cell.errors, strict=False):
        kinds[kind] = max(error, kinds.get(kind, 0.0))
    if cell.histogram and cell.error is not None:
        kinds = {kind: min(cell.error, lower_end(pairs[-1][0] + 1)) for kind, pairs in cell.histogram.bins.items()}
        parts.append(Text(spread(cell)))
    parts += [Text(""), _errors("kind of state", kinds.items(), settings.bar)]
    if len(cell.coordinates) == len(mechanism.coordinates):
        parts += [Text(""), _errors("coordinate", zip(mechanism.coordinates, cell.coordinates, strict=True), settings.bar)]
    component = f"{symbol(cell.quantity)} at {worst.coordinate}" if worst.coordinate else symbol(cell.quantity)
    where = f"State {worst.state} ({worst.kind}), {component}"
    facts = ((name, Text(number(getattr(worst, name)))) for name in ("got", "expected", "magnitude"))
    parts += [Text(""), Text(one_line(where), style="bold"), _facts(facts)]
    for name, rows in inputs(mechanism, worst.inputs):
        parts += [Text(f"\n{name}", style="italic"), _facts((coordinate, Text(value)) for coordinate, value in rows)]
    return Group(*parts)


def _tables(results: Results, verbose: bool) -> list[RenderableType]:
    """Mechanisms × implementations, where this fits on the screen; otherwise a row for each implementation."""
    matrix, rows = _matrix(results), _implementations(results)
    if verbose:
        return [rows, Text(""), FirstThatFits((matrix, _matrix(results, turned=True)))]
    return [FirstThatFits((matrix, rows))] if len(results.mechanisms) <= MOST else [rows]


def _implementations(results: Results) -> Table:
    """How many comparisons and invariants of every implementation have each verdict, and the largest error."""
    counted = tallies(results)
    shown = [one for one in GRAVITY[::-1] if any(item.verdict == one for tally in counted for item in tally.items)]
    shown = [one for one in shown if one not in ("not offered", "unsupported")]
    heads = [*(VERDICTS[one].word for one in shown), "largest, ε-units"]
    table = _table("implementation", heads, justify="right", no_wrap=True)
    for tally in counted:
        name, _ = gravest(tally.items)
        word = VERDICTS["not run" if name in ("not offered", "unsupported") else name]
        numbers = [sum(item.verdict == one for item in tally.items) for one in shown]
        signed = Text(f"{word.sign} {one_line(tally.title, 60)}", style=STYLES[word.style])
        table.add_row(signed, *(Text(str(n) if n else "–") for n in numbers), _largest(tally))
    return table


def _matrix(results: Results, turned: bool = False) -> Table:
    """The worst verdict and error of every mechanism and implementation, over all quantities and invariants.

    ``turned`` gives every pair a row.
    """
    counted = tallies(results)
    heads = ["implementation", ""] if turned else [tally.title for tally in counted]
    table = _table("mechanism", heads, overflow="fold", no_wrap=not turned)
    table.columns[0].min_width = 14
    for mechanism in results.mechanisms:
        signs = [_gravest([item for item in tally.items if item.mechanism == mechanism.name]) for tally in counted]
        first = Text(one_line(mechanism.name, 60))
        for row in zip((Text(one_line(tally.title, 60)) for tally in counted), signs, strict=True) if turned else [signs]:
            table.add_row(first, *row)
    if not turned:
        table.add_section()
        table.add_row(Text("largest, ε-units", style="bold"), *(_largest(tally, "bold") for tally in counted))
    return table


def _largest(tally: Tally, style: str = "") -> Text:
    return Text(units(tally.worst.error) if tally.worst else "–", style=style)


def _table(
    first: str, others: Iterable[str], rows: Iterable[Sequence[Text]] = (), left: int = 0, style: str = "bold", **columns: Any
) -> Table:
    """A table with these heads and rows, or without heads if the first is empty.

    ``columns`` say how all columns but the first are set.
    """
    table = Table(box=None, padding=(0, 2, 0, left), header_style=style, show_header=bool(first))
    table.add_column(Text(first), overflow="fold")
    for name in others:
        table.add_column(Text(one_line(name, 24)), **columns)
    for row in rows:
        table.add_row(*row)
    return table


def _ulps(results: Results) -> list[RenderableType]:
    """The distances from the correctly rounded values, if they are known."""
    rows = [(Text(one_line(symbol(name))), *map(Text, within)) for name, within in distances(results).items()]
    heads = (tally.name for tally in tallies(results))
    return [Text(""), _table("ulps", heads, rows, overflow="fold"), Text(ULPS, style="dim")] if rows else []


def _versions(results: Results) -> list[RenderableType]:
    """Quantities × releases, the verdicts that changed, and what a bisection tested."""
    if not results.versions:
        return []
    rows = (
        (Text(name), *(Text(square.text, style=STYLES[square.word.style]) for square in squares))
        for name, _, squares in versions.rows(results)
    )
    heads = (entry.name for entry in results.implementations)
    parts: list[RenderableType] = [Text(""), _table("quantity", heads, rows, overflow="fold")]
    for step, changes in versions.all_changes(results.versions.steps):
        parts += _first(f"From {step.before} to {step.now}", [change.text for change in changes])
    if found := results.versions.bisection:
        lines = [Indented(Text(one_line(line))) for line in versions.tested_words(found)]
        parts += [Text(""), Text("Releases that were tested", style="bold"), *lines]
    return parts


def _first(heading: str, lines: Sequence[str]) -> list[RenderableType]:
    """The first of the lines below their heading, and how many there are more."""
    more = [Text(f"  … and {len(lines) - MOST} more", style="dim")] if len(lines) > MOST else []
    shown = [Indented(Text(one_line(line))) for line in lines[:MOST]]
    return [Text(""), Text(one_line(heading), style="bold"), *shown, *more]


def _gravest(items: list[Item]) -> Text:
    name, having = gravest(items)
    if not items:
        return _sign(VERDICTS[name], None, words=True)
    chosen = [item for item in having if isinstance(item, Cell)] or items if name == "agrees" else having
    worst = max(chosen, key=lambda item: item.error or 0.0)
    return _sign(verdict(worst), worst.error, words=name != "agrees")


def _sign(word: Word, error: float | None, words: bool) -> Text:
    parts = [word.sign, units(error) if error is not None else "", word.word if words else ""]
    return Text(" ".join(part for part in parts if part), style=STYLES[word.style])


def _causes(results: Results, verbose: bool) -> list[RenderableType]:
    """Problems, one entry per cause, and known findings."""
    return [part for heading, shown in sections(results) for part in _entries(heading, shown, verbose)]


def _entries(heading: str, all_entries: list[CauseEntry], verbose: bool) -> list[RenderableType]:
    """Every implementation's entries, as many of each that no implementation hides another."""
    parts: list[RenderableType] = [Text(""), Text(heading, style="bold")]
    by_code: dict[str, list[CauseEntry]] = {}
    for entry in all_entries:
        by_code.setdefault(entry.implementation, []).append(entry)
    most = max(1, MOST // len(by_code))
    is_brief = not verbose and len(all_entries) > FEW
    for name, own in by_code.items():
        shown = own if verbose else own[:most]
        parts += [part for entry in shown for part in _entry(entry, is_brief)]
        if len(own) > len(shown):
            more = f"… and {len(own) - len(shown)} more of {one_line(name, 60)}, which -v prints"
            parts.append(Indented(Text(more, style="dim")))
    return parts


def _entry(entry: CauseEntry, is_brief: bool) -> list[RenderableType]:
    title = Indented(Text.assemble(_sign(entry.word, None, words=True), " ", (entry.title, "bold")))
    facts = entry.brief if is_brief else entry.facts
    parts: list[RenderableType] = [title, *(Indented(Text(fact), 4) for fact in facts)]
    if entry.command and entry.tone != "known":
        # Commands are copied: a line break would change them.
        parts.append(Text("    " + entry.command, style="dim", no_wrap=True, overflow="ignore"))
    return parts


def _baseline(baseline: BaselineComparison | None) -> list[RenderableType]:
    if not baseline or not baseline.changes:
        return []
    since = baseline.path if baseline.path.startswith(REVISION) else f"the baseline {baseline.path}"
    return _first(f"Since {since}", [f"{change_word(one)}: {one.id} {one.sentence}" for one in baseline.changes])


def _facts(rows: Iterable[tuple[str, Text]], first: str = "", second: str = "") -> Table:
    """A table of names and numbers."""
    named = ((Text(one_line(name)), value) for name, value in rows)
    return _table(first, [second], named, 2, "dim", justify="right", no_wrap=True)


def _errors(head: str, errors: Iterable[tuple[str, float]], bar: float) -> Table:
    words = ((name, error, VERDICTS["discrepancy" if error > bar else "agrees"]) for name, error in errors)
    return _facts(((name, _sign(word, error, words=False)) for name, error, word in words), head, "ε-units")
