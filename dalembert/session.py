"""What every command shares: words into mechanisms and implementations, and a run with its progress shown."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, count
from time import monotonic
from typing import Any

from cross_check.harness import Entry, Progress, Settings, SettingsError, check, new_results
from cross_check.results import Results, ResultsError, Skipped, require_writable, write_json, write_text
from implementations.plugins.registry import BY_NAME, find_implementation, list_implementations
from implementations.plugins.user_code import UserCodeError, as_implementation
from implementations.protocol import Implementation, Missing
from mechanisms import Mechanism, MechanismError, find_mechanism
from mechanisms.quantities import expand_groups
from mechanisms.robots import DEFAULT_ROBOTS
from mechanisms.textbook import TEXTBOOK
from oracle import OracleError


class RequirementError(Exception):
    """An implementation that must be there is not; one sentence with the remedy."""


MENDABLE = (MechanismError, UserCodeError, ResultsError, SettingsError, OracleError)
"""Errors in what was asked for: one sentence each, with the remedy."""

ABSENT = (RequirementError, Missing)
"""Errors in what is installed."""

PATIENCE = 10.0
"""Seconds without a line of progress."""


def entry(spec: str | Implementation, name: str | None = None) -> Entry:
    """An implementation under test: a name, ``module``, ``module:name``, ``file.py``, ``file.py:name``, or the object itself."""
    if isinstance(spec, str):
        found = find_implementation(spec)
        return Entry(name or str(getattr(found, "name", spec)), spec, found)
    thing = getattr(spec, "__name__", type(spec).__name__)
    given = as_implementation(spec, thing, thing)
    return Entry(name or given.name, name or given.name, given)


def find_entries(specs: Sequence[str], required: Sequence[str]) -> tuple[list[Entry], list[Skipped]]:
    """The implementations asked for, by default all that have a name but :data:`BY_NAME`; of those, what is missing is skipped.

    Raises :class:`RequirementError` where one that was asked for or required is missing or broken.
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
    """Two files may hold implementations of one name: the later ones go by their spec."""
    for k, this in enumerate(entries):
        if this.name in [other.name for other in entries[:k]]:
            entries[k] = Entry(this.spec, this.spec, this.implementation)
    return entries


def find_mechanisms(specs: Sequence[str]) -> tuple[list[tuple[str, Mechanism]], list[Skipped]]:
    """The mechanisms asked for, by default all of the textbook and the default robots."""
    if specs:
        return named([(spec, find_mechanism(spec)) for spec in dict.fromkeys(specs)]), []
    textbook = [(spec, find_mechanism(spec)) for spec in TEXTBOOK]
    try:
        return named(textbook + [(spec, find_mechanism(spec)) for spec in DEFAULT_ROBOTS]), []
    except MechanismError as error:
        return named(textbook), [Skipped("real robots", str(error))]


def named(found: list[tuple[str, Mechanism]]) -> list[tuple[str, Mechanism]]:
    """Give every mechanism a name of its own: cells are told apart by it."""
    names: set[str] = set()
    for k, (spec, mechanism) in enumerate(found):
        if mechanism.name in names:
            free = next(name for name in chain([spec], (f"{spec} {n}" for n in count(2))) if name not in names)
            found[k] = (spec, dataclasses.replace(mechanism, name=free))
        names.add(found[k][1].name)
    return found


def settings_from(given: Mapping[str, Any]) -> Settings:
    """Settings by name, None and what is not given being the default; naming quantities or groups leaves the invariants out."""
    names = [field.name for field in dataclasses.fields(Settings)]
    if unknown := sorted(given.keys() - set(names)):
        raise SettingsError(f"there is no setting {unknown[0]!r}; use {', '.join(names)}")
    chosen = {name: value for name, value in given.items() if value is not None}
    if "quantities" in chosen:
        words = [chosen["quantities"]] if isinstance(chosen["quantities"], str) else chosen["quantities"]
        chosen = {"invariants": False} | chosen | {"quantities": expand_groups(words)}
    return Settings(**chosen)


def require_outputs(paths: Mapping[str, Any]) -> None:
    """Raise :class:`ResultsError` where a file asked for cannot be written, or read, before there is anything to lose."""
    proofs = tuple(paths.get("proofs") or ())
    if proofs:
        from cross_check.proof_files import read_proofs

        read_proofs(proofs)
        if not paths.get("report"):
            raise ResultsError(f"{proofs[0]} is to be shown in a report, and none is asked for; add --report FILE")
    words = ("results", "output", "report", "junit", "markdown", "baseline")
    named = [*proofs, *(paths[name] for name in words if paths.get(name))]
    files = [path.resolve() for path in named]
    if twice := next((path for path, file in zip(named, files, strict=True) if files.count(file) > 1), None):
        raise ResultsError(f"{twice} is named twice, so that one file would destroy the other; choose another path")
    for name in ("output", "report", "junit", "markdown", "baseline"):
        if path := paths.get(name):
            require_writable(path)


def run(
    mechanisms: Sequence[tuple[str, Mechanism]], entries: Sequence[Entry], settings: Settings, skipped: list[Skipped]
) -> Results:
    """Check, showing progress; interrupted, it returns what it has, marked as such."""
    results = new_results(settings)
    results.skipped += skipped
    try:
        with progress() as told:
            check(mechanisms, entries, settings, results, told)
    except KeyboardInterrupt:
        results.interrupted = True
    return results


@contextmanager
def progress() -> Iterator[Progress]:
    """A bar on a terminal, plain lines elsewhere; on standard error, so that output can be piped."""
    if not sys.stderr.isatty():
        yield PlainLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")
        yield lambda doing, done, steps: bar.update(task, description=doing, completed=done, total=steps)


class PlainLines:
    """A line per mechanism, and one on what is being done where nothing was said for a while."""

    def __init__(self) -> None:
        self.last = monotonic()

    def __call__(self, doing: str, done: int, steps: int) -> None:
        if doing.endswith(": deriving") or done == steps or monotonic() - self.last > PATIENCE:
            print(f"[{done}/{steps}] {doing.removesuffix(': deriving')}", file=sys.stderr, flush=True)
            self.last = monotonic()


def write_outputs(document: dict[str, Any], paths: Mapping[str, Any]) -> None:
    """Write the files asked for under ``output``, ``report``, ``junit`` and ``markdown``, each whole or not at all.

    The report shows the proofs in the files under ``proofs``. One that cannot be written is complained about when all
    others are.
    """
    from cross_check.proof_files import read_proofs
    from reports import html, junit, markdown

    problems: list[Exception] = []
    if path := paths.get("output"):
        try:
            write_json(document, path)
        except ResultsError as error:
            problems.append(error)

    def page(document: dict[str, Any]) -> str:
        return html.render(document, read_proofs(tuple(paths.get("proofs", ()))))

    for name, render in (("report", page), ("junit", junit.render), ("markdown", markdown.render)):
        if path := paths.get(name):
            try:
                write_text(render(document), path)
                print(f"wrote {path}", file=sys.stderr)
            except Exception as error:
                problems.append(error)
    for problem in problems:
        if not isinstance(problem, ResultsError):
            raise problem
    if problems:
        raise ResultsError("; ".join(map(str, problems)))
