"""What every command shares: finding mechanisms and implementations by words, and a run that shows its progress."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from pathlib import Path
from typing import Any

from cross_check.harness import Entry, check
from cross_check.results import Results, ResultsError, Skipped
from cross_check.results.recorder import new_recorder
from cross_check.settings import Settings, SettingsError
from dalembert import guard
from dalembert.progress import show_progress
from implementations.plugins.registry import BY_NAME, find_implementation, list_implementations
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.plugins.user_mechanism import find_any_mechanism
from implementations.protocol import Implementation, Missing
from mechanisms import Mechanism, MechanismError
from mechanisms.quantities import expand_groups
from mechanisms.robots import DEFAULT_ROBOTS
from mechanisms.textbook import TEXTBOOK
from oracle import OracleError


class RequirementError(Exception):
    """An implementation that must be there is not; one sentence with the remedy."""


USER_ERRORS = (MechanismError, UserCodeError, ResultsError, SettingsError, OracleError)
"""Errors that users can correct in their words or files; one sentence each, with the remedy."""

MISSING_ERRORS = (RequirementError, Missing)
"""Errors because something is not installed."""


@contextmanager
def same_directory() -> Iterator[None]:
    """Code that a run loads and calls may change the working directory; the paths that users gave keep their meaning."""
    here = Path.cwd()
    try:
        yield
    finally:
        os.chdir(here)


@same_directory()
def entry(spec: str | Implementation, name: str | None = None) -> Entry:
    """An implementation under test: a name, ``module``, ``module:name``, ``file.py``, ``file.py:name``, or the object itself."""
    if isinstance(spec, str):
        guard.note(f"loading {spec}")
        implementation = find_implementation(spec)
        return Entry(name or str(getattr(implementation, "name", spec)), spec, implementation)
    known_as = getattr(spec, "__name__", type(spec).__name__)
    given = as_implementation(spec, known_as, known_as)
    return Entry(name or given.name, name or given.name, given)


def find_entries(specs: Sequence[str], required: Sequence[str]) -> tuple[list[Entry], list[Skipped]]:
    """The implementations asked for; by default those with a name, except :data:`BY_NAME`, and missing ones are skipped.

    Raises :class:`RequirementError` if one that was asked for or required is missing or broken.
    """
    listed = {listing.name: listing for listing in list_implementations()}
    entries, skipped = [], []
    for spec in dict.fromkeys((*(specs or (name for name in listed if name not in BY_NAME)), *required)):
        listing = listed.get(spec)
        if listing is None or listing.status == "installed":
            entries.append(entry(spec))
        elif spec in (*specs, *required):
            asked = "required and " if spec in required else ""
            raise RequirementError(f"{spec} is {asked}{listing.status}: {listing.hint}")
        else:
            skipped.append(Skipped(spec, f"{listing.status}: {listing.hint}"))
    return distinct(entries), skipped


def distinct(entries: list[Entry]) -> list[Entry]:
    """Implementations of one name, made distinct: the later ones go by their spec."""
    for k, this in enumerate(entries):
        if this.name in [other.name for other in entries[:k]]:
            entries[k] = Entry(this.spec, this.spec, this.implementation)
    return entries


@dataclasses.dataclass(frozen=True)
class Selection:
    """What the words of a command name: mechanisms with their specs, implementations, and what cannot take part."""

    mechanisms: list[tuple[str, Mechanism]]
    entries: list[Entry]
    skipped: list[Skipped]


def select(mechanisms: Sequence[str], implementations: Sequence[str], required: Sequence[str]) -> Selection:
    """What the words name. Raises what :func:`find_entries` and :func:`find_mechanisms` raise."""
    entries, missing = find_entries(implementations, required)
    chosen, unavailable = find_mechanisms(mechanisms)
    return Selection(chosen, entries, missing + unavailable)


@same_directory()
def find_mechanisms(specs: Sequence[str]) -> tuple[list[tuple[str, Mechanism]], list[Skipped]]:
    """The mechanisms asked for; by default those of the textbook and the default robots."""
    if specs:
        chosen = []
        for spec in dict.fromkeys(specs):
            guard.note(f"loading {spec}")
            chosen.append((spec, find_any_mechanism(spec)))
        return named(chosen), []
    textbook = [(spec, find_any_mechanism(spec)) for spec in TEXTBOOK]
    try:
        return named(textbook + [(spec, find_any_mechanism(spec)) for spec in DEFAULT_ROBOTS]), []
    except MechanismError as error:
        return named(textbook), [Skipped("real robots", str(error))]


def named(mechanisms: list[tuple[str, Mechanism]]) -> list[tuple[str, Mechanism]]:
    """Mechanisms with distinct names, because cells are identified by them."""
    names: set[str] = set()
    for k, (spec, mechanism) in enumerate(mechanisms):
        if mechanism.name in names:
            unused = next(name for name in chain([spec], (f"{spec} {n}" for n in count(2))) if name not in names)
            mechanisms[k] = (spec, dataclasses.replace(mechanism, name=unused))
        names.add(mechanisms[k][1].name)
    return mechanisms


def settings_from(given: Mapping[str, Any]) -> Settings:
    """Settings by name; None means the default. If quantities or groups are named, invariants are left out."""
    names = [field.name for field in dataclasses.fields(Settings)]
    if unknown := sorted(given.keys() - set(names)):
        raise SettingsError(f"there is no setting {unknown[0]!r}; use {', '.join(names)}")
    chosen = {name: value for name, value in given.items() if value is not None}
    if "quantities" in chosen:
        words = [chosen["quantities"]] if isinstance(chosen["quantities"], str) else chosen["quantities"]
        chosen = {"invariants": False} | chosen | {"quantities": expand_groups(words)}
    return Settings(**chosen)


@same_directory()
def run(
    mechanisms: Sequence[tuple[str, Mechanism]], entries: Sequence[Entry], settings: Settings, skipped: Sequence[Skipped]
) -> Results:
    """Check and show the progress. An interrupted run gives what it has finished, marked as interrupted."""
    recorder = new_recorder(settings.recorded)
    recorder.skipped += skipped
    try:
        with show_progress() as show:
            check(mechanisms, entries, settings, recorder, show)
    except KeyboardInterrupt:
        recorder.interrupted = True
    return recorder.snapshot()
