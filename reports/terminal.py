"""What is shown on a terminal: readable at 80 columns and without colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from reports.reproduction import reproduce
from reports.summary import ULPS, absent, distances, faults, headline, inputs, problems, reason, tallies, truths, ulps
from reports.words import VERDICTS, Word, count, number, one_line, symbol, title, units, verdict

STYLES = {"agrees": "cyan", "discrepancy": "bold red", "failed": "bold magenta", "known": "yellow", "absent": "dim"}

GRAVITY = ("discrepancy", "failed", "known", "agrees", "unsupported", "not offered")
"""Verdicts, the gravest first: a row of several quantities shows that of the gravest."""

MOST = 12
"""Problems that are listed; the reports have them all."""


@dataclass(frozen=True)
class Indented:
    """Prose that stays indented where the console wraps it, and is one line where it wraps nothing."""

    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("  ") + self.text if options.no_wrap else Padding(self.text, (0, 0, 0, 2))


def summary(document: dict[str, Any]) -> RenderableType:
    """Mechanisms against implementations, then problems, then what was skipped, then the verdict."""
    parts: list[RenderableType] = [_matrix(document)] if document["cells"] else []
    parts += _ulps(document)
    parts += _problems(document)
    if missed := absent(document):
        lines = [Text(f"  {one_line(message)} ({count(len(names), 'mechanism')})", style="dim") for _, message, names in missed]
        parts += [Text(""), Text("Not compared", style="bold"), *lines[:MOST]]
    if document["skipped"]:
        skipped = [Text(f"  {one_line(x['what'])}: {one_line(x['why'])}", style="dim") for x in document["skipped"]]
        parts += [Text(""), Text("Skipped", style="bold"), *skipped]
    if document["interrupted"]:
        parts += [Text(""), Text("Interrupted: this covers what was finished.", style="yellow")]
    wrong = faults(document)
    style = "discrepancy" if wrong else "agrees" if any(tally.compared for tally in tallies(document)) else "absent"
    sign = {"discrepancy": "✗", "agrees": "✓", "absent": "·"}[style]
    sentences = [*wrong, ""] if wrong else [headline(document), ""]
    parts += [Text(""), Text(f"{sign} " + ". ".join(sentences).rstrip(), style=STYLES[style])]
    return Group(*parts, *([Text(truths(document), style="dim")] if document["mechanisms"] else []))


def cell_details(cell: dict[str, Any], mechanism: dict[str, Any], settings: dict[str, Any]) -> RenderableType:
    """One cell: its errors by kind of state and by coordinate, and its worst state in full precision.

    ``mechanism`` is the cell's entry in the document's ``mechanisms``, ``settings`` the document's.
    """
    about = f" (the bar is {units(settings['bar'])})" if cell["error"] is not None else ""
    message = f": {one_line(cell['message'])}" if cell["message"] else ""
    parts: list[RenderableType] = [
        Text(one_line(f"{cell['mechanism']}, {cell['implementation']}, {title(cell['quantity'])}"), style="bold"),
        Text.assemble(_sign(verdict(cell), cell["error"], words=True), about, message),
    ]
    if within := ulps([cell]):
        share = 100 * cell["ulps"]["rounded"]
        parts.append(Text(f"{share:g} % correctly rounded; half / 99 in 100 / all are within {within} ulps"))
    worst = cell["worst"]
    if not worst:
        return Group(*parts)
    kinds: dict[str, float] = {}
    for kind, error in zip(mechanism["kinds"], cell["errors"], strict=False):
        kinds[kind] = max(error, kinds.get(kind, 0.0))
    parts += [Text(""), _errors("kind of state", list(kinds.items()), settings["bar"])]
    if len(cell["coordinates"]) == len(mechanism["coordinates"]):
        pairs = zip(mechanism["coordinates"], cell["coordinates"], strict=True)
        parts += [Text(""), _errors("coordinate", list(pairs), settings["bar"])]
    component = f"{symbol(cell['quantity'])} at {worst['coordinate']}" if worst["coordinate"] else symbol(cell["quantity"])
    where = f"State {worst['state']} ({worst['kind']}), {component}"
    facts = [(name, number(worst[name])) for name in ("got", "expected", "magnitude")]
    parts += [Text(""), Text(one_line(where), style="bold"), _pairs(facts)]
    for name, rows in inputs(mechanism, worst["inputs"]):
        parts += [Text(f"\n{name}", style="italic"), _pairs(rows)]
    return Group(*parts)


def _matrix(document: dict[str, Any]) -> Table:
    """The worst verdict and error of every mechanism and implementation, over all quantities and invariants."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("mechanism"), overflow="fold", min_width=14)
    found = tallies(document)
    for tally in found:
        table.add_column(Text(one_line(tally.name, 24)), overflow="fold")
    for mechanism in document["mechanisms"]:
        cells = [[c for c in (*t.cells, *t.invariants) if c["mechanism"] == mechanism["name"]] for t in found]
        table.add_row(Text(one_line(mechanism["name"], 60)), *map(_gravest, cells))
    largest = [Text(units(tally.worst["error"]) if tally.worst else "–", style="bold") for tally in found]
    table.add_section()
    table.add_row(Text("largest, ε-units", style="bold"), *largest)
    return table


def _ulps(document: dict[str, Any]) -> list[RenderableType]:
    """The distances from the correctly rounded values, where they are known."""
    rows = distances(document)
    if not rows:
        return []
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column(Text("ulps"), overflow="fold")
    for tally in tallies(document):
        table.add_column(Text(one_line(tally.name, 24)), overflow="fold")
    for row in rows:
        table.add_row(Text(one_line(symbol(row.quantity))), *map(Text, row.within))
    return [Text(""), table, Text(ULPS, style="dim")]


def _gravest(items: list[dict[str, Any]]) -> Text:
    if not items:
        return _sign(VERDICTS["not run"], None, words=True)
    gravest = min((item["verdict"] for item in items), key=GRAVITY.index)
    chosen = [item for item in items if item["verdict"] == gravest and ("quantity" in item or gravest != "agrees")] or items
    worst = max(chosen, key=lambda item: item["error"] or 0.0)
    return _sign(verdict(worst), worst["error"], words=gravest != "agrees")


def _sign(word: Word, error: float | None, words: bool) -> Text:
    parts = [word.sign, units(error) if error is not None else "", word.word if words else ""]
    return Text(" ".join(part for part in parts if part), style=STYLES[word.style])


def _problems(document: dict[str, Any]) -> list[RenderableType]:
    found = problems(document)
    parts: list[RenderableType] = [Text(""), Text("Problems", style="bold")] if found else []
    for item in found[:MOST]:
        what = one_line(f"{item['implementation']}, {item['mechanism']}, {item.get('quantity') or item['name']}")
        line = Text.assemble(_sign(verdict(item), None, words=True), " ", (what, "bold"), ": ", reason(document, item))
        # A command is there to be copied: broken into lines it is another one.
        command = Text("    " + one_line(reproduce(document, item), 2000), style="dim", no_wrap=True, overflow="ignore")
        parts += [Indented(line), command]
    return [*parts, Text(f"  … and {len(found) - MOST} more", style="dim")] if len(found) > MOST else parts


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
