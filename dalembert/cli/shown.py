"""Prints what the command line has to say."""

from __future__ import annotations

from typing import Any

import click


def show(*parts: Any) -> None:
    """Print what rich renders; where the output is a pipe, every paragraph is one line."""
    from rich.console import Console

    console = Console()
    with console.capture() as shown:
        # What reads a pipe wraps lines itself, or wants them whole.
        console.print(*parts, sep="\n", soft_wrap=not console.is_terminal, crop=False)
    click.echo(shown.get(), nl=False)
