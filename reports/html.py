"""The discrepancy report: one HTML file that opens from disk, needs no network, and shows causes without script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cross_check.exchange.results.objects import MechanismSummary, Results, Skeleton
from cross_check.exchange.results.shown import coverage_sentences, exercised, sharpness_sentences
from cross_check.exchange.results.tally import tallies
from cross_check.exchange.results.verdict import verdict_of
from cross_check.prove.proof_files import Proofs
from reports import charts, summary, versions, words
from reports import proofs as proof_words
from reports.catalogue import catalogue_section
from reports.causes import CauseEntry, entries
from reports.drawing import drawing
from reports.embedded import embed
from reports.explained import Explained
from reports.mathml import typeset
from reports.overview import Filters, codes, heat_map
from reports.pages import TEMPLATES, environment, page
from reports.profiles import sharpness_plot
from reports.proofs import CertificateWords
from reports.reproduction import repeat
from reports.words import cleaned, count, one_line

SCRIPTS = ("data.js", "strip.js", "view.js", "map.js", "cell.js", "pages.js")
"""The parts of the page's one script, in order."""

NO_PROOFS = Proofs()

DETAILED = 100
"""Entries whose details are in the page itself; the script unpacks the details of further ones."""


def render(results: Results, proofs: Proofs = NO_PROOFS) -> str:
    """The report of a run, with the proofs, as one self-contained page."""
    results = cleaned(results)
    result = verdict_of(results)
    css, more, *scripts = (TEMPLATES.joinpath(name).read_text("utf-8") for name in ("report.css", "catalogue.css", *SCRIPTS))
    filters = Filters(results)
    css += more if proofs.catalogue else ""
    listed = [Explained(results, entry, f"cause{k}" if k >= DETAILED else "") for k, entry in enumerate(entries(results))]
    counted, numbers = codes(results, listed)
    context = {"reason": lambda item: summary.reason(results, item), "results": results}
    certificates = proof_words.shown(cleaned(proofs.certificates))
    return page(
        _environment(),
        "report.html",
        css,
        "\n".join(scripts),
        filters.rules,
        data=Markup(embed(results, _fragments(results, certificates, listed, context))),
        tallies=tallies(results),
        codes=counted,
        scale=numbers,
        filters=filters,
        sharpness=sharpness_sentences(results),
        sharpness_plot=sharpness_plot(results),
        tone=result.tone,
        headline=result.headline,
        faults=result.sentences[1:],
        shown=listed,
        missed=coverage_sentences(results),
        exercised=exercised(results),
        comparisons=heat_map(results),
        certificates=certificates,
        catalogue=catalogue_section(proofs.catalogue) if proofs.catalogue else "",
        repeat=repeat(results),
        times=_times(results),
        **context,
    )


def _fragments(
    results: Results, certificates: Sequence[CertificateWords], listed: Sequence[Explained], context: dict[str, Any]
) -> dict[str, Any]:
    """What the script puts in when it is opened, as HTML; and which cells every entry explains."""
    body: Any = _environment().get_template("cause.html").make_module(context).body  # type: ignore[attr-defined]
    index = {id: k for k, id in enumerate(item.id for item in results.items)}
    return {
        "parts": {one.folded: str(body(one)) for one in listed if one.folded},
        "mechanisms": [mechanism_page(_environment(), mechanism, certificates) for mechanism in results.mechanisms],
        "entries": [[one.entry.id, one.entry.sentence, [index[item.id] for item in one.entry.items]] for one in listed],
    }


@cache
def _environment() -> Environment:
    names = {"VERDICTS": words.VERDICTS, "count": count, "typeset": typeset, "explains": _explains}
    names |= {"PROVEN": proof_words.PROVEN, "REFUTED": proof_words.REFUTED}
    names |= {"charts": charts, "summary": summary, "versions": versions}
    filters = {name: getattr(words, name) for name in ("units", "symbol", "whose", "level", "change_word", "tally_word")}
    filters |= {"number_of": words.number, "title_of": words.title, "sentence": _sentence}
    return environment(names, filters | {"capitalize_first": lambda text: text[:1].upper() + text[1:]})


def _explains(entry: CauseEntry) -> str:
    """How much of what is wrong with the implementation the entry explains: "explains 35 of 35 cells"."""
    verb = "" if not entry.cause else "concerns " if entry.cause.kind == "unknown" else "explains "
    if not entry.items:
        return f"{verb}no cell of this run"
    return f"{verb}{len(entry.items)} of {count(entry.total, 'cell')}"


def _sentence(text: str) -> str:
    """The text with a capital and a full stop, unless it has them."""
    text = text.rstrip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def _times(results: Results) -> list[tuple[str, str, str]]:
    """Where the time went: rows of a name, seconds, and the share of the whole."""
    total, spent = results.times.total, results.times.implementations
    rest = ("deriving the truth, evaluating it and comparing", max(0.0, total - sum(spent.values())))
    rows = [*spent.items(), rest] if total else []
    return [(name, f"{seconds:.2f} s", f"{100 * seconds / total:.0f} %") for name, seconds in rows]


def mechanism_page(environment: Environment, mechanism: MechanismSummary, certificates: Sequence[CertificateWords]) -> str:
    """The page as HTML; of the certificates it shows those about this mechanism."""
    about = f"{mechanism.name}, {mechanism.bodies} bodies, at position zero"
    return environment.get_template("mechanism.html").render(
        m=mechanism,
        picture=drawing(mechanism.skeleton, about),
        tree=_tree(mechanism.skeleton),
        certificates=[one for one in certificates if one.mechanism in (mechanism.name, mechanism.spec)],
    )


def _tree(skeleton: Skeleton) -> Markup:
    """List items, one in another. They end when a body comes that is carried by an earlier one."""
    children: dict[int, list[int]] = {}
    for child, bone in enumerate(skeleton):
        children.setdefault(bone.parent, []).append(child)
    parts: list[Markup] = []
    waiting: list[int | str] = list(reversed(children.get(-1, [])))
    while waiting:
        k = waiting.pop()
        if isinstance(k, str):
            parts.append(Markup(k))
            continue
        bone, own = skeleton[k], children.get(k, [])
        item = Markup("<li><bdi>{}</bdi> <small>{} <bdi>{}</bdi></small>")
        parts.append(item.format(one_line(bone.body), bone.kind, one_line(bone.joint)))
        # A chain is a flat list, so that long arms are not indented without end.
        branches = len(own) > 1
        parts.append(Markup("<ul>") if branches else Markup("</li>"))
        waiting += [*(["</ul></li>"] if branches else []), *reversed(own)]
    return Markup("").join(parts)
