"""The command ``diff``: one file, read by every engine's own reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dalembert.cli import completion
from dalembert.cli.exits import DIFFERENT, NOTHING, USAGE
from dalembert.cli.options import FILE
from dalembert.cli.printing import show

if TYPE_CHECKING:
    from cross_check.entry import Entry
    from cross_check.read.readers.results import Comparison, Known

MOST_BASELINE = 2**28
"""Bytes of a baseline."""


@click.command()
@click.argument("robot", nargs=-1, required=True, metavar="FILE...", shell_complete=completion.mechanisms)
@click.option("-e", "--engine", multiple=True, metavar="NAME", help="Only these engines; repeatable.  [default: all installed]")
@click.option("--json", "output", type=FILE, metavar="FILE", help="Write the comparison (JSON) here.")
@click.option("--report", type=FILE, metavar="FILE", help="Write the comparison as a page (HTML) here.")
@click.option("--baseline", type=FILE, metavar="FILE", help="An earlier --json: only what is not in it makes the command fail.")
@click.pass_context
def diff(
    ctx: click.Context,
    robot: tuple[str, ...],
    engine: tuple[str, ...],
    output: Path | None,
    report: Path | None,
    baseline: Path | None,
) -> None:
    """Read a URDF with every engine's own reader and with ours, and say who reads it otherwise, where and why.

    FILE is a URDF or the name of a robot (see `dalembert mechanisms`); free:FILE puts it on a free base. Compared are joints,
    masses, inertias, placements, axes, limits and gravity, then M, g, h and τ. A cause is named only if everything agrees with it
    undone.

    Exit codes: 0 all read it alike, or as in the baseline; 1 somebody differs,
    or is not compared any more; 2 wrong usage or a file that we refuse;
    5 no engine that is installed reads a file of this form.

    \b
    dalembert diff robot.urdf
    dalembert diff ur5 talos --report diff.html
    dalembert diff robot.urdf -e pinocchio -e drake --json diff.json
    dalembert diff robot.urdf --baseline diff.json
    """
    from dalembert.outputs import input_files, require_outputs

    files = [_file(word) for word in dict.fromkeys(robot)]
    require_outputs({"output": output, "report": report}, [*input_files(robot), *([baseline] if baseline else [])])
    known = _baseline(baseline) if baseline else None
    entries, missing = _readers(engine)
    if not entries:
        click.echo("; ".join(missing.values()) or "no engine with a reader of URDF is installed", err=True)
        ctx.exit(NOTHING)
    made: list[Comparison] = []
    try:
        for comparison in _compared(files, entries, missing):
            made.append(comparison)
            # After each file, so that an interrupted run keeps what it has finished.
            _write(made, output, report)
    finally:
        for entry in entries:
            entry.subject.close()
    ctx.exit(_exit_code(made, len(files) - len(made), known))


def _write(made: Sequence[Comparison], output: Path | None, report: Path | None) -> None:
    from cross_check.exchange.results import write_text
    from cross_check.read.readers.results import to_json

    if output:
        write_text(to_json(made), output)
    if report:
        from reports.readers import readers_page

        write_text(readers_page(made), report)


def _file(word: str) -> tuple[str, str, bool]:
    """The name, the text and whether the base is free, of a file or of a robot's file."""
    from mechanisms import MechanismError
    from mechanisms.bounded_file import Unreadable, read_bounded
    from mechanisms.limits import MOST_URDF_BYTES
    from mechanisms.robots import ALIASES, ROBOTS, robot, robots_folder

    name, free = word.removeprefix("free:"), word.startswith("free:")
    if name in ROBOTS or name in ALIASES:
        mechanism = robot(name, free_base=True if free else None)
        source = mechanism.read_from
        path, base = robots_folder() / ROBOTS[ALIASES.get(name, name)].path, bool(source and source.free_base)
    else:
        path, base = Path(name), free
    try:
        text = read_bounded(path, MOST_URDF_BYTES)
    except Unreadable as error:
        raise MechanismError(f"{name}: the file cannot be read ({error}); give the path of a URDF file") from None
    from mechanisms.source import source_text

    decoded = source_text(text)
    if decoded is None:
        raise MechanismError(f"{name}: its bytes are in no known encoding; write it in UTF-8")
    return word, decoded, base


def _readers(engines: Sequence[str]) -> tuple[list[Entry], dict[str, str]]:
    """The engines with a reader that are installed, and why others are not here. Raises for an engine without one."""
    from cross_check.entry import Entry
    from implementations.plugins.registry import READERS
    from implementations.plugins.user_code import UserCodeError
    from implementations.processes.find import find_subject
    from implementations.protocol import Missing

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
    from cross_check.diff import compared
    from dalembert.progress import progress
    from mechanisms import MechanismError
    from reports.readers import readers_text

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
    import json

    from cross_check.read.readers.results import known_of
    from mechanisms import MechanismError
    from mechanisms.bounded_file import Unreadable, read_bounded

    try:
        return known_of(json.loads(read_bounded(path, MOST_BASELINE)))
    except (Unreadable, ValueError, RecursionError) as error:
        why = "it is nested too deeply; write one with --json" if isinstance(error, RecursionError) else error
        raise MechanismError(f"{path}: {why}") from None


def _exit_code(made: Sequence[Comparison], refused: int, known: dict[tuple[str, str], Known] | None) -> int:
    """2 if we refuse a file; 1 if a reader differs, or differs otherwise than the baseline says; 5 if nobody read a file."""
    from cross_check.read.readers.results import known_of, to_document

    now = known_of(to_document(made))
    odd = {(comparison.file, reader.name) for comparison in made for reader in comparison.odd}
    if known is not None:
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
    return 0 if all(comparison.readers for comparison in made) else NOTHING
