"""Mechanisms by name, for commands without a report: what the reader ignored in a file is said on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mechanisms import Mechanism


def find_mechanism(spec: str) -> Mechanism:
    """The mechanism that ``spec`` names; prints :attr:`Mechanism.notes` to standard error."""
    from implementations.processes import find
    from mechanisms.plain_text import one_line

    mechanism = find.find_mechanism(spec)
    for note in mechanism.notes:
        click.echo(f"note: {one_line(spec)}: {note}", err=True)
    return mechanism
