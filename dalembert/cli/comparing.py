"""The commands that compare. Each imports what it needs when it runs, so that --help answers at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dalembert.cli import completion
from dalembert.cli.configured import COMMAND_LINE, Configured, configured
from dalembert.cli.exits import INTERRUPTED, CommandError
from dalembert.cli.options import (
    FILE,
    Whole,
    as_read,
    execution,
    output,
    outputs,
    quantity,
    require,
    sampled,
    sampling,
    setting,
    verbose,
)
from dalembert.cli.printing import show
from dalembert.cli.stale import Judging
from dalembert.declared import SETTINGS

if TYPE_CHECKING:
    from cross_check.exchange.results import Results
    from cross_check.judge.settings import Settings
    from dalembert.journals import Keeping
    from dalembert.session import Execution


EXIT_CODES = (
    "Exit codes: 0 all agree; 1 a discrepancy or a regression; 2 wrong usage; 3 an engine that you name is missing, or code "
    "failed; 5 nothing was compared; 6 with --strict, if the run cannot show gravity, rotational inertia or Coriolis terms."
)


@click.command(cls=Judging, epilog=EXIT_CODES)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@setting("implementations", shell_complete=completion.implementations)
@click.option("--recorded", multiple=True, metavar="FILE", help="Answers that were recorded (.csv, .json, .npz); repeatable.")
@quantity
@click.option("--state", type=Whole(0), help="Show this one state in full.")
@as_read
@sampling(recorded=False)
@output
@click.option("--errors", type=FILE, help="Write the error of every state here (NPZ).")
@click.option("--fix", is_flag=True, help="Show the changes that mend your Python code, and ask before they are written.")
@click.option("--yes", is_flag=True, help="With --fix: write them without asking.")
@outputs
@verbose
@require
@execution
@configured
def check(ctx: click.Context, chosen: Configured) -> None:
    """Compare implementations with the truth: all of them on the default mechanisms, unless you name some.

    A MECHANISM is a name (see `dalembert mechanisms`), random:SEED:BODIES[:KINDS], a URDF file, or your own in Python
    (my_arm.py, my_arm.py:name, module:name); free:NAME puts it on a free base. A Python file with dynamics is an
    implementation.

    \b
    dalembert check --report report.html
    dalembert check my_dynamics.py
    dalembert check robot.urdf random:7:30 -i my_dynamics.py -i pinocchio
    dalembert check random:1:6:all -q dynamics -q derivatives
    dalembert check ur5 -i rbdl -q mass_matrix --state 12
    dalembert check ur5 --recorded results.csv
    dalembert check my_dynamics.py --fix
    """
    from cross_check.exchange.recorded_data.subject import PREFIX
    from dalembert.outputs import input_files, remove_earlier, require_outputs
    from dalembert.session import at_recorded_states, run, select, settings_from

    options = chosen.options
    settings = settings_from(_sampling(options))
    options["implementation"] += tuple(f"{PREFIX}{file}" for file in options["recorded"])
    files = input_files(options["mechanism"], (*options["implementation"], *options["require"])) + chosen.files
    require_outputs(options, files)
    if options["errors"] and options["resume"]:
        raise click.UsageError("--errors needs the whole run, of which a journal keeps no single errors; leave --resume out")
    if options["yes"] and not options["fix"]:
        raise click.UsageError("--yes writes what --fix finds; give --fix, too")
    if options["fix"] and not options["explain"]:
        raise click.UsageError("--fix writes what an explanation finds; leave --no-explain out")
    how = _execution(options)
    selection = select(options["mechanism"], options["implementation"], options["require"], how, settings.seed)
    settings = at_recorded_states(selection.mechanisms, selection.entries, settings, _sampling(options))
    place = None if options["state"] is None else _place(settings, options["state"])
    remove_earlier(options)
    with _keeping(options, files) as keeping:
        results = chosen.noted(run(selection, settings, how, keeping, options["errors"]), settings)
        details = () if place is None else _details(place, selection.mechanisms, selection.entries, settings, results)
        _finish(ctx, results, options, keeping, details)


@click.command(cls=Judging, epilog=EXIT_CODES)
@click.argument("implementation", required=False, shell_complete=completion.implementations)
@click.argument("mechanism", nargs=-1, shell_complete=completion.mechanisms)
@quantity
@setting("baseline", default=SETTINGS["baseline"].default, show_default=True)
@click.option("--update-baseline", is_flag=True, help="Record this run in the baseline.")
@click.option("--since", metavar="REV", help="Compare with this revision of the repository instead of a baseline.")
@click.option("--since-setup", metavar="COMMAND", help="Make the environment of the revision; runs in its copy of this folder.")
@click.option("--dirty", is_flag=True, help="With --since: compare changes that are not committed, too.")
@as_read
@sampling(recorded=True)
@output
@outputs
@verbose
@require
@execution
@configured
def gate(ctx: click.Context, chosen: Configured) -> None:
    """Check one IMPLEMENTATION and compare it with its baseline.

    The gate fails if a cell is wrong, if the error of a right cell is more than four times its baseline (and more than
    two ε-units), if a cell is not compared any more, and if the baseline has no record of the implementation or of a
    mechanism. Mechanisms and quantities on the command line say what to compare; settings of a file leave nothing out.
    Mechanisms, seed, states and bar come from the baseline unless you give them. The bar must be the baseline's.

    --update-baseline records what the run covers and keeps everything else in the file. Without a baseline, the settings
    are the defaults of `dalembert check`.

    With --since REV, the code of another revision of the git repository runs on the same mechanisms and states, and is the
    baseline. It is checked out into a temporary folder; docs/ci.md says in which environment it runs.

    README.md and docs/conventions.md say which functions to write, and in which conventions. A function of one state is
    called once per state, so cache what it builds from a mechanism.

    \b
    dalembert gate my_package.dynamics ur5 robot.urdf --update-baseline
    dalembert gate my_package.dynamics
    dalembert gate pinocchio --require pinocchio --junit gate.xml
    dalembert gate my_package.dynamics ur5 --since main
    """
    from cross_check.exchange.results.objects import REVISION
    from cross_check.exchange.results.plain_text import one_line
    from cross_check.judge.gate import compare_runs
    from dalembert.gatekeeper import at_recorded, is_recordable, require_recorded, resolve_inputs, write_or_compare
    from dalembert.outputs import input_files, remove_earlier, require_outputs
    from dalembert.session import run, select
    from dalembert.since import run_revision

    options = chosen.options
    implementation, baseline, update_baseline = (options.pop(name) for name in ("implementation", "baseline", "update_baseline"))
    if not implementation:
        raise click.UsageError("name the implementation to check, or set it in [tool.dalembert] of pyproject.toml")
    since = _since(options, update_baseline)
    known = baseline if since is None or baseline.exists() else None
    inputs = resolve_inputs(known, update_baseline or since is not None, implementation, options["mechanism"], _sampling(options))
    files = input_files(inputs.mechanisms, (implementation, *options["require"])) + chosen.files
    require_outputs(
        options | ({"baseline": baseline} if update_baseline else {}), files if update_baseline else [*files, baseline]
    )
    how = _execution(options)
    selection = select(inputs.mechanisms, (implementation,), options["require"], how, inputs.settings.seed)
    inputs = at_recorded(inputs, selection.mechanisms, selection.entries, _sampling(options))
    inputs = replace(inputs, from_file=chosen.from_file)
    require_recorded(inputs, baseline, implementation, selection.mechanisms)
    own = [entry for entry in selection.entries if entry.spec == implementation]
    remove_earlier(options)
    past = None
    if since is not None:
        setup, dirty = options["since_setup"], options["dirty"]
        past = run_revision(since, implementation, selection, inputs.settings, how, setup, dirty)
    with _keeping(options, files) as keeping:
        results = run(replace(selection, entries=own), inputs.settings, how, keeping)
        chosen.origins.update(dict.fromkeys(inputs.from_baseline, f"baseline {baseline}") | {"since": COMMAND_LINE})
        results = chosen.noted(results, inputs.settings, baseline=str(known) if known else None, since=past and past[0])
        if past and not results.interrupted:
            results = replace(results, baseline=compare_runs(results, past[1], f"{REVISION}{past[0]}", inputs.settings.left_out))
        elif not past:
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
    from cross_check.exchange.results import read_results
    from cross_check.exchange.results.document import results_from_journal
    from cross_check.exchange.results.journal import is_journal
    from dalembert.outputs import require_outputs, write_outputs
    from dalembert.renderings import annotation_lines

    options["report"] = html or options["report"] or Path("report.html")
    recorded = results_from_journal(results) if is_journal(results) else read_results(results)
    require_outputs(options | {"results": results})
    write_outputs(recorded, options)
    click.echo(annotation_lines(recorded, options["annotations"]), nl=False)


def _since(options: dict[str, Any], update_baseline: bool) -> str | None:
    """The revision to compare with, if there is one."""
    if options["since"] is None:
        if options["since_setup"] or options["dirty"]:
            raise click.UsageError("--since-setup and --dirty say how to compare with another revision; give --since REV, too")
    elif update_baseline:
        raise click.UsageError("--since compares with a revision and --update-baseline with nothing; leave one of them out")
    return options["since"]


def _sampling(options: dict[str, Any]) -> dict[str, Any]:
    return sampled(options) | {"as_read": options["as_read"]}


def _execution(options: dict[str, Any]) -> Execution:
    from dalembert.session import Execution
    from implementations.processes.home import Home
    from implementations.processes.limits import Limits
    from implementations.processes.remote import can_isolate
    from machine.caching.cached_programs import PERMISSION

    if options["in_process"] and options["python"]:
        raise click.UsageError("--in-process runs the code in this Python; leave --python out")
    PERMISSION.allowed = can_isolate() and not options["in_process"]
    home = Home(python=str(options["python"])) if options["python"] else None
    limits = Limits(options["timeout"], options["memory"])
    return Execution(options["in_process"], limits, options["jobs"] or cores(), options["scheduler"], options["explain"], home)


def _keeping(options: dict[str, Any], files: Sequence[Path]) -> Keeping:
    from dalembert.journals import Keeping

    return Keeping(options["journal"], options["output"], options["resume"], files)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _place(settings: Settings, state: int) -> int:
    from cross_check.judge.settings import SettingsError

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
                    if cell.verdict != "not offered":
                        yield terminal.cell_details(cell, about, results.settings)


def _finish(ctx: click.Context, results: Results, options: dict[str, Any], keeping: Keeping, details: Iterable[Any] = ()) -> None:
    """Write the files asked for, show the summary, and leave with the verdict's exit code."""
    from cross_check.exchange.results import verdict_of
    from dalembert.outputs import write_outputs
    from dalembert.renderings import annotation_lines
    from reports import terminal

    try:
        write_outputs(results, options)
    finally:
        settings = [terminal.settings(results)] if options["show_settings"] else []
        show(*settings, terminal.summary(results, options["verbose"]))
        click.echo(annotation_lines(results, options["annotations"]), nl=False)
    if results.interrupted:
        raise CommandError("interrupted; what was finished is kept", INTERRUPTED)
    keeping.is_done = True
    for detail in details:
        show("", detail)
    if options.get("fix"):
        _fix(results, options["yes"])
    ctx.exit(verdict_of(results).exit_code)


def _fix(results: Results, yes: bool) -> None:
    """Show the changes that mend the user's code, and write them if the user wants that. Raises :class:`ResultsError`."""
    from dalembert.fixing import difference, fixed_files, write
    from mechanisms.plain_text import one_line

    files, left_out = fixed_files(results.causes)
    if not files:
        click.echo("--fix: no change is known that mends the code", err=True)
        return
    click.echo("\n".join(["", *difference(files)]))
    for sentence in left_out:
        click.echo(one_line(sentence), err=True)
    names = one_line(", ".join(map(str, files)))
    if yes or (_has_terminal() and click.confirm(f"Write this into {names}?", err=True)):
        write(files)
        click.echo(f"wrote {names}", err=True)
    elif not _has_terminal():
        click.echo(f"{names} is left as it was; add --yes to write this", err=True)


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
