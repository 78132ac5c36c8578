"""The texts, equation by equation: the outcomes of the catalogue, as a section of a report and as a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from cross_check.catalogue.results import CatalogueResults, EntryResult
from reports.catalogue_rows import folded
from reports.pages import TEMPLATES, environment, hashed
from reports.words import Word, cleaned, count, raised

OUTCOMES = {
    "identity": Word("proven", "✓", "agrees"),
    "slip": Word("false as printed", "≠", "known"),
    "warning": Word("does not hold", "≠", "absent"),
    "computed": Word("computed", "≈", "agrees"),
}
"""The outcome of an entry that is as stated, by its kind."""

FALSE = Word("false", "✗", "discrepancy")
HOLDS = Word("holds after all", "✗", "discrepancy")

_SCRIPT = re.compile(r"(?P<how>[_^])(?:\{|(?P<word>(?<=_)[A-Za-z0-9λ]+(?:\(i\))?|(?<=\^)[A-Za-z0-9×−]+))")

WIDEST = 60
"""The number of characters of an exact number that a page shows."""


def outcome(entry: EntryResult) -> Word:
    """The outcome of one entry of the catalogue."""
    if entry.as_stated:
        return OUTCOMES[entry.kind]
    return HOLDS if entry.kind in ("slip", "warning") else FALSE


def totals(entries: Iterable[EntryResult]) -> str:
    """The numbers of entries of each kind, and their outcomes."""
    parts = []
    for kind, noun, well, ill in (
        ("identity", "identity", "proven", "false"),
        ("slip", "slip of the texts", "refuted as printed", "not refuted"),
        ("warning", "warning", "confirmed", "not confirmed"),
        ("computed", "statement about numbers", "computed", "not confirmed"),
    ):
        of_kind = [entry for entry in entries if entry.kind == kind]
        right = sum(entry.as_stated for entry in of_kind)
        if not of_kind:
            continue
        outcomes = f" {well}" if right == len(of_kind) else f", {right} {well}, {len(of_kind) - right} {ill}"
        if kind == "identity":
            outcomes = f"{outcomes if right < len(of_kind) else f', {right} {well}'}, none skipped"
        parts.append(_count(len(of_kind), noun) + outcomes)
    return "; ".join(parts)


def catalogue_section(catalogue: CatalogueResults, open: bool = False) -> Markup:
    """The section of a report that shows the outcomes of the catalogue; ``open`` unfolds the part of each text."""
    return Markup(_environment().get_template("catalogue.html").render(**_context(catalogue), open=open))


def render(catalogue: CatalogueResults) -> str:
    """The outcomes of the catalogue as one self-contained page."""
    css = "\n".join(TEMPLATES.joinpath(name).read_text("utf-8") for name in ("report.css", "catalogue.css"))
    return (
        _environment()
        .get_template("catalogue_page.html")
        .render(
            css=Markup(css),
            policy=f"default-src 'none'; style-src {hashed(css)}; base-uri 'none'; form-action 'none'",
            headline=_headline(catalogue),
            tone="agrees" if catalogue.as_stated else "discrepancy",
            section=catalogue_section(catalogue, open=True),
        )
    )


def _context(catalogue: CatalogueResults) -> dict[str, Any]:
    catalogue = cleaned(catalogue)
    entries = catalogue.entries
    by_id = {entry.id: entry for entry in entries}
    parts = [
        (text, [(name, folded(group)) for name, group in groupby((e for e in entries if e.text == text.text), _section)])
        for text in catalogue.texts
    ]
    return {
        "parts": parts,
        "by_id": by_id,
        "slips": [entry for entry in entries if entry.kind == "slip"],
        "wrong": [entry for entry in entries if not entry.as_stated],
        "counts": _counts(entries),
    }


def _counts(entries: Sequence[EntryResult]) -> list[tuple[str, str]]:
    """The numbers at the top: for each kind, the number of entries that are as stated, and of how many."""
    nouns = {
        "identity": "identities proven",
        "slip": "slips refuted as printed",
        "warning": "warnings confirmed",
        "computed": "statements about numbers computed",
    }
    rows = []
    for kind, noun in nouns.items():
        right = [entry.as_stated for entry in entries if entry.kind == kind]
        if right:
            rows.append((str(len(right)) if all(right) else f"{sum(right)} of {len(right)}", noun))
    return rows


def _headline(catalogue: CatalogueResults) -> str:
    entries = catalogue.entries
    wrong = [entry for entry in entries if not entry.as_stated]
    if wrong:
        return f"{_count(len(wrong), 'statement')} of {len(entries)} {'is' if len(wrong) == 1 else 'are'} not as stated"
    proven, slips = (sum(entry.kind == kind for entry in entries) for kind in ("identity", "slip"))
    refuted = f", and {_count(slips, 'slip')} refuted" if slips else ""
    return f"{_count(proven, 'identity')} of the texts proven{refuted}"


def _section(entry: EntryResult) -> str:
    return entry.section


def _count(n: int, noun: str) -> str:
    """ "1 identity", "2 identities", "2 slips of the texts"."""
    word, _, rest = noun.partition(" ")
    whole = f"{n} identities" if word == "identity" and n != 1 else count(n, word)
    return f"{whole} {rest}".rstrip()


@cache
def _environment() -> Environment:
    filters = {"power": _power, "place": _place, "short": _short, "math": _math}
    return environment({"count": _count, "outcome": outcome}, filters)


def _math(text: str) -> Markup:
    """Unicode mathematics with ``_i`` as subscripts and ``^{…}`` as superscripts."""
    out, rest = Markup(""), text
    while script := _SCRIPT.search(rest):
        out += rest[: script.start()]
        inner, end = script["word"], script.end()
        if inner is None:
            end = _closing(rest, script.end())
            inner = rest[script.end() : end - 1]
        out += Markup("<sub>{}</sub>" if script["how"] == "_" else "<sup>{}</sup>").format(_math(inner))
        rest = rest[end:]
    return out + rest


def _closing(text: str, start: int) -> int:
    """The index after the brace that closes the one before ``start``."""
    depth = 1
    for k, character in enumerate(text[start:], start + 1):
        depth += (character == "{") - (character == "}")
        if not depth:
            return k
    return len(text) + 1


def _power(error: str) -> str:
    """ "2^-112" as 2⁻¹¹²."""
    base, _, exponent = error.partition("^")
    return base + raised(exponent)


def _place(component: Sequence[int]) -> str:
    """The place of a number: the equation, unless it is the first, and the indices in its side, counted from 1."""
    equation, *indices = (k + 1 for k in component)
    entry = f"entry {', '.join(map(str, indices))}" if indices else ""
    return " ".join(filter(None, [f"equation {equation}," if equation > 1 else "", entry])).rstrip(",")


def _short(number: str) -> str:
    return number if len(number) <= WIDEST else f"{number[:WIDEST]}… ({len(number)} characters)"
