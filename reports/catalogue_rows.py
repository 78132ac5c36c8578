"""Rows of the catalogue: what is proven for every kind of joint is one row."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from cross_check.catalogue.results import EntryResult, IdentityResult


@dataclass(frozen=True)
class Row:
    """Entries that are shown as one: a statement with one outcome for several things, such as the kinds of joints."""

    entries: tuple[EntryResult, ...]

    @property
    def id(self) -> str:
        """The id of a single entry; what the ids of several begin with, and "…"."""
        first = self.entries[0]
        return f"{first.id.removesuffix(_about(first)[1])}…" if self.parts else first.id

    @property
    def title(self) -> str:
        return self.entries[0].title if len(self.entries) == 1 else _about(self.entries[0])[0]

    @property
    def parts(self) -> tuple[str, ...]:
        """What the entries are about, each: the kinds of joints. Empty for a single entry."""
        return tuple(_about(entry)[1] for entry in self.entries) if len(self.entries) > 1 else ()

    @property
    def error(self) -> str | None:
        """The largest bound on the probability of an error, as "2^-110"; None if there is none."""
        errors = [entry.error for entry in self.entries if isinstance(entry, IdentityResult) and entry.error]
        return max(errors, key=lambda error: int(error.partition("^")[2]), default=None)


def folded(entries: Iterable[EntryResult]) -> list[Row]:
    """Rows for entries in order. Proven identities that differ in nothing but the end of title and id share a row."""

    def same(entry: EntryResult) -> Any:
        title, part = _about(entry)
        proven = isinstance(entry, IdentityResult) and entry.kind == "identity" and entry.as_stated
        if proven and title and entry.id.endswith(f"-{part}"):
            return title, entry.id.removesuffix(part), entry.section, entry.citation, entry.statement, entry.note
        return entry.id

    return [Row(tuple(group)) for _, group in groupby(entries, same)]


def _about(entry: EntryResult) -> tuple[str, str]:
    """ "Velocity across a joint" and "revolute"; the first is empty if the title has no comma."""
    title, _, part = entry.title.rpartition(", ")
    return title, part
