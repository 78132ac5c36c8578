"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dalembert.cli import completion
from dalembert.declared import NUMBER, SETTINGS, SWITCH, TEXT, WHOLE, WORDS, WRITTEN
from dalembert.renderings import RENDERINGS, STYLES


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


def setting(name: str, **more: Any) -> Callable[..., Any]:
    """The option of a setting, as :data:`SETTINGS` declares it; ``more`` are further attributes."""
    one = SETTINGS[name]
    kinds: dict[str, dict[str, Any]] = {
        WORDS: {"multiple": True},
        WHOLE: {"type": Whole(one.least, one.most)},
        NUMBER: {"type": Number(0, min_open=True)},
        SWITCH: {},
        TEXT: {"type": FILE},
        WRITTEN: {"type": FILE},
    }
    return click.option(*(one.flags or (f"--{name}",)), **{"help": one.help, "metavar": one.metavar} | kinds[one.kind] | more)


def sampling(recorded: bool) -> Callable[..., Any]:
    """The options of the comparison; ``recorded`` says that a baseline, where there is one, gives the defaults."""
    default = "default: the baseline's, or" if recorded else "default:"
    kept = " A baseline that was recorded with it needs no option." if recorded else ""
    numbers = (SETTINGS[name] for name in ("seed", "states", "bar"))
    return options(
        *(setting(one.name, help=f"{one.help}  [{default} {one.default}]") for one in numbers),
        setting("certified", is_flag=True, default=None, help=SETTINGS["certified"].help + kept),
        setting("strict", default=None),
    )


def sampled(given: dict[str, Any]) -> dict[str, Any]:
    """What the options of :func:`sampling` give, and the quantities, by the names of settings."""
    return {name: given[name] for name in ("seed", "states", "bar", "certified", "strict")} | {
        "quantities": given["quantity"] or None
    }


quantity = setting("quantities", shell_complete=completion.quantities)
as_read = setting("as_read", default=False)
output = setting("output")


def renderings(*names: str) -> Callable[..., Any]:
    """The options of the files with these names that results are written into."""
    return options(*(setting(one.option) for one in RENDERINGS if one.option in names))


proofs = click.option("--proofs", type=FILE, multiple=True, help="Show what prove -o or catalogue -o wrote; repeatable.")
annotation = setting("annotations", type=click.Choice(STYLES), default=SETTINGS["annotations"].default, show_default=True)
outputs = options(renderings(*(one.option for one in RENDERINGS)), proofs, annotation)
verbose = click.option("-v", "--verbose", is_flag=True, help="Print every line: all mechanisms, causes, evidence and reasons.")
require = setting("require")
jobs = setting("jobs")
limits = options(*(setting(name, default=SETTINGS[name].default, show_default=True) for name in ("timeout", "memory")))
execution = options(
    jobs,
    limits,
    setting("python"),
    click.option("--scheduler", metavar="ADDRESS", help="Compute on the workers of this Dask scheduler."),
    click.option("--journal", type=FILE, help="Keep what is finished here.  [default: beside --output, or in a cache]"),
    click.option("--resume", is_flag=True, help="Go on with the same run, which ended early."),
    setting("explain", default=True),
    click.option("--in-process", is_flag=True, help="Call implementations in this process, without protection, for a debugger."),
)
