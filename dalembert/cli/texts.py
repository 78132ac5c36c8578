"""The command ``catalogue``: the texts, equation by equation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from dalembert.cli.options import FILE

WIDEST = 24
"""The number of characters of an exact number that a line shows; the file contains all of them."""


@click.command()
@click.argument("id", nargs=-1)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the random numbers.")
@click.option("-o", "--output", type=FILE, help="Write the outcomes here: a page to read (.html), or JSON.")
@click.pass_context
def catalogue(ctx: click.Context, id: tuple[str, ...], seed: int, output: Path | None) -> None:
    """Prove every identity of the five texts, and refute every slip in them.

    ID is the id of an identity, or the start of several ids: 000.16, 000.29, 003.

    \b
    dalembert catalogue
    dalembert catalogue 003 -o text-003.html
    dalembert catalogue 000.36 000.36-printed
    """
    from cross_check.catalogue.contents import CatalogueError, select
    from cross_check.catalogue.run import prove_catalogue
    from cross_check.results import write_json, write_text
    from dalembert.outputs import require_outputs
    from dalembert.progress import progress
    from reports.catalogue_page import render, totals

    require_outputs({"output": output})
    try:
        entries = select(id)
    except CatalogueError as error:
        raise click.UsageError(str(error)) from error
    with progress() as report:
        document = prove_catalogue(entries, seed, report)
    for text in document["texts"]:
        click.echo(f"text {text['text']}: {text['title']}")
        for entry in document["entries"]:
            if entry["text"] == text["text"]:
                click.echo(_line(entry))
    click.echo(totals(document))
    if output:
        write_text(render(document), output) if output.suffix.lower() in (".html", ".htm") else write_json(document, output)
    ctx.exit(0 if all(entry["as stated"] for entry in document["entries"]) else 1)


def _line(entry: Mapping[str, Any]) -> str:
    from reports.catalogue_page import outcome

    return f"  {outcome(entry).sign} {entry['id']:24} {entry['title']}: {entry['statement']}  [{_outcome(entry)}]"


def _outcome(entry: Mapping[str, Any]) -> str:
    if entry["kind"] == "computed":
        return f"{entry['verdict']}: {entry['evidence']}"
    if entry["verdict"] == "proven":
        return f"proven, with an error of {entry['error']} at most"
    witness = entry["witness"]
    values = f"at small numbers the left side is {_short(witness['left'])}, the right {_short(witness['right'])}"
    if entry["kind"] == "slip":
        return f"false as printed, {values}; see {entry['corrected']}"
    return f"false, {values}"


def _short(number: str) -> str:
    return number if len(number) <= WIDEST else f"{number[:WIDEST]}... ({len(number)} characters)"
