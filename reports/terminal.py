"""The terminal's output: readable at 80 columns and without colour."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from cross_check.results.coverage_words import exercised
from cross_check.results.histograms import lower_end
from cross_check.results.objects import REVISION, BaselineComparison, Cell, Item, MechanismSummary, Results, RunSettings
from cross_check.results.sharpness_words import sharpness_sentences
from cross_check.results.tally import tallies
from cross_check.results.verdict import verdict_of
from reports import versions
from reports.cause_words import words
from reports.causes import Entry, entries
from reports.settings_words import setting_rows
from reports.summary import ULPS, absent, constraints, distances, inputs, notes, spread, truths, ulps
from reports.words import VERDICTS, Word, change_word, count, number, one_line, symbol, title, units, verdict

STYLES = {"agrees": "cyan", "discrepancy": "bold red", "failed": "bold magenta", "known": "yellow", "absent": "dim"}

SIGNS = {"absent": "·", **{tone: VERDICTS[tone].sign for tone in ("agrees", "discrepancy", "failed")}}

GRAVITY = ("discrepancy", "failed", "known", "lost digits", "agrees", "unsupported", "not offered")
"""Verdicts, the gravest first: a row of several quantities shows the gravest."""

MOST = 12
"""Causes and changes that are listed; the reports have them all."""


@dataclass(frozen=True)
class Indented:
    """Prose that stays indented if the console wraps it, and is one line if it does not."""

    text: Text
    by: int = 2

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(" " * self.by) + self.text if options.no_wrap else Padding(self.text, (0, 0, 0, self.by))


def summary(results: Results) -> RenderableType:
    """Mechanisms × implementations, causes, changes since the baseline, what was not compared, and last the verdict."""
    parts: list[RenderableType] = [_matrix(results)] if results.cells else []
    parts += [*_ulps(results), *_versions(results), *_causes(results), *_baseline(results.baseline)]
    if missed := absent(results):
        lines = [Text(f"  {one_line(one.text, 2000)} ({count(len(one.mechanisms), 'mechanism')})", style="dim") for one in missed]
        parts += [Text(""), Text("Not compared", style="bold"), *lines[:MOST]]
    if about := constraints(results):
        lines = [Text(f"  {one_line(line, 2000)}", style="dim") for line in about]
        parts += [Text(""), Text("Constraints", style="bold"), *lines[:MOST]]
    if aloud := notes(results):
        lines = [Text(f"  {one_line(line, 2000)}", style="dim") for line in aloud]
        parts += [Text(""), Text("Ignored in files", style="bold"), *lines[:MOST]]
        parts += [Text(f"  … and {len(lines) - MOST} more", style="dim")] if len(lines) > MOST else []
    if results.skipped:
        skipped = [Text(f"  {one_line(item.what)}: {one_line(item.why)}", style="dim") for item in results.skipped]
        parts += [Text(""), Text("Skipped", style="bold"), *skipped]
    parts += [Text(""), *([Text(truths(results), style="dim")] if results.mechanisms else [])]
    # Where implementations differ in this, the list is long; the reports have it.
    coverage = [*(exercised(results) if len(results.coverage) == 1 else []), *verdict_of(results).missed]
    coverage = [*sharpness_sentences(results), *coverage]
    parts += [Text(f"{one_line(line, 2000)}.", style="dim") for line in coverage]
    result = verdict_of(results)
    style = "discrepancy" if result.tone == "failed" else result.tone
    return Group(*parts, Text(f"{SIGNS[result.tone]} {result.text}", style=STYLES[style]))


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
    parts += [Text(""), _errors("kind of state", list(kinds.items()), settings.bar)]
    if len(cell.coordinates) == len(mechanism.coordinates):
        pairs = zip(mechanism.coordinates, cell.coordinates, strict=True)
        parts += [Text(""), _errors("coordinate", list(pairs), settings.bar)]
    component = f"{symbol(cell.quantity)} at {worst.coordinate}" if worst.coordinate else symbol(cell.quantity)
    where = f"State {worst.state} ({worst.kind}), {component}"
    facts = [(name, number(getattr(worst, name))) for name in ("got", "expected", "magnitude")]
    parts += [Text(""), Text(one_line(where), style="bold"), _pairs(facts)]
    for name, rows in inputs(mechanism, worst.inputs):
        parts += [Text(f"\n{name}", style="italic"), _pairs(rows)]
    return Group(*parts)


def _matrix(results: Results) -> Table:
    """The worst verdict and error of every mechanism and implementation, over all quantities and invariants."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("mechanism"), overflow="fold", min_width=14)
    counted = tallies(results)
    for tally in counted:
        table.add_column(Text(one_line(tally.name, 24)), overflow="fold")
    for mechanism in results.mechanisms:
        items = [[item for item in t.items if item.mechanism == mechanism.name] for t in counted]
        table.add_row(Text(one_line(mechanism.name, 60)), *map(_gravest, items))
    largest = [Text(units(tally.worst.error) if tally.worst else "–", style="bold") for tally in counted]
    table.add_section()
    table.add_row(Text("largest, ε-units", style="bold"), *largest)
    return table


