"""What ``check``, ``gate`` and ``report`` do."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from cross_check.exchange.recorded_data.subject import PREFIX
from cross_check.exchange.results import Results, read_results, verdict_of
from cross_check.exchange.results.document import results_from_journal
from cross_check.exchange.results.journal import is_journal
from cross_check.exchange.results.objects import REVISION
from cross_check.harness import measure_state
from cross_check.judge.gate import compare_runs
from cross_check.judge.settings import Settings, SettingsError
from dalembert.cli.configured import COMMAND_LINE, Configured
from dalembert.cli.exits import INTERRUPTED, CommandError
from dalembert.cli.options import sampled
from dalembert.fixing import difference, fixed_files, write
from dalembert.gatekeeper import is_recordable, require_recorded, resolve_inputs, write_or_compare
from dalembert.journals import Keeping
from dalembert.outputs import input_files, remove_earlier, require_outputs, write_outputs
from dalembert.printing import show
from dalembert.renderings import NONE, annotation_lines
from dalembert.session import Execution, at_recorded_states, run, select, settings_from
from dalembert.since import run_revision
from implementations.processes.home import Home
from implementations.processes.limits import Limits
from implementations.processes.remote import can_isolate
from machine.caching.cached_programs import PERMISSION
from mechanisms.plain_text import one_line
from reports import terminal


def check(chosen: Configured) -> int:
    """Compare the implementations with the truth; the exit code. The context of a run keeps its journal."""
    options = chosen.options
    settings = settings_from(sampled(options))
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
    settings = at_recorded_states(selection.mechanisms, selection.entries, settings, sampled(options))
    place = None if options["state"] is None else _place(settings, options["state"])
    remove_earlier(options)
    with Keeping(options["journal"], options["output"], options["resume"], files) as keeping:
        results = chosen.noted(run(selection, settings, how, keeping, options["errors"]), settings)
        details = () if place is None else _details(place, selection.mechanisms, selection.entries, settings, results)
        return finish(results, options, "what was finished is kept", keeping, details)


def gate(chosen: Configured) -> int:
    """Compare one implementation with the truth, and with its baseline or another revision; the exit code."""
    options = chosen.options
    implementation, baseline, update_baseline = (options.pop(name) for name in ("implementation", "baseline", "update_baseline"))
    if not implementation:
        raise click.UsageError("name the implementation to check, or set it in [tool.dalembert] of pyproject.toml")
    since = _since(options, update_baseline)
    known = baseline if since is None or baseline.exists() else None
    inputs = resolve_inputs(known, update_baseline or since is not None, implementation, options["mechanism"], sampled(options))
    files = input_files(inputs.mechanisms, (implementation, *options["require"])) + chosen.files
    require_outputs(
        options | ({"baseline": baseline} if update_baseline else {}), files if update_baseline else [*files, baseline]
    )
    how = _execution(options)
    selection = select(inputs.mechanisms, (implementation,), options["require"], how, inputs.settings.seed)
    settings = at_recorded_states(selection.mechanisms, selection.entries, inputs.settings, sampled(options))
    inputs = replace(inputs, settings=settings, from_file=chosen.from_file)
    own = [entry for entry in selection.entries if entry.spec == implementation]
    require_recorded(inputs, baseline, own[0], selection.mechanisms)
    remove_earlier(options)
    past = None
    if since is not None:
        setup, dirty = options["since_setup"], options["dirty"]
        past = run_revision(since, implementation, selection, settings, how, setup, dirty)
    with Keeping(options["journal"], options["output"], options["resume"], files) as keeping:
        results = run(replace(selection, entries=own), settings, how, keeping)
        chosen.origins.update(dict.fromkeys(inputs.from_baseline, f"baseline {baseline}") | {"since": COMMAND_LINE})
        results = chosen.noted(results, settings, baseline=str(known) if known else None, since=past and past[0])
        if past and not results.interrupted:
            results = replace(results, baseline=compare_runs(results, past[1], f"{REVISION}{past[0]}", settings.left_out))
        elif not past:
            results = write_or_compare(results, baseline, update_baseline, inputs)
        if update_baseline:
            click.echo(f"wrote {baseline}" if is_recordable(results) else f"{baseline} is left as it was", err=True)
            if any(item.verdict == "discrepancy" for item in results.items):
                remedy = "the gate fails until the code is corrected, whichever baseline is used"
                click.echo(f"{one_line(implementation)} disagrees with the truth; {remedy}", err=True)
        return finish(results, options, "what was finished is kept", keeping)


def report(results: Path, html: Path | None, **options: Any) -> None:
    """Write the reports about a file of results."""
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


def _execution(options: dict[str, Any]) -> Execution:
    if options["in_process"] and options["python"]:
        raise click.UsageError("--in-process runs the code in this Python; leave --python out")
    PERMISSION.allowed = can_isolate() and not options["in_process"]
    home = Home(python=options["python"] and str(options["python"]), build=options["rebuild"])
    limits = Limits(options["timeout"], options["memory"])
    return Execution(options["in_process"], limits, options["jobs"] or cores(), options["scheduler"], options["explain"], home)


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _place(settings: Settings, state: int) -> int:
    try:
        return settings.place_of(state)
    except SettingsError as error:
        raise click.UsageError(f"--{error}") from error


def _details(state: int, mechanisms: Any, entries: Any, settings: Any, results: Results) -> Iterator[Any]:
    """One state of everything that was compared, to print."""
    compared = {(cell.mechanism, cell.implementation) for cell in results.cells if cell.worst}
    for (_, mechanism), about in zip(mechanisms, results.mechanisms, strict=True):
        for entry in entries:
            if (mechanism.name, entry.name) in compared:
                for cell in measure_state(state, mechanism, entry, settings):
                    if cell.verdict != "not offered":
                        yield terminal.cell_details(cell, about, results.settings)


def finish(
    results: Results, options: Mapping[str, Any], kept: str, keeping: Keeping | None = None, details: Iterable[Any] = ()
) -> int:
    """Write the files asked for, show the summary, and leave with the verdict's exit code.

    An interrupted run says what is ``kept``.
    """
    try:
        write_outputs(results, options)
    finally:
        settings = [terminal.settings(results)] if options.get("show_settings") else []
        show(*settings, terminal.summary(results, options["verbose"]))
        click.echo(annotation_lines(results, options.get("annotations", NONE)), nl=False)
    if results.interrupted:
        raise CommandError(f"interrupted; {kept}", INTERRUPTED)
    if keeping:
        keeping.is_done = True
    for detail in details:
        show("", detail)
    if options.get("fix"):
        _fix(results, options["yes"])
    return verdict_of(results).exit_code


def _fix(results: Results, yes: bool) -> None:
    """Show the changes that mend the user's code, and write them if the user wants that. Raises :class:`ResultsError`."""
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
