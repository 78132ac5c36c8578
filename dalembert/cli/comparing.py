"""The commands that compare. Each imports what it needs when it runs, so that --help answers at once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli.exits import INTERRUPTED, CommandError
from dalembert.cli.options import FILE, Whole, execution, outputs, require, sampling

if TYPE_CHECKING:
    from cross_check.results import Results
    from cross_check.settings import Settings
    from dalembert.journals import Keeping
    from dalembert.session import Execution


@click.command()
@click.argument("mechanism", nargs=-1)
@click.option(
    "-i",
    "--implementation",
    multiple=True,
    metavar="SPEC",
    help="Name, module[:name], file.py[:name] or recorded:FILE; repeatable.",
)
@click.option("--recorded", multiple=True, metavar="FILE", help="Answers that were recorded (.csv, .json, .npz); repeatable.")
@click.option("-q", "--quantity", multiple=True, metavar="NAME", help="Compare only this quantity, relation or group.")
@click.option("--state", type=Whole(0), help="Show this one state in full.")
@sampling(recorded=False)
@click.option("-o", "--output", type=FILE, help="Write the results (JSON) here.")
@click.option("--errors", type=FILE, help="Write the error of every state here (NPZ).")
@outputs
@require
@execution
@click.pass_context
def check(
    ctx: click.Context,
    mechanism: tuple[str, ...],
    recorded: tuple[str, ...],
    quantity: tuple[str, ...],
    state: int | None,
    **options: Any,
) -> None:
    """Compare implementations with the truth: all of them on the default mechanisms, unless you name some.

    A MECHANISM is a name (see `dalembert mechanisms`), random:SEED:BODIES[:KINDS], a URDF file, or your own in Python
    (my_arm.py, my_arm.py:name, module:name); free:NAME puts it on a free base.

    \b
    dalembert check --report report.html
    dalembert check robot.urdf random:7:30 -i my_dynamics.py -i pinocchio
    dalembert check random:1:6:all -q dynamics -q derivatives
    dalembert check ur5 -i rbdl -q mass_matrix --state 12
    dalembert check ur5 --recorded results.csv
    """
    from cross_check.recorded_data.subject import PREFIX
    from dalembert.outputs import input_files, remove_earlier, require_outputs
    from dalembert.session import at_recorded_states, run, select, settings_from

    settings = settings_from({**_sampling(options), "quantities": quantity or None})
    options["implementation"] += tuple(f"{PREFIX}{file}" for file in recorded)
    files = input_files(mechanism, (*options["implementation"], *options["require"]))
    require_outputs(options, files)
    if options["errors"] and options["resume"]:
        raise click.UsageError("--errors needs the whole run, of which a journal keeps no single errors; leave --resume out")
    how = _execution(options)
    selection = select(mechanism, options["implementation"], options["require"], how)
    settings = at_recorded_states(selection.mechanisms, selection.entries, settings, _sampling(options))
    place = None if state is None else _place(settings, state)
    remove_earlier(options)
    with _keeping(options, files) as keeping:
        results = run(selection, settings, how, keeping, options["errors"])
        details = () if place is None else _details(place, selection.mechanisms, selection.entries, settings, results)
        _finish(ctx, results, options, keeping, details)


@click.command()
@click.argument("implementation", metavar="IMPLEMENTATION")
@click.argument("mechanism", nargs=-1)
@click.option("--baseline", type=FILE, default="dalembert-baseline.json", show_default=True, help="The file that you commit.")
@click.option("--update-baseline", is_flag=True, help="Record this run in the baseline.")
@sampling(recorded=True)
@click.option("-o", "--output", type=FILE, help="Write the results (JSON) here.")
@outputs
@require
@execution
@click.pass_context
def gate(
    ctx: click.Context, implementation: str, mechanism: tuple[str, ...], baseline: Path, update_baseline: bool, **options: Any
) -> None:
    """Check one implementation and compare it with its baseline.

    The gate fails if a cell is wrong, if the error of a right cell is more than four times its baseline (and more than
    two ε-units), if a cell is not compared any more, and if the baseline has no record of the implementation or of a
    mechanism.
    Mechanisms, seed, states and bar come from the baseline unless you give them. The bar must be the baseline's.

    --update-baseline records what the run covers and keeps everything else in the file. Without a baseline, the settings
    are the defaults of `dalembert check`.

    README.md and docs/conventions.md say which functions to write, and in which conventions. A function of one state is
    called once per state, so cache what it builds from a mechanism.

    \b
    dalembert gate my_package.dynamics ur5 robot.urdf --update-baseline
    dalembert gate my_package.dynamics
    dalembert gate pinocchio --require pinocchio --junit gate.xml
    """
    from cross_check.results.plain_text import one_line
    from dalembert.gatekeeper import at_recorded, is_recordable, require_recorded, resolve_inputs, write_or_compare
    from dalembert.outputs import input_files, remove_earlier, require_outputs
    from dalembert.session import run, select

    inputs = resolve_inputs(baseline, update_baseline, implementation, mechanism, _sampling(options))
    files = input_files(inputs.mechanisms, (implementation, *options["require"]))
    require_outputs(
        options | ({"baseline": baseline} if update_baseline else {}), files if update_baseline else [*files, baseline]
    )
    how = _execution(options)
    selection = select(inputs.mechanisms, (implementation,), options["require"], how)
    inputs = at_recorded(inputs, selection.mechanisms, selection.entries, _sampling(options))
    require_recorded(inputs, baseline, implementation, selection.mechanisms)
    own = [entry for entry in selection.entries if entry.spec == implementation]
    remove_earlier(options)
    with _keeping(options, files) as keeping:
        results = run(replace(selection, entries=own), inputs.settings, how, keeping)
        results = write_or_compare(results, baseline, update_baseline, inputs)
        if update_baseline:
            click.echo(f"wrote {baseline}" if is_recordable(results) else f"{baseline} is left as it was", err=True)
            if any(item.verdict == "discrepancy" for item in results.items):
                remedy = "the gate fails until the code is corrected, whichever baseline is used"
                click.echo(f"{one_line(implementation)} disagrees with the truth; {remedy}", err=True)
        _finish(ctx, results, options, keeping)


@click.command()
@click.argument("results", type=FILE)
@click.option("--html", type=FILE, help="The same as --report.  [default: report.html]")
@outputs
def report(results: Path, html: Path | None, **options: Any) -> None:
    """Turn a RESULTS file of `dalembert check -o` into a report.

    RESULTS may also be the journal of a run that ended early.
    """
    from cross_check.results import read_results
    from cross_check.results.journal import is_journal
    from cross_check.results.journaled import results_from_journal
    from dalembert.outputs import require_outputs, write_outputs

    options["report"] = html or options["report"] or Path("report.html")
    recorded = results_from_journal(results) if is_journal(results) else read_results(results)
    require_outputs(options | {"results": results})
    write_outputs(recorded, options)


def _sampling(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("seed", "states", "bar", "certified")}


def _execution(options: dict[str, Any]) -> Execution:
    from dalembert.session import Execution
    from implementations.processes.limits import Limits

    limits = Limits(options["timeout"], options["memory"])
    return Execution(options["in_process"], limits, options["jobs"] or _cores(), options["scheduler"], options["explain"])


def _keeping(options: dict[str, Any], files: Sequence[Path]) -> Keeping:
    from dalembert.journals import Keeping

    return Keeping(options["journal"], options["output"], options["resume"], files)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _place(settings: Settings, state: int) -> int:
    from cross_check.settings import SettingsError

    try:
        return settings.place_of(state)
    except SettingsError as error:
        raise click.UsageError(f"--{error}") from error


def _details(state: int, mechanisms: Any, entries: Any, settings: Any, results: Results) -> Iterator[Any]:
    """One state of everything that was compared, to print."""
    from cross_check.harness import measure_state
    from reports import terminal

    compared = {(cell.mechanism, cell.implementation) for cell in results.cells if cell.worst}
    for (_, mechanism), about in zip(mechanisms, results.mechanisms, strict=True):
        for entry in entries:
            if (mechanism.name, entry.name) in compared:
                for cell in measure_state(state, mechanism, entry, settings):
                    yield terminal.cell_details(cell, about, results.settings)


def _finish(ctx: click.Context, results: Results, options: dict[str, Any], keeping: Keeping, details: Iterable[Any] = ()) -> None:
    """Write the files asked for, show the summary, and leave with the verdict's exit code."""
    from cross_check.results import verdict_of
    from dalembert.outputs import write_outputs
    from reports import terminal

    try:
        write_outputs(results, options)
    finally:
        _show(terminal.summary(results))
    if results.interrupted:
        raise CommandError("interrupted; what was finished is kept", INTERRUPTED)
    keeping.is_done = True
    for detail in details:
        _show("", detail)
    ctx.exit(verdict_of(results).exit_code)


def _show(*parts: Any) -> None:
    from rich.console import Console

    console = Console()
    with console.capture() as shown:
        # What reads a pipe wraps lines itself, or wants them whole.
        console.print(*parts, sep="\n", soft_wrap=not console.is_terminal, crop=False)
    click.echo(shown.get(), nl=False)
