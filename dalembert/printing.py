"""What commands print: what they show, on standard output; progress and notes on standard error, so that output can be piped.

Progress is a bar on a terminal, and plain lines elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from cross_check.harness import DONE, Progress, ShowProgress
from implementations.processes import find
from mechanisms import Mechanism
from mechanisms.plain_text import one_line

PATIENCE = 10.0
"""Seconds without a line of progress."""


@contextmanager
def show_progress() -> Iterator[ShowProgress]:
    """A function that shows every step."""
    if not sys.stderr.isatty():
        yield PlainLines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    times = (TimeElapsedColumn(), TextColumn("+"), TimeRemainingColumn())
    columns = (BarColumn(), MofNCompleteColumn(), *times, TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("")

        def show(progress: Progress) -> None:
            if progress.stays:
                bar.console.print(one_line(progress.activity), markup=False, highlight=False)
                return
            bar.update(task, description=one_line(progress.text), completed=progress.done, total=progress.total)

        yield show


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """The same for work without mechanisms, as a function of the activity, and how many steps of how many are done."""
    with show_progress() as show:
        yield lambda activity, done, total: show(Progress("", activity, done, total))


class PlainLines:
    """A line per mechanism and per find, and one on the current activity after a while without one. No line comes twice."""

    def __init__(self) -> None:
        self._last = monotonic()
        self._lines: set[str] = set()

    def __call__(self, progress: Progress) -> None:
        is_late = monotonic() - self._last > PATIENCE
        if progress.is_new_mechanism or progress.stays or progress.text == DONE or is_late:
            text = progress.mechanism if progress.is_new_mechanism else progress.text
            line = f"[{progress.done}/{progress.total}] {one_line(text)}"
            if line not in self._lines:
                print(line, file=sys.stderr, flush=True)
                self._lines.add(line)
                self._last = monotonic()


def show(*parts: Any) -> None:
    """Print what rich renders; where the output is a pipe, every paragraph is one line."""
    from rich.console import Console

    console = Console()
    with console.capture() as shown:
        # What reads a pipe wraps lines itself, or wants them whole.
        console.print(*parts, sep="\n", soft_wrap=not console.is_terminal, crop=False)
    click.echo(shown.get(), nl=False)


def find_mechanism(spec: str) -> Mechanism:
    """The mechanism that ``spec`` names; prints :attr:`Mechanism.notes` to standard error."""
    mechanism = find.find_mechanism(spec)
    for note in mechanism.notes:
        click.echo(f"note: {one_line(spec)}: {note}", err=True)
    return mechanism
