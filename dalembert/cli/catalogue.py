"""The command ``catalogue``: the texts, equation by equation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from dalembert.cli.options import FILE, Whole
from dalembert.cli.printing import short

if TYPE_CHECKING:
    from cross_check.prove.catalogue.results import IdentityResult
    from reports.catalogue import Row

WIDEST = 24
"""The number of characters of an exact number that a line shows; the file contains all of them."""


@click.command()
@click.argument("id", nargs=-1)
@click.option("--seed", type=Whole(0), default=0, show_default=True, help="Seed of the random numbers.")
@click.option("-o", "--output", type=FILE, help="Write the outcomes here: a page to read (.html), or JSON.")
@click.option("-v", "--verbose", is_flag=True, help="Print a line for every identity, also if no ID is given.")
def catalogue(id: tuple[str, ...], seed: int, output: Path | None, verbose: bool) -> int:
    """Prove every identity of the five texts, and refute every slip in them.

    ID is the id of an identity, or the start of several ids: 000.16, 000.29, 003.

    \b
    dalembert catalogue
    dalembert catalogue 003 -o text-003.html
    dalembert catalogue 000.36 000.36-printed
    """
    from cross_check.exchange.results import write_json, write_text
    from cross_check.prove.catalogue.contents import CatalogueError, prove_catalogue, select
    from dalembert.outputs import require_outputs
    from dalembert.progress import progress
    from reports.catalogue import folded, render, totals

    require_outputs({"output": output})
    try:
        entries = select(id)
    except CatalogueError as error:
        raise click.UsageError(str(error)) from error
    with progress() as report:
        results = prove_catalogue(entries, seed, report)
    for text in results.texts:
        of_text = [entry for entry in results.entries if entry.text == text.text]
        click.echo(f"text {text.text}: {text.title}{'' if id or verbose else ', ' + totals(of_text)}")
        for row in folded(of_text):
            if id or verbose or not row.entries[0].as_stated:
                click.echo(_line(row))
    click.echo(totals(results.entries))
    if output:
        page = output.suffix.lower() in (".html", ".htm")
        write_text(render(results), output) if page else write_json(results.document(), output)
    return 0 if results.as_stated else 1


def _line(row: Row) -> str:
    from reports.catalogue import outcome

    entry = row.entries[0]
    said = f"{entry.verdict}: {entry.evidence}" if entry.kind == "computed" else _outcome(entry)
    if row.parts:
        said = f"{len(row.entries)} times {entry.verdict}, with an error of {row.error} at most"
    title = ", ".join([row.title, *row.parts])
    return f"  {outcome(entry).sign} {row.id:24} {title}: {entry.statement}  [{said}]"


def _outcome(entry: IdentityResult) -> str:
    if not entry.witness:
        return f"proven, with an error of {entry.error} at most"
    left, right = short(entry.witness.left, WIDEST), short(entry.witness.right, WIDEST)
    values = f"at small numbers the left side is {left}, the right {right}"
    if entry.kind == "slip":
        return f"false as printed, {values}; see {entry.corrected}"
    return f"false, {values}"
