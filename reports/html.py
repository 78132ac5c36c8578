"""The discrepancy report: one HTML file that opens from disk, needs no network, and can be read without script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cross_check.proof_files import Proofs
from reports import plot
from reports import proofs as proof_words
from reports.catalogue_page import catalogue_section
from reports.embedded import embed
from reports.mathml import typeset
from reports.pages import TEMPLATES, environment, hashed
from reports.reproduction import repeat, reproduce
from reports.summary import (
    ULPS,
    Tally,
    absent,
    bridge,
    distances,
    faults,
    headline,
    inputs,
    mechanism_of,
    problems,
    reason,
    tallies,
    truths,
)
from reports.words import (
    INVARIANTS,
    PROBLEMS,
    VERDICTS,
    cleaned,
    count,
    group,
    number,
    symbol,
    title,
    units,
    verdict,
    whose,
)

SCRIPTS = ("strip.js", "cell.js", "table.js")
"""In the order of the page's one script."""

NO_PROOFS = Proofs([], None)

DETAILED = 30
"""Problems whose details are in the page itself; those of further ones are drawn by its script."""


def render(document: dict[str, Any], proofs: Proofs = NO_PROOFS) -> str:
    """The report of a results document, with what ``proofs`` show, as one self-contained page."""
    document = cleaned(document)
    found = tallies(document)
    wrong = problems(document)
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
            data=Markup(embed(document)),
            document=document,
            tallies=found,
            tone=_tone(found),
            headline=headline(document),
            faults=faults(document)[1:],
            truths=truths(document),
            bridge=bridge(document),
            distances=distances(document),
            ulps=ULPS,
            problems=[(tally, [item for item in wrong if item["implementation"] == tally.name]) for tally in found],
            detailed={item["id"] for item in wrong[:DETAILED]},
            known=[item for part in ("cells", "invariants") for item in document[part] if item["verdict"] == "known"],
            absent=absent(document),
            comparisons=_tables(document),
            invariants=_table(document, document["invariants"], "name"),
            reason=lambda item: reason(document, item),
            command_of=lambda item: reproduce(document, item),
            repeat=repeat(document),
            overview=lambda tally: _overview(tally, document),
            states=lambda cell: _states(cell, document),
            coordinates=lambda cell: _coordinates(cell, document),
            inputs=lambda cell: inputs(mechanism_of(document, cell), cell["worst"]["inputs"]),
            times=_times(document),
            certificates=proof_words.shown(cleaned(proofs.certificates)),
            catalogue=catalogue_section(proofs.catalogue) if proofs.catalogue else "",
        )
    )


@cache
def _environment() -> Environment:
    names = {"VERDICTS": VERDICTS, "INVARIANTS": INVARIANTS, "word_of": verdict, "count": count, "typeset": typeset}
    names |= {"PROVEN": proof_words.PROVEN, "REFUTED": proof_words.REFUTED}
    filters = {"units": units, "number_of": number, "symbol": symbol, "title_of": title, "whose": whose}
    return environment(names, filters)


def _tone(found: list[Tally]) -> str:
    styles = [tally.word.style for tally in found]
    return next((style for style in (*PROBLEMS, "agrees") if style in styles), "absent")


def _tables(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The comparisons, a table for every group of quantities; what an implementation never offers has no column."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for cell in document["cells"]:
        groups.setdefault(group(cell["quantity"]), []).append(cell)
    tables = ((name, _table(document, cells, "quantity")) for name, cells in groups.items())
    return [(name, table) for name, table in tables if table["rows"]]


def _table(document: dict[str, Any], items: list[dict[str, Any]], column: str) -> dict[str, Any]:
    """Columns in the order of the run, the first of every implementation marked; per mechanism one item for each, or nothing."""
    offered = {(item["implementation"], item[column]) for item in items if item["verdict"] != "not offered"}
    names = list(dict.fromkeys(item[column] for item in items))
    columns: list[tuple[str, str, bool]] = []
    for entry in document["implementations"]:
        own = [name for name in names if (entry["name"], name) in offered]
        columns += [(entry["name"], name, k == 0) for k, name in enumerate(own)]
    at = {(item["mechanism"], item["implementation"], item[column]): item for item in items}
    rows = [(m, [(at.get((m["name"], *key)), first) for *key, first in columns]) for m in document["mechanisms"]]
    groups = [(name, sum(entry == name for entry, _, _ in columns)) for name in dict.fromkeys(entry for entry, _, _ in columns)]
    shown = [name for name in names if any(name == quantity for _, quantity, _ in columns)]
    return {"names": shown, "columns": columns, "groups": groups, "rows": rows if columns else []}


def _overview(tally: Tally, document: dict[str, Any]) -> Markup:
    bar = document["settings"]["bar"]
    errors = [cell["error"] for cell in tally.cells if cell["error"] is not None]
    label = f"{count(len(errors), 'comparison')} on a logarithmic axis, the largest {units(max(errors, default=None))} ε-units"
    axis = plot.Axis((cell["error"] for cell in document["cells"] if cell["error"] is not None), bar)
    return plot.strip([("", errors)], bar, label, axis=axis)


def _states(cell: dict[str, Any], document: dict[str, Any]) -> Markup:
    kinds = next(m["kinds"] for m in document["mechanisms"] if m["name"] == cell["mechanism"])
    rows: dict[str, list[float]] = {}
    for kind, error in zip(kinds, cell["errors"], strict=False):
        rows.setdefault(kind, []).append(error)
    label = f"Errors of {count(len(cell['errors']), 'state')}, the largest {units(cell['error'])} ε-units"
    return plot.strip(list(rows.items()), document["settings"]["bar"], label)


def _coordinates(cell: dict[str, Any], document: dict[str, Any]) -> Markup | None:
    names = next(m["coordinates"] for m in document["mechanisms"] if m["name"] == cell["mechanism"])
    if len(names) != len(cell["coordinates"]):
        return None
    rows: Sequence[tuple[str, list[float]]] = [(name, [error]) for name, error in zip(names, cell["coordinates"], strict=True)]
    return plot.strip(rows, document["settings"]["bar"], "Largest error of every coordinate, in ε-units", stems=True)


def _times(document: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Where the time went: rows of a name, seconds, and the share of the whole."""
    total = document["times"].get("total", 0.0)
    spent = document["times"].get("implementations", {})
    rest = ("deriving the truth, evaluating it and comparing", max(0.0, total - sum(spent.values())))
    rows = [*spent.items(), rest] if total else []
    return [(name, f"{seconds:.2f} s", f"{100 * seconds / total:.0f} %") for name, seconds in rows]
