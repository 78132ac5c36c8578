"""The commands that compare. Each imports what it needs when it runs, so that --help answers at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from dalembert.cli.exits import INTERRUPTED, Sentence
from dalembert.cli.options import FILE, outputs, require, sampling


@click.command()
@click.argument("mechanism", nargs=-1)
@click.option("-i", "--implementation", multiple=True, metavar="SPEC", help="Name, module[:name] or file.py[:name]; repeatable.")
@click.option("-q", "--quantity", multiple=True, metavar="NAME", help="Compare only this quantity, or group of them; repeatable.")
@click.option("--state", type=click.IntRange(0), help="Show this one state in full.")
@sampling
@click.option("-o", "--output", type=FILE, help="Write the results (JSON) here.")
@outputs
@require
@click.pass_context
def check(ctx: click.Context, mechanism: tuple[str, ...], quantity: tuple[str, ...], state: int | None, **options: Any) -> None:
    """Compare implementations on mechanisms: all on the default ones unless you name some.

    A MECHANISM is a name (see `dalembert mechanisms`), random:SEED:BODIES[:KINDS], or a URDF file; free:NAME puts it on a
    free base.

    \b
    dalembert check --report report.html
    dalembert check robot.urdf random:7:30 -i my_dynamics.py -i pinocchio
    dalembert check random:1:6:all -q dynamics -q derivatives
    dalembert check ur5 -i rbdl -q mass_matrix --state 12
    """
    from dalembert.session import find_entries, find_mechanisms, require_outputs, run, settings_from

    settings = settings_from({**_sampling(options), "quantities": quantity or None})
    require_outputs(options)
    if state is not None and state >= settings.states:
        raise click.UsageError(f"--state {state} is out of range; there are {settings.states} states, counted from 0")
    entries, missing = find_entries(options["implementation"], options["require"])
    chosen, unavailable = find_mechanisms(mechanism)
    results = run(chosen, entries, settings, missing + unavailable)
    details = () if state is None else _details(state, chosen, entries, settings, results)
    _finish(ctx, results, options, details)


@click.command()
@click.argument("implementation", metavar="IMPLEMENTATION")
@click.argument("mechanism", nargs=-1)
@click.option("--baseline", type=FILE, default="dalembert-baseline.json", show_default=True, help="The file that you commit.")
@click.option("--update-baseline", is_flag=True, help="Make this run the baseline.")
@sampling
@click.option("-o", "--output", type=FILE, help="Write the results (JSON) here.")
@outputs
@require
@click.pass_context
def gate(
    ctx: click.Context, implementation: str, mechanism: tuple[str, ...], baseline: Path, update_baseline: bool, **options: Any
) -> None:
    """Check one implementation and compare it with its baseline.

    Fails when a cell is wrong, when one that was right is off by more than four times its baseline (by two ε-units at
    least), and when one is no longer compared. Mechanisms, seed, states and bar are the baseline's unless you give
    others, also with --update-baseline; without a baseline they are the defaults of `dalembert check`.

    What to write down, and in which conventions: README.md and docs/conventions.md. A function of one state is called
    once per state: cache what it builds of a mechanism.

    \b
    dalembert gate my_package.dynamics ur5 robot.urdf --update-baseline
    dalembert gate my_package.dynamics
    dalembert gate pinocchio --require pinocchio --junit gate.xml
    """
    from dalembert.gatekeeper import keep, settled
    from dalembert.session import find_entries, find_mechanisms, require_outputs, run

    known, specs, settings = settled(baseline, update_baseline, mechanism, _sampling(options))
    require_outputs(options | ({"baseline": baseline} if update_baseline else {}))
    entries, missing = find_entries((implementation,), options["require"])
    chosen, unavailable = find_mechanisms(specs)
    own = [entry for entry in entries if entry.spec == implementation]
    results = run(chosen, own, settings, missing + unavailable)
    partial = results.interrupted or not results.cells
    moved = [] if results.interrupted else keep(results.document(), baseline, update_baseline and not partial, known)
    if update_baseline:
        click.echo(f"{baseline} is left as it was" if partial else f"wrote {baseline}", err=True)
        if "discrepancy" in [*(cell.verdict for cell in results.cells), *(found.verdict for found in results.invariants)]:
            click.echo("it disagrees with the truth, so the gate fails until that is mended, whatever the baseline", err=True)
    for regression in moved:
        click.echo(f"regression: {regression.id} {regression.message}")
    _finish(ctx, results, options, regressed=bool(moved))


@click.command()
@click.argument("results", type=FILE)
@click.option("--html", "report", type=FILE, default="report.html", show_default=True, help="Write the HTML report here.")
@click.option("--proofs", type=FILE, multiple=True, help="Show what prove -o or catalogue -o wrote; repeatable.")
@click.option("--junit", type=FILE, help="Write JUnit XML here.")
@click.option("--markdown", type=FILE, help="Write a Markdown summary here.")
def report(results: Path, **options: Any) -> None:
    """Turn a RESULTS file of `dalembert check -o` into a report."""
    from cross_check.results import read_results
    from dalembert.session import require_outputs, write_outputs

    document = read_results(results)
    require_outputs(options | {"results": results})
    write_outputs(document, options)


def _sampling(options: dict[str, Any]) -> dict[str, Any]:
    return {name: options[name] for name in ("seed", "states", "bar", "certified")}


def _details(state: int, mechanisms: Any, entries: Any, settings: Any, results: Any) -> Iterator[Any]:
    """One state of everything that was compared, to print."""
    from dataclasses import asdict

    from cross_check.harness import look_at
    from reports import terminal

    compared = {(cell.mechanism, cell.implementation) for cell in results.cells if cell.worst}
    for (_, mechanism), about in zip(mechanisms, results.document()["mechanisms"], strict=True):
        for entry in entries:
            if (mechanism.name, entry.name) in compared:
                for cell in look_at(state, mechanism, entry, settings):
                    yield terminal.cell_details(asdict(cell), about, results.settings)


def _finish(
    ctx: click.Context, results: Any, options: dict[str, Any], details: Iterable[Any] = (), regressed: bool = False
) -> None:
    """Write what was asked for, show the summary, and leave with the right exit code."""
    from cross_check.results import outcome
    from dalembert.session import write_outputs
    from reports import terminal

    document = results.document()
    try:
        write_outputs(document, options)
    finally:
        _show(terminal.summary(document))
    if results.interrupted:
        raise Sentence("interrupted; what was finished is kept", INTERRUPTED)
    for detail in details:
        _show("", detail)
    ctx.exit(outcome(document) or int(regressed))


def _show(*parts: Any) -> None:
    from rich.console import Console

    console = Console()
    with console.capture() as shown:
        # What reads a pipe wraps lines itself, or wants them whole.
        console.print(*parts, sep="\n", soft_wrap=not console.is_terminal, crop=False)
    click.echo(shown.get(), nl=False)
