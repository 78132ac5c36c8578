"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import reduce, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from dalembert.cli import completion
from dalembert.declared import NUMBER, SETTINGS, SWITCH, TEXT, WHOLE, WORDS, WRITTEN, Kind
from dalembert.renderings import RENDERINGS, STYLES

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def done_by(module: str) -> Decorator:
    """A decorator of a command that is only declared: the function of its name in ``dalembert.commands.MODULE`` does the work.

    That module is imported when the command runs, so that --help answers at once.
    """

    def decorate(declared: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(declared)
        def run(*args: Any, **given: Any) -> Any:
            return getattr(import_module(f"dalembert.commands.{module}"), declared.__name__)(*args, **given)

        return run

    return decorate


def together(*decorators: Decorator) -> Decorator:
    """Several options as one decorator, in the order given."""
    return lambda function: reduce(lambda decorated, decorator: decorator(decorated), reversed(decorators), function)


class Whole(click.IntRange):
    """A whole number in plain digits. Python would also read 1_0 and digits of other scripts."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, str) and not re.fullmatch("[+-]?[0-9]{1,300}", value):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class Number(click.FloatRange):
    """A decimal number, by the grammar of :mod:`mechanisms.numbers.exact`."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from mechanisms.numbers.exact import DECIMAL

        if isinstance(value, str) and not DECIMAL.fullmatch(value):
            self.fail(f"{value!r} is not a valid number.", param, ctx)
        return super().convert(value, param, ctx)


FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def setting(name: str, **more: Any) -> Decorator:
    """The option of a setting, as :data:`SETTINGS` declares it; ``more`` are further attributes."""
    one = SETTINGS[name]
    kinds: dict[Kind, dict[str, Any]] = {
        WORDS: {"multiple": True},
        WHOLE: {"type": Whole(one.least, one.most)},
        NUMBER: {"type": Number(0, min_open=True)},
        SWITCH: {},
        TEXT: {"type": FILE},
        WRITTEN: {"type": FILE},
    }
    return click.option(*(one.flags or (f"--{name}",)), **{"help": one.help, "metavar": one.metavar} | kinds[one.kind] | more)


def shown(name: str, **more: Any) -> Decorator:
    """The option of a setting, whose help shows the default."""
    return setting(name, default=SETTINGS[name].default, show_default=True, **more)


precision = setting("precision", type=click.STRING, metavar="NAME", default=None)


def sampling(recorded: bool) -> Decorator:
    """The options of the comparison; ``recorded`` says that a baseline, where there is one, gives the defaults."""
    default = "default: the baseline's, or" if recorded else "default:"
    kept = " A baseline that was recorded with it needs no option." if recorded else ""
    numbers = (SETTINGS[name] for name in ("seed", "states", "bar"))
    return together(
        *(setting(one.name, help=f"{one.help}  [{default} {one.default:g}]") for one in numbers),
        precision,
        setting("certified", is_flag=True, default=None, help=SETTINGS["certified"].help + kept),
        setting("strict", default=None),
    )


def sampled(given: dict[str, Any]) -> dict[str, Any]:
    """What the options of :func:`sampling` give, and the quantities, by the names of settings."""
    names = ("seed", "states", "bar", "precision", "certified", "strict", "as_read")
    return {name: given[name] for name in names if name in given} | {"quantities": given["quantity"] or None}


quantity = setting("quantities", shell_complete=completion.quantities)
as_read = setting("as_read", default=False)
output = setting("output")


def renderings(*names: str) -> Decorator:
    """The options of the files with these names that results are written into."""
    return together(*(setting(one.option) for one in RENDERINGS if one.option in names))


verbose = click.option("-v", "--verbose", is_flag=True, help="Print every line: all mechanisms, causes, evidence and reasons.")
outputs = together(
    renderings(*(one.option for one in RENDERINGS)),
    click.option("--proofs", type=FILE, multiple=True, help="Show what prove -o or catalogue -o wrote; repeatable."),
    shown("annotations", type=click.Choice(STYLES)),
)
jobs = setting("jobs")
limits = together(shown("timeout"), shown("memory"))
execution = together(
    outputs,
    verbose,
    setting("require"),
    jobs,
    limits,
    setting("python"),
    setting("rebuild", type=click.STRING),
    click.option("--scheduler", metavar="ADDRESS", help="Compute on the workers of this Dask scheduler."),
    click.option("--journal", type=FILE, help="Keep what is finished here.  [default: beside --output, or in a cache]"),
    click.option("--resume", is_flag=True, help="Go on with the same run, which ended early."),
    setting("explain", default=True),
    click.option("--in-process", is_flag=True, help="Call implementations in this process, without protection, for a debugger."),
)
