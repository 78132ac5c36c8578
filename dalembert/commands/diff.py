"""One file, read by every engine's own reader."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from cross_check.diff import compared
from cross_check.entry import Entry
from cross_check.exchange.results import write_text
from cross_check.read.readers.results import Comparison, Known, known_of, to_document, to_json
from dalembert.cli.exits import DIFFERENT, NOTHING, USAGE
from dalembert.outputs import input_files, require_outputs
from dalembert.printing import progress, show
from implementations.plugins.registry import READERS
from implementations.plugins.user_code import UserCodeError
from implementations.processes.find import find_subject
from implementations.protocol import Missing
from mechanisms import MechanismError
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.library.robots import ALIASES, ROBOTS, robot
from mechanisms.limits import MOST_URDF_BYTES
from mechanisms.source import source_text
from reports.readers import readers_page, readers_text

MOST_BASELINE = 2**28
"""Bytes of a baseline."""


def diff(robot: tuple[str, ...], engine: tuple[str, ...], output: Path | None, report: Path | None, baseline: Path | None) -> int:
    """Compare how the engines read the files, and print it; the exit code."""
    files = [_file(word) for word in dict.fromkeys(robot)]
    require_outputs({"output": output, "report": report}, [*input_files(robot), *([baseline] if baseline else [])])
    known = _baseline(baseline) if baseline else None
    entries, missing = _readers(engine)
    if not entries:
        click.echo("; ".join(missing.values()) or "no engine with a reader of files is installed", err=True)
        return NOTHING
    made: list[Comparison] = []
    try:
        for comparison in _compared(files, entries, missing):
            made.append(comparison)
            # After each file, so that an interrupted run keeps what it has finished.
            _write(made, output, report)
    finally:
        for entry in entries:
            entry.subject.close()
    return _exit_code(made, len(files) - len(made), known)


def _write(made: Sequence[Comparison], output: Path | None, report: Path | None) -> None:
    if output:
        write_text(to_json(made), output)
    if report:
        write_text(readers_page(made), report)


def _file(word: str) -> tuple[str, str, bool]:
    """The name, the text and whether the base is free, of a file or of a robot's file."""
    name, free = word.removeprefix("free:"), word.startswith("free:")
    if (name in ROBOTS or name in ALIASES) and (source := robot(name, free_base=True if free else None).read_from):
        return word, source.text, source.free_base
    try:
        decoded = source_text(read_bounded(Path(name), MOST_URDF_BYTES))
    except Unreadable as error:
        raise MechanismError(f"{name}: the file cannot be read ({error}); give the path of a URDF, MJCF or SDF file") from None
    if decoded is None:
        raise MechanismError(f"{name}: its bytes are in no known encoding; write it in UTF-8")
    return word, decoded, free


def _readers(engines: Sequence[str]) -> tuple[list[Entry], dict[str, str]]:
    """The engines with a reader that are installed, and why others are not here. Raises for an engine without one."""
    by_engine = {engine.name: name for name, engine in READERS.items()}
    if unknown := [name for name in engines if name not in by_engine]:
        raise click.UsageError(f"no engine called {unknown[0]!r} has a reader of URDF; use {', '.join(by_engine)}")
    entries, missing = [], {}
    for name, spec in by_engine.items():
        if engines and name not in engines:
            continue
        subject = find_subject(spec)
        try:
            _ = subject.name
            entries.append(Entry(spec, spec, subject))
        except (Missing, UserCodeError) as error:
            missing[name] = str(error)
    return entries, missing


def _compared(files: Sequence[tuple[str, str, bool]], entries: list[Entry], missing: dict[str, str]) -> Iterator[Comparison]:
    """The comparison of each file, printed as it is made. A file that nobody can compare is said, and the others go on."""
    with progress() as tell:
        for k, (name, text, free) in enumerate(files):

            def doing(reader: str, at: int = k, file: str = name) -> None:
                tell(f"{file}: {reader}", at, len(files))

            try:
                comparison = compared(name, text, free, entries, missing, doing)
            except MechanismError as error:
                click.echo(f"Error: {error}", err=True)
                continue
            show(readers_text(comparison))
            yield comparison


def _baseline(path: Path) -> dict[tuple[str, str], Known]:
    try:
        return known_of(json.loads(read_bounded(path, MOST_BASELINE)))
    except (Unreadable, ValueError, RecursionError) as error:
        why = "it is nested too deeply; write one with --json" if isinstance(error, RecursionError) else error
        raise MechanismError(f"{path}: {why}") from None


def _exit_code(made: Sequence[Comparison], refused: int, known: dict[tuple[str, str], Known] | None) -> int:
    """2 if we refuse a file; 1 if a reader makes something else of it, or differs otherwise than the baseline says; 5 if nobody
    read a file."""
    now = known_of(to_document(made))
    odd = {(comparison.file, reader.name) for comparison in made for reader in comparison.wrong}
    if known is not None:
        odd = {(comparison.file, reader.name) for comparison in made for reader in comparison.odd}
        news = {key for key in odd if known.get(key) != now[key]}
        for file, name in sorted(news):
            then = f"{known[file, name][0]}, otherwise" if (file, name) in known else "not compared"
            click.echo(f"{file}, {name}: {now[file, name][0]}; in the baseline: {then}")
        gone = {key for key in known if key not in now}
        for file, name in sorted(gone):
            click.echo(f"{file}, {name}: not compared; in the baseline: {known[file, name][0]}")
        odd = news | gone
    if refused or any(comparison.refused for comparison in made):
        return USAGE
    if odd:
        return DIFFERENT
    return 0 if all(comparison.is_read for comparison in made) else NOTHING
