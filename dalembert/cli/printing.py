"""Prints what commands show, and for commands without a report what the reader ignored in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mechanisms import Mechanism


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
    from implementations.processes import find
    from mechanisms.plain_text import one_line

    mechanism = find.find_mechanism(spec)
    for note in mechanism.notes:
        click.echo(f"note: {one_line(spec)}: {note}", err=True)
    return mechanism
