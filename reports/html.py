"""The discrepancy report: one HTML file that opens from disk, needs no network, and can be read without script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cross_check.proof_files import Proofs
from cross_check.results.coverage_words import coverage_sentences, exercised
from cross_check.results.objects import Cell, Item, Results, name_of
from cross_check.results.tally import Tally, tallies
from cross_check.results.verdict import verdict_of
from reports import plot
from reports import proofs as proof_words
from reports.catalogue_page import catalogue_section
from reports.embedded import embed
from reports.mathml import typeset
from reports.pages import TEMPLATES, environment, hashed
from reports.reproduction import repeat, reproduce
from reports.summary import (
    ULPS,
    absent,
    bridge,
    distances,
    inputs,
    problems,
    reason,
    spread,
    truths,
)
from reports.words import (
    INVARIANTS,
    VERDICTS,
    change_word,
    cleaned,
    count,
    group,
    number,
    symbol,
    tally_word,
    title,
    units,
    verdict,
    whose,
)

SCRIPTS = ("strip.js", "cell.js", "table.js")
"""The parts of the page's one script, in order."""

NO_PROOFS = Proofs()

DETAILED = 30
"""Problems whose details are in the page itself; the script draws the details of further ones."""


def render(results: Results, proofs: Proofs = NO_PROOFS) -> str:
    """The report of a run, with the proofs, as one self-contained page."""
    results = cleaned(results)
    result, counted, wrong = verdict_of(results), tallies(results), problems(results)
    css, more, *scripts = (TEMPLATES.joinpath(name).read_text("utf-8") for name in ("report.css", "catalogue.css", *SCRIPTS))
    css += more if proofs.catalogue else ""
    js = "\n".join(scripts)
    return (
        _environment()
        .get_template("report.html")
        .render(
            css=Markup(css),
            js=Markup(js),
            policy=f"default-src 'none'; style-src {hashed(css)}; script-src {hashed(js)}; base-uri 'none'; form-action 'none'",
            data=Markup(embed(results)),
            results=results,
            tallies=counted,
            tone=result.tone,
            headline=result.headline,
            faults=result.sentences[1:],
            missed=coverage_sentences(results),
            exercised=exercised(results),
            truths=truths(results),
            bridge=bridge(results),
            distances=distances(results),
            ulps=ULPS,
            problems=[(tally, [item for item in wrong if item.implementation == tally.name]) for tally in counted],
            detailed={item.id for item in wrong[:DETAILED]},
            known=[item for item in results.items if item.verdict == "known"],
            absent=absent(results),
            comparisons=_tables(results),
            invariants=_table(results, results.invariants),
            reason=lambda item: reason(results, item),
            command_of=lambda item: reproduce(results, item),
            repeat=repeat(results),
            overview=lambda tally: _overview(tally, results),
            states=lambda cell: _states(cell, results),
            coordinates=lambda cell: _coordinates(cell, results),
            inputs=lambda cell: inputs(results.mechanism(cell.mechanism), cell.worst.inputs),
            times=_times(results),
            certificates=proof_words.shown(cleaned(proofs.certificates)),
            catalogue=catalogue_section(proofs.catalogue) if proofs.catalogue else "",
        )
    )


@cache
def _environment() -> Environment:
    names = {"VERDICTS": VERDICTS, "INVARIANTS": INVARIANTS, "word_of": verdict, "count": count, "typeset": typeset}
    names |= {"PROVEN": proof_words.PROVEN, "REFUTED": proof_words.REFUTED}
    filters = {"units": units, "number_of": number, "symbol": symbol, "title_of": title, "whose": whose}
    filters |= {"spread": spread, "change_word": change_word, "tally_word": tally_word}
    return environment(names, filters)


def _tables(results: Results) -> list[tuple[str, dict[str, Any]]]:
    """The comparisons, a table for every group of quantities. What an implementation never offers has no column."""
    groups: dict[str, list[Cell]] = {}
    for cell in results.cells:
        groups.setdefault(group(cell.quantity), []).append(cell)
    tables = ((name, _table(results, cells)) for name, cells in groups.items())
    return [(name, table) for name, table in tables if table["rows"]]


def _table(results: Results, items: Sequence[Item]) -> dict[str, Any]:
    """Columns in the order of the run, the first of every implementation marked; per mechanism one item for each, or nothing."""
    offered = {(item.implementation, name_of(item)) for item in items if item.verdict != "not offered"}
    names = list(dict.fromkeys(map(name_of, items)))
    columns: list[tuple[str, str, bool]] = []
    for entry in results.implementations:
        own = [name for name in names if (entry.name, name) in offered]
        columns += [(entry.name, name, k == 0) for k, name in enumerate(own)]
    cells = {(item.mechanism, item.implementation, name_of(item)): item for item in items}
    rows = [(m, [(cells.get((m.name, entry, name)), first) for entry, name, first in columns]) for m in results.mechanisms]
    groups = [(name, sum(entry == name for entry, _, _ in columns)) for name in dict.fromkeys(entry for entry, _, _ in columns)]
    shown = [name for name in names if any(name == quantity for _, quantity, _ in columns)]
    return {"names": shown, "columns": columns, "groups": groups, "rows": rows if columns else []}


def _overview(tally: Tally, results: Results) -> Markup:
    bar = results.settings.bar
    errors = [cell.error for cell in tally.cells if cell.error is not None]
    label = f"{count(len(errors), 'comparison')} on a logarithmic axis, the largest {units(max(errors, default=None))} ε-units"
    axis = plot.Axis((cell.error for cell in results.cells if cell.error is not None), bar)
    return plot.strip([("", errors)], bar, label, axis=axis)


def _states(cell: Cell, results: Results) -> Markup:
    if cell.histogram:
        return plot.histogram(cell.histogram.bins, cell.error or 0.0, results.settings.bar, spread(cell))
    rows: dict[str, list[float]] = {}
    for kind, error in zip(results.mechanism(cell.mechanism).kinds, cell.errors, strict=False):
        rows.setdefault(kind, []).append(error)
    label = f"Errors of {count(len(cell.errors), 'state')}, the largest {units(cell.error)} ε-units"
    return plot.strip(list(rows.items()), results.settings.bar, label)


def _coordinates(cell: Cell, results: Results) -> Markup | None:
    names = results.mechanism(cell.mechanism).coordinates
    if len(names) != len(cell.coordinates):
        return None
    rows: Sequence[tuple[str, list[float]]] = [(name, [error]) for name, error in zip(names, cell.coordinates, strict=True)]
    return plot.strip(rows, results.settings.bar, "Largest error of every coordinate, in ε-units", stems=True)


def _times(results: Results) -> list[tuple[str, str, str]]:
    """Where the time went: rows of a name, seconds, and the share of the whole."""
    total, spent = results.times.total, results.times.implementations
    rest = ("deriving the truth, evaluating it and comparing", max(0.0, total - sum(spent.values())))
    rows = [*spent.items(), rest] if total else []
    return [(name, f"{seconds:.2f} s", f"{100 * seconds / total:.0f} %") for name, seconds in rows]
