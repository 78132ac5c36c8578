"""The discrepancy report: one HTML file that opens from disk, needs no network, and shows causes without script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from markupsafe import Markup

from cross_check.exchange.results import shown as shows
from cross_check.exchange.results.objects import COMPARED, Item, MechanismSummary, Results, Skeleton, name_of
from cross_check.exchange.results.tally import Tally, tallies
from cross_check.exchange.results.verdict import verdict_of
from cross_check.prove.proof.objects import Certificate
from cross_check.prove.proof_files import Proofs
from reports import charts, summary, versions
from reports import proofs as proof_words
from reports.catalogue import catalogue_section
from reports.causes import entries, rank
from reports.charts import axis_of, points, scale
from reports.drawing import drawing
from reports.embedded import columns_of, embed, tables
from reports.explained import Explained, explained, explains
from reports.mathml import typeset
from reports.pages import TEMPLATES, fill, page
from reports.profiles import sharpness_plot
from reports.reproduction import repeat
from reports.words import GRAVITY, PROBLEMS, Gravest, Word, cleaned, count, gravest, one_line, tally_word, units

SCRIPTS = ("data.js", "strip.js", "view.js", "map.js", "cell.js", "pages.js")
"""The parts of the page's one script, in order."""

STRIP = 250
"""The width of the axis of errors in pixels."""

MAP_GRAVITY = ("failed", *GRAVITY)
"""On the map, code that failed hides every other verdict."""

NO_PROOFS = Proofs()

DETAILED = 100
"""Entries whose details are in the page itself; the script unpacks the details of further ones."""


def render(results: Results, proofs: Proofs = NO_PROOFS) -> str:
    """The report of a run, with the proofs, as one self-contained page."""
    results = cleaned(results)
    filters = Filters(results)
    listed = [explained(entry, f"cause{k}" if k >= DETAILED else "") for k, entry in enumerate(entries(results))]
    certificates = cleaned(proofs.certificates)
    counted, numbers = codes(results, listed)
    modules = {"charts": charts, "proofs": proof_words, "shows": shows, "summary": summary, "versions": versions}
    functions = {function.__name__: function for function in (explains, heat_map, repeat, sharpness_plot, tallies, verdict_of)}
    return page(
        "report.html",
        *(["catalogue.css"] if proofs.catalogue else []),
        js="\n".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in SCRIPTS),
        rules=filters.rules,
        results=results,
        times=_times(results),
        data=Markup(embed(results, _fragments(results, certificates, listed))),
        codes=counted,
        scale=numbers,
        filters=filters,
        shown=listed,
        certificates=certificates,
        catalogue=catalogue_section(proofs.catalogue) if proofs.catalogue else "",
        **functions,
        **modules,
    )


def _fragments(results: Results, certificates: Sequence[Certificate], listed: Sequence[Explained]) -> dict[str, Any]:
    """What the script puts in when it is opened, as HTML; and which cells every entry explains."""
    index = {id: k for k, id in enumerate(item.id for item in results.items)}
    return {
        "parts": {one.folded: str(one.body) for one in listed if one.folded},
        "mechanisms": [_mechanism(mechanism, certificates) for mechanism in results.mechanisms],
        "entries": [[one.entry.id, one.entry.sentence, [index[item.id] for item in one.entry.items]] for one in listed],
    }


def _times(results: Results) -> list[tuple[str, str, str]]:
    """Where the time went: rows of a name, seconds, and the share of the whole."""
    total, spent = results.times.total, results.times.implementations
    rest = ("deriving the truth, evaluating it and comparing", max(0.0, total - sum(spent.values())))
    rows = [*spent.items(), rest] if total else []
    return [(name, f"{seconds:.2f} s", f"{100 * seconds / total:.0f} %") for name, seconds in rows]


def _mechanism(mechanism: MechanismSummary, certificates: Sequence[Certificate]) -> str:
    """The page of a mechanism; of the certificates it shows those about this one."""
    about, own = f"{mechanism.name}, {mechanism.bodies} bodies, at position zero", (mechanism.name, mechanism.spec)
    return str(
        fill(
            "mechanism.html",
            m=mechanism,
            picture=drawing(mechanism.skeleton, about),
            tree=_tree(mechanism.skeleton),
            certificates=[one for one in certificates if one.mechanism in own],
            typeset=typeset,
            proofs=proof_words,
        )
    )


def _tree(skeleton: Skeleton) -> Markup:
    """List items, one in another. A chain is a flat list, so that long arms are not indented without end."""
    children: dict[int, list[int]] = {}
    for child, bone in enumerate(skeleton):
        children.setdefault(bone.parent, []).append(child)
    parts: list[Markup] = []
    waiting: list[int | str] = [*reversed(children.get(-1, []))]
    while waiting:
        k = waiting.pop()
        if isinstance(k, str):
            parts.append(Markup(k))
            continue
        bone, own = skeleton[k], children.get(k, [])
        item = Markup("<li><bdi>{}</bdi> <small>{} <bdi>{}</bdi></small>")
        parts.append(item.format(one_line(bone.body), bone.kind, one_line(bone.joint)))
        parts.append(Markup("<ul>" if len(own) > 1 else "</li>"))
        waiting += [*["</ul></li>"] * (len(own) > 1), *reversed(own)]
    return Markup("").join(parts)


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


def heat_map(results: Results) -> tuple[list[str], list[tuple[MechanismSummary, list[Gravest[Item]]]]]:
    """The names of implementations: users' code, engines, our own; and for every mechanism the gravest verdict of all cells and
    invariants of each.
    """
    names = [entry.name for entry in columns_of(results)]
    items: dict[tuple[str, str], list[Item]] = {}
    for item in results.items:
        items.setdefault((item.mechanism, item.implementation), []).append(item)
    return names, [(m, [gravest(items.get((m.name, name), []), MAP_GRAVITY) for name in names]) for m in results.mechanisms]
