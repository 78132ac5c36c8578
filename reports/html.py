"""The discrepancy report: one HTML file that opens from disk, needs no network, and shows causes without script."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cross_check.proof_files import Proofs
from cross_check.results.objects import Results
from cross_check.results.shown import coverage_sentences, exercised, sharpness_sentences
from cross_check.results.tally import tallies
from cross_check.results.verdict import verdict_of
from reports import proofs as proof_words
from reports import versions
from reports.baseline_drawing import changes_of, slopes, step_slopes
from reports.catalogue_page import catalogue_section
from reports.causes import Entry, entries
from reports.embedded import embed
from reports.explained import Explained, explained, heading
from reports.heat import heat_map, level
from reports.mathml import typeset
from reports.mechanism_page import mechanism_page
from reports.overview import Filters, codes
from reports.pages import TEMPLATES, environment, hashed
from reports.profiles import sharpness_plot
from reports.proofs import CertificateWords
from reports.reproduction import repeat
from reports.score import score_sentence
from reports.settings_words import setting_rows
from reports.summary import ULPS, absent, bridge, constraints, distances, notes, reason, truths, workarounds
from reports.words import INVARIANTS, VERDICTS, change_word, cleaned, count, number, symbol, tally_word, title, units, whose

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
    js = "\n".join(scripts)
    policy = f"default-src 'none'; style-src {hashed(css)} {hashed(filters.rules)}; script-src {hashed(js)}"
    policy += "; base-uri 'none'; form-action 'none'"
    listed = [explained(results, entry, f"cause{k}" if k >= DETAILED else "") for k, entry in enumerate(entries(results))]
    counted, numbers = codes(results, listed)
    context = {"reason": lambda item: reason(results, item), "results": results}
    certificates = proof_words.shown(cleaned(proofs.certificates))
    return (
        _environment()
        .get_template("report.html")
        .render(
            css=Markup(css),
            js=Markup(js),
            policy=policy,
            data=Markup(embed(results, _fragments(results, certificates, listed, context))),
            tallies=tallies(results),
            codes=counted,
            scale=numbers,
            filters=filters,
            sharpness=sharpness_sentences(results),
            sharpness_plot=sharpness_plot(results),
            workarounds=workarounds(results),
            tone=result.tone,
            headline=result.headline,
            faults=result.sentences[1:],
            shown=listed,
            missed=coverage_sentences(results),
            exercised=exercised(results),
            changes=changes_of(results),
            slopes=slopes(results),
            truths=truths(results),
            bridge=bridge(results),
            distances=distances(results),
            ulps=ULPS,
            absent=absent(results),
            constraints=constraints(results),
            ignored=notes(results),
            comparisons=heat_map(results),
            certificates=certificates,
            catalogue=catalogue_section(proofs.catalogue) if proofs.catalogue else "",
            repeat=repeat(results),
            score=score_sentence(),
            times=_times(results),
            settings=setting_rows(results),
            versions=versions,
            step_slopes=step_slopes,
            **context,
        )
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
    names = {"VERDICTS": VERDICTS, "INVARIANTS": INVARIANTS, "count": count, "typeset": typeset, "heading": heading}
    names |= {"PROVEN": proof_words.PROVEN, "REFUTED": proof_words.REFUTED, "explains": _explains}
    filters = {"units": units, "number_of": number, "symbol": symbol, "title_of": title, "whose": whose, "level": level}
    filters |= {"change_word": change_word, "tally_word": tally_word, "sentence": _sentence}
    return environment(names, filters | {"capitalize_first": lambda text: text[:1].upper() + text[1:]})


def _explains(entry: Entry) -> str:
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
