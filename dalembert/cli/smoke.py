"""The command that tries a program's harness."""

from __future__ import annotations

import shlex
from itertools import chain

import click

from dalembert.cli.exits import FAILED
from dalembert.cli.options import Number


@click.command()
@click.argument("program", metavar="PROGRAM")
@click.option(
    "--timeout", type=Number(0, min_open=True), default=20.0, show_default=True, metavar="SECONDS", help="For one answer."
)
@click.option("--all", "is_all", is_flag=True, help="Try every kind of joint, too; PROGRAM may then be any implementation.")
@click.option("-v", "--verbose", is_flag=True, help="Show what was sent and received at every step.")
@click.pass_context
def smoke(ctx: click.Context, program: str, timeout: float, is_all: bool, verbose: bool) -> None:
    """Try the harness of a PROGRAM that speaks the protocol, step by step.

    It tells a broken harness (exit code 3) from broken dynamics (exit code 1). The first step that fails is shown with what was
    sent and what was received. docs/protocol.md describes the protocol.

    With --all, every quantity is also compared on mechanisms of one kind of joint each, so that a wrong declaration of
    conventions, or a wrong index into q or v, shows at the kind of joint that it concerns. That also tries a shared library
    (lib:FILE) and Python code.

    \b
    dalembert smoke 'cmd:./my_dynamics'
    dalembert smoke 'cmd:julia my_dynamics.jl' --timeout 60 -v
    dalembert smoke --all lib:./libmy_dynamics.so
    """
    from implementations.languages.command import PREFIX
    from implementations.languages.smoke import smoke as steps
    from implementations.processes.every_kind import every_kind
    from mechanisms.plain_text import sentence

    is_program = program.startswith(PREFIX)
    if not is_program and not is_all:
        remedy = f"write it as {PREFIX}COMMAND, for instance 'cmd:./my_dynamics', or give --all"
        raise click.UsageError(f"{sentence(program, 100)!r} is no command; {remedy}")
    harness, dynamics = "", False
    for step in chain(steps(program, timeout) if is_program else (), every_kind(program, timeout) if is_all else ()):
        mark = "✗" if step.problem else "✓" if step.is_tried else "·"
        click.echo(f"{mark} {step.name}" + (f": {sentence(step.problem or step.said, 600)}" if step.problem or step.said else ""))
        if step.problem and step.is_about_dynamics:
            dynamics = True
        elif step.problem:
            harness = step.name
        if verbose or (step.problem and not step.is_about_dynamics):
            for line in step.conversation:
                click.echo(f"      {line}")
    if harness:
        click.echo(f"The harness is broken. It fails at the step “{harness}”.")
        ctx.exit(FAILED)
    if dynamics:
        click.echo(f"The harness works; the dynamics differ. `dalembert check -i {shlex.quote(program)}` finds out why.")
        ctx.exit(1)
    click.echo(f"The harness works. Now: dalembert check -i {shlex.quote(program)}")
