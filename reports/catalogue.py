"""The texts, equation by equation: the outcomes of the catalogue, as a section of a report and as a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from markupsafe import Markup

from cross_check.prove.catalogue.results import CatalogueResults, EntryResult, IdentityResult
from reports.pages import fill, page
from reports.words import Word, cleaned, count, largest_bound, plural, raised, short

FALSE = Word("false", "✗", "discrepancy")
HOLDS = Word("holds after all", "✗", "discrepancy")


class Kind(NamedTuple):
    """A kind of entry: its noun, what entries are that are as stated and that are not, and both outcomes."""

    noun: str
    of: str
    """What completes the noun."""
    well: str
    ill: str
    as_stated: Word
    otherwise: Word


KINDS = {
    "identity": Kind("identity", "", "proven", "false", Word("proven", "✓", "agrees"), FALSE),
    "slip": Kind("slip", " of the texts", "refuted as printed", "not refuted", Word("false as printed", "≠", "known"), HOLDS),
    "warning": Kind("warning", "", "confirmed", "not confirmed", Word("does not hold", "≠", "absent"), HOLDS),
    "computed": Kind("statement", " about numbers", "computed", "not confirmed", Word("computed", "≈", "agrees"), FALSE),
}

_SCRIPT = re.compile(r"(?P<how>[_^])(?:\{|(?P<word>(?<=_)[A-Za-z0-9λ]+(?:\(i\))?|(?<=\^)[A-Za-z0-9×−]+))")

WIDEST = 60
"""The number of characters of an exact number that a page shows."""


def outcome(entry: EntryResult) -> Word:
    """The outcome of one entry of the catalogue."""
    kind = KINDS[entry.kind]
    return kind.as_stated if entry.as_stated else kind.otherwise


def _by_kind(entries: Sequence[EntryResult]) -> list[tuple[str, Kind, list[bool]]]:
    """Every kind that some entries have, with its name, and whether each of them is as stated."""
    found = ((name, kind, [entry.as_stated for entry in entries if entry.kind == name]) for name, kind in KINDS.items())
    return [(name, kind, right) for name, kind, right in found if right]


def totals(entries: Sequence[EntryResult]) -> str:
    """The numbers of entries of each kind, and their outcomes."""
    parts = []
    for name, kind, right in _by_kind(entries):
        outcomes = f" {kind.well}" if all(right) else f", {sum(right)} {kind.well}, {right.count(False)} {kind.ill}"
        if name == "identity":
            outcomes = f"{f', {len(right)} {kind.well}' if all(right) else outcomes}, none skipped"
        parts.append(count(len(right), kind.noun) + kind.of + outcomes)
    return "; ".join(parts)


def catalogue_section(catalogue: CatalogueResults, open: bool = False) -> Markup:
    """The section of a report that shows the outcomes of the catalogue; ``open`` unfolds the part of each text."""
    return fill("catalogue.html", **_context(catalogue), open=open)


def render(catalogue: CatalogueResults) -> str:
    """The outcomes of the catalogue as one self-contained page."""
    tone, section = "agrees" if catalogue.as_stated else "discrepancy", catalogue_section(catalogue, open=True)
    return page("catalogue_page.html", "catalogue.css", headline=_headline(catalogue), tone=tone, section=section)


def _context(catalogue: CatalogueResults) -> dict[str, Any]:
    catalogue = cleaned(catalogue)
    entries = catalogue.entries
    by_id = {entry.id: entry for entry in entries}
    parts = [
        (
            text,
            [(name, folded(group)) for name, group in groupby((e for e in entries if e.text == text.text), lambda e: e.section)],
        )
        for text in catalogue.texts
    ]
    words = {"outcome": outcome, "power": _power, "place": _place, "short": partial(short, most=WIDEST), "math": _math}
    return words | {
        "parts": parts,
        "by_id": by_id,
        "slips": [entry for entry in entries if entry.kind == "slip"],
        "wrong": [entry for entry in entries if not entry.as_stated],
        "counts": _counts(entries),
    }


def _counts(entries: Sequence[EntryResult]) -> list[tuple[str, str]]:
    """The numbers at the top: for each kind, the number of entries that are as stated, and of how many."""
    return [
        (
            str(len(right)) if all(right) else f"{sum(right)} of {len(right)}",
            f"{plural(kind.noun)}{kind.of.removesuffix(' of the texts')} {kind.well}",
        )
        for _, kind, right in _by_kind(entries)
    ]


def _headline(catalogue: CatalogueResults) -> str:
    entries = catalogue.entries
    wrong = [entry for entry in entries if not entry.as_stated]
    if wrong:
        return f"{count(len(wrong), 'statement')} of {len(entries)} {'is' if len(wrong) == 1 else 'are'} not as stated"
    proven, slips = (sum(entry.kind == kind for entry in entries) for kind in ("identity", "slip"))
    refuted = f", and {count(slips, 'slip')} refuted" if slips else ""
    return f"{count(proven, 'identity')} of the texts proven{refuted}"


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


class Row(NamedTuple):
    """Entries that are shown as one: a statement with one outcome for several things, such as the kinds of joints."""

    entries: tuple[EntryResult, ...]
    id: str
    """The id of a single entry; what the ids of several begin with, and "…"."""
    title: str
    parts: tuple[str, ...]
    """What the entries are about, each: the kinds of joints. Empty for a single entry."""
    error: str | None
    """The largest bound on the probability of an error, as "2^-110"; None without a bound."""


def _row(entries: tuple[EntryResult, ...]) -> Row:
    first = entries[0]
    error = largest_bound(entry.error for entry in entries if isinstance(entry, IdentityResult))
    if len(entries) == 1:
        return Row(entries, first.id, first.title, (), error)
    title, part = _about(first)
    return Row(entries, f"{first.id.removesuffix(part)}…", title, tuple(_about(entry)[1] for entry in entries), error)


def folded(entries: Iterable[EntryResult]) -> list[Row]:
    """Rows for entries in order. Proven identities that differ in nothing but the end of title and id share a row."""

    def same(entry: EntryResult) -> Any:
        title, part = _about(entry)
        proven = isinstance(entry, IdentityResult) and entry.kind == "identity" and entry.as_stated
        if proven and title and entry.id.endswith(f"-{part}"):
            return title, entry.id.removesuffix(part), entry.section, entry.citation, entry.statement, entry.note
        return entry.id

    return [_row(tuple(group)) for _, group in groupby(entries, same)]


def _about(entry: EntryResult) -> tuple[str, str]:
    """ "Velocity across a joint" and "revolute"; the first is empty if the title has no comma."""
    title, _, part = entry.title.rpartition(", ")
    return title, part
