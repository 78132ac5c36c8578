"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dalembert.cli import completion
from dalembert.renderings import RENDERINGS, STYLES
from implementations.processes.limits import Limits


def options(*decorators: Callable[..., Any]) -> Callable[..., Any]:
    """Several options as one decorator, in the order given."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


class Whole(click.IntRange):
    """A whole number in plain digits. Python would also read 1_0 and digits of other scripts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not re.fullmatch("[+-]?[0-9]{1,300}", value):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A decimal number, by the grammar of :mod:`mechanisms.numbers`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from mechanisms.numbers import DECIMAL

        if isinstance(value, str) and not DECIMAL.fullmatch(value):
            self.fail(f"{value!r} is not a valid number.", param, ctx)
        return super().convert(value, param, ctx)


FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def sampling(recorded: bool) -> Callable[..., Any]:
    """The options of the comparison; ``recorded`` says that a baseline, where there is one, gives the defaults."""
    default = "default: the baseline's, or" if recorded else "default:"
    return options(
        click.option("--seed", type=Whole(0), help=f"Seed of the states.  [{default} 0]"),
        click.option("--states", type=Whole(1, 10**9), help=f"States per mechanism.  [{default} 98]"),
        click.option("--bar", type=Number(0, min_open=True), help=f"Largest error that agrees, in ε-units.  [{default} 16]"),
        click.option(
            "--certified",
            is_flag=True,
            default=None,
            help="Compare with values that are correctly rounded, with proof (docs/certified.md): slower; errors in ulps, too."
            + (" A baseline that was recorded with it needs no option." if recorded else ""),
        ),
        click.option(
            "--strict/--no-strict",
            default=None,
            help="Fail (exit 6) if the run cannot show gravity, rotational inertia or Coriolis terms at all.",
        ),
    )


def _limit(name: str, default: float, unit: str, help: str) -> Callable[..., Any]:
    return click.option(name, type=Number(0, min_open=True), default=default, show_default=True, metavar=unit, help=help)


quantity = click.option(
    "-q",
    "--quantity",
    multiple=True,
    metavar="NAME",
    shell_complete=completion.quantities,
    help="Compare only this quantity, relation or group.",
)
as_read = click.option(
    "--as-read/--no-as-read",
    default=False,
    help="Also give the mechanism in equivalent files, to try the reader of code that reads files (docs/as-read.md).",
)
output = click.option("-o", "--output", type=FILE, help="Write the results (JSON) here.")


def renderings(*names: str) -> Callable[..., Any]:
    """The options of the files with these names that results are written into."""
    return options(*(click.option(f"--{one.option}", type=FILE, help=one.help) for one in RENDERINGS if one.option in names))


proofs = click.option("--proofs", type=FILE, multiple=True, help="Show what prove -o or catalogue -o wrote; repeatable.")
annotation = click.option(
    "--annotations",
    type=click.Choice(STYLES),
    default=STYLES[0],
    show_default=True,
    help="Print what is wrong for GitHub's pages, at lines of code; auto does so in GitHub's own runs.",
)
outputs = options(renderings(*(one.option for one in RENDERINGS)), proofs, annotation)
verbose = click.option("-v", "--verbose", is_flag=True, help="Print every line: all mechanisms, causes, evidence and reasons.")
require = click.option("--require", multiple=True, metavar="NAME", help="Fail (exit 3) if NAME is not installed; repeatable.")
limits = options(
    _limit("--timeout", Limits.timeout, "SECONDS", "The longest time that one call of an implementation may take."),
    _limit("--memory", Limits.memory, "GIB", "The memory that the process of an implementation may have."),
)
execution = options(
    click.option("-j", "--jobs", type=Whole(1, 1024), help="Processes that compute.  [default: one per core]"),
    limits,
    click.option("--python", type=FILE, metavar="FILE", help="Run implementations with this Python, which has their packages."),
    click.option("--scheduler", metavar="ADDRESS", help="Compute on the workers of this Dask scheduler."),
    click.option("--journal", type=FILE, help="Keep what is finished here.  [default: beside --output, or in a cache]"),
    click.option("--resume", is_flag=True, help="Go on with the same run, which ended early."),
    click.option("--explain/--no-explain", default=True, help="Find out why what disagrees does.  [default: explain]"),
    click.option("--in-process", is_flag=True, help="Call implementations in this process, without protection, for a debugger."),
)