def _ulps(results: Results) -> list[RenderableType]:
    """The distances from the correctly rounded values, if they are known."""
    rows = distances(results)
    if not rows:
        return []
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("ulps"), overflow="fold")
    for tally in tallies(results):
        table.add_column(Text(one_line(tally.name, 24)), overflow="fold")
    for row in rows:
        table.add_row(Text(one_line(symbol(row.quantity))), *map(Text, row.within))
    return [Text(""), table, Text(ULPS, style="dim")]


def _versions(results: Results) -> list[RenderableType]:
    """Quantities × releases, the verdicts that changed, and what a bisection tested."""
    if not results.versions:
        return []
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("quantity"), overflow="fold")
    for entry in results.implementations:
        table.add_column(Text(one_line(entry.name, 24)), overflow="fold")
    for name, _, squares in versions.rows(results):
        table.add_row(Text(name), *(Text(square.text, style=STYLES[square.word.style]) for square in squares))
    parts: list[RenderableType] = [Text(""), table]
    for step, changes in versions.all_changes(results.versions.steps):
        lines = [Indented(Text(one_line(change.text))) for change in changes]
        more = [Text(f"  … and {len(lines) - MOST} more", style="dim")] if len(lines) > MOST else []
        parts += [Text(""), Text(one_line(f"From {step.before} to {step.now}"), style="bold"), *lines[:MOST], *more]
    if found := results.versions.bisection:
        lines = [Indented(Text(one_line(line))) for line in versions.tested_words(found)]
        parts += [Text(""), Text("Releases that were tested", style="bold"), *lines]
    return parts


def _gravest(items: list[Item]) -> Text:
    if not items:
        return _sign(VERDICTS["not run"], None, words=True)
    gravest = min((item.verdict for item in items), key=GRAVITY.index)
    chosen = [item for item in items if item.verdict == gravest and (isinstance(item, Cell) or gravest != "agrees")] or items
    worst = max(chosen, key=lambda item: item.error or 0.0)
    return _sign(verdict(worst), worst.error, words=gravest != "agrees")


def _sign(word: Word, error: float | None, words: bool) -> Text:
    parts = [word.sign, units(error) if error is not None else "", word.word if words else ""]
    return Text(" ".join(part for part in parts if part), style=STYLES[word.style])


def _causes(results: Results) -> list[RenderableType]:
    """Problems, one entry per cause, and known findings."""
    found = entries(results)
    wrong, known = [[entry for entry in found if (entry.tone == "known") is which] for which in (False, True)]
    return [*_entries("Problems", results, wrong), *_entries("Known findings", results, known)]


def _entries(heading: str, results: Results, shown: list[Entry]) -> list[RenderableType]:
    parts: list[RenderableType] = [Text(""), Text(heading, style="bold")] if shown else []
    for entry in shown[:MOST]:
        said = words(results, entry)
        parts.append(Indented(Text.assemble(_sign(said.word, None, words=True), " ", (said.title, "bold"))))
        parts += [Indented(Text(fact), 4) for fact in said.facts]
        if said.command and entry.tone != "known":
            # Commands are copied: a line break would change them.
            parts.append(Text("    " + said.command, style="dim", no_wrap=True, overflow="ignore"))
    return [*parts, Text(f"  … and {len(shown) - MOST} more", style="dim")] if len(shown) > MOST else parts


def _baseline(baseline: BaselineComparison | None) -> list[RenderableType]:
    if not baseline or not baseline.changes:
        return []
    lines = [Indented(Text(one_line(f"{change_word(c)}: {c.id} {c.sentence}"))) for c in baseline.changes]
    more = [Text(f"  … and {len(lines) - MOST} more", style="dim")] if len(lines) > MOST else []
    since = baseline.path if baseline.path.startswith(REVISION) else f"the baseline {baseline.path}"
    return [Text(""), Text(f"Since {one_line(since)}", style="bold"), *lines[:MOST], *more]


def _errors(head: str, rows: list[tuple[str, float]], bar: float) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 2), header_style="dim")
    table.add_column(Text(head), overflow="fold")
    table.add_column(Text("ε-units"), justify="right", no_wrap=True)
    for name, error in rows:
        word = VERDICTS["discrepancy" if error > bar else "agrees"]
        table.add_row(Text(one_line(name)), Text(f"{word.sign} {units(error)}", style=STYLES[word.style]))
    return table


def _pairs(rows: list[tuple[str, str]]) -> Table:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for name, value in rows:
        table.add_row(Text(one_line(name)), Text(value))
    return table
