"""The commands about code in other languages: ``new`` and ``smoke``.

``new`` writes a project, from a folder of :mod:`dalembert.skeletons`; ``smoke`` tries a program's harness.
"""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from shutil import copyfile, rmtree
from tempfile import mkdtemp

import click

from dalembert.cli.exits import FAILED
from dalembert.cli.options import Number

SKELETONS = Path(__file__).parents[1] / "skeletons"


@dataclass(frozen=True)
class Language:
    """What comes after a project is written."""

    title: str
    build: tuple[str, ...]
    """Commands; none where nothing is built."""
    spec: str
    """The implementation, as the other commands name it."""
    try_it: str = "dalembert smoke {spec}"


SLOW = "dalembert smoke {spec} --timeout 120"
"""For what takes a while to start."""

LANGUAGES = {
    "cpp": Language("C++", ("make",), "cmd:./my_dynamics"),
    "c": Language("C, as a shared library", ("make",), "lib:./libmy_dynamics.so", "dalembert check pendulum -i {spec}"),
    "rust": Language("Rust", ("cargo build --release --offline",), "cmd:target/release/my_dynamics"),
    "python": Language("Python", (), "cmd:python3 main.py"),
    "julia": Language("Julia", (), "cmd:julia main.jl", SLOW),
    "matlab": Language("MATLAB", (), "cmd:sh my_dynamics.sh", SLOW),
}
"""By the name of the folder with its files."""


def write_project(language: str, folder: Path) -> None:
    """Write the project into ``folder``, which is made if it is not there. Whole or not at all.

    Raises :class:`click.UsageError`.
    """
    try:
        made = _made(folder)
        try:
            _fill(SKELETONS / language, folder)
        except BaseException:
            for path in made:
                with suppress(OSError):
                    path.rmdir()
            raise
    except OSError as error:
        raise click.UsageError(f"{folder} cannot be written ({error.strerror or error}); choose another folder") from None


def _made(folder: Path) -> list[Path]:
    """The folders that were made, the innermost first."""
    if os.path.lexists(folder):
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if next(folder.iterdir(), None) is not None:
            raise click.UsageError(f"{folder} is not empty, and nothing in it may be lost; name a new or an empty folder")
        return []
    missing = [folder, *(parent for parent in folder.parents if not os.path.lexists(parent))]
    folder.mkdir(parents=True)
    return missing


def _fill(source: Path, folder: Path) -> None:
    """Copy what is in ``source``, first to a folder inside, so that a project never lacks files."""
    unfinished = Path(mkdtemp(prefix=".dalembert-", dir=folder))
    moved: list[Path] = []
    try:
        # Contents alone: an installed package may be read-only, and a project is not.
        for path in source.rglob("*"):
            if path.is_file() and path.parent.name != "__pycache__":
                copy = unfinished / path.relative_to(source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copyfile(path, copy)
        for path in list(unfinished.iterdir()):
            moved.append(path.rename(folder / path.name))
    except BaseException:
        for path in moved:
            rmtree(path) if path.is_dir() else path.unlink()
        raise
    finally:
        rmtree(unfinished, ignore_errors=True)


def next_commands(language: str, folder: Path) -> Iterator[str]:
    """The commands that build the project, try its harness, and gate it."""
    chosen = LANGUAGES[language]
    spec = shlex.quote(chosen.spec)
    yield f"cd {shlex.quote(str(folder))}"
    yield from chosen.build
    yield chosen.try_it.format(spec=spec)
    yield f"dalembert gate {spec} pendulum ur5 --update-baseline"


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice([*LANGUAGES]), required=True, help="The language of your code.")
def new(folder: Path, language: str) -> None:
    """Write a project that lets dalembert ask code in another language.

    DIR is a new or an empty folder. The project contains an example of dynamics, to be replaced by your code, a few lines of
    glue, a file that answers dalembert, and what builds it.

    \b
    dalembert new --language cpp my_dynamics
    """
    from mechanisms.plain_text import one_line

    write_project(language, folder)
    click.echo(f"{one_line(str(folder))} has a project in {LANGUAGES[language].title}. Next:\n")
    for command in next_commands(language, folder):
        click.echo(f"  {command}")


@click.command()
@click.argument("program", metavar="PROGRAM")
@click.option(
    "--timeout", type=Number(0, min_open=True), default=20.0, show_default=True, metavar="SECONDS", help="For one answer."
)
@click.option("--all", "is_all", is_flag=True, help="Try every kind of joint, too; PROGRAM may then be any implementation.")
@click.option("-v", "--verbose", is_flag=True, help="Show what was sent and received at every step.")
def smoke(program: str, timeout: float, is_all: bool, verbose: bool) -> int:
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
        return FAILED
    if dynamics:
        click.echo(f"The harness works; the dynamics differ. `dalembert check -i {shlex.quote(program)}` finds out why.")
        return 1
    click.echo(f"The harness works. Now: dalembert check -i {shlex.quote(program)}")
    return 0
