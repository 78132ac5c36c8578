"""The command line. Exit codes: 0 agree, 1 discrepancy, 2 usage, 3 an engine or the harness failed, 5 nothing compared."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

USAGE, FAILED, INTERRUPTED, UNREAD = 2, 3, 130, 141


class Sentence(click.ClickException):
    """An error that one sentence explains."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.exit_code = code  # type: ignore[misc]


class Group(click.Group):
    """Turns what went wrong into one sentence and the right exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except BrokenPipeError:
            # Whoever read the output has seen enough; Python would complain again when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(UNREAD) from None
        except (KeyboardInterrupt, click.Abort):
            raise Sentence("interrupted", INTERRUPTED) from None
        except Exception as error:
            if code := _expected(error):
                raise Sentence(" ".join(str(error).split()), code) from None
            traceback.print_exc()
            raise Sentence("dalembert itself failed; the lines above say where, please report them", FAILED) from error


def _expected(error: Exception) -> int | None:
    """The exit code of an error that users can mend, or None."""
    from dalembert.session import ABSENT, MENDABLE

    if isinstance(error, MENDABLE):
        return USAGE
    return FAILED if isinstance(error, ABSENT) else None


def options(*decorators: Callable[..., Any]) -> Callable[..., Any]:
    """Several options as one decorator, in the order given."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


FILE = click.Path(dir_okay=False, path_type=Path)

sampling = options(
    click.option("--seed", type=click.IntRange(0), help="Seed of the states.  [default: 0]"),
    click.option("--states", type=click.IntRange(1, 1_000_000), help="States per mechanism.  [default: 98]"),
    click.option("--bar", type=click.FloatRange(0, min_open=True), help="Largest error that agrees, in ε-units.  [default: 16]"),
)
outputs = options(
    click.option("--report", type=FILE, help="Write the HTML discrepancy report here."),
    click.option("--junit", type=FILE, help="Write JUnit XML here."),
    click.option("--markdown", type=FILE, help="Write a Markdown summary here."),
)
require = click.option("--require", multiple=True, metavar="NAME", help="Fail (exit 3) where NAME is not installed; repeatable.")


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dalembert")
def main() -> None:
    """Hold rigid-body dynamics code against two independent derivations of the equations of motion.

    \b
    dalembert check                          all mechanisms on all engines
    dalembert check ur5 -i pinocchio         one robot, one engine
    dalembert gate my_package.dynamics       your own code, in CI
    dalembert derive cart-pole               the equations of motion
    """


from dalembert import commands  # noqa: E402

commands.register(main)
