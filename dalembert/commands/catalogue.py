"""The texts, equation by equation."""

from __future__ import annotations

from pathlib import Path

import click

from cross_check.exchange.results import write_json, write_text
from cross_check.prove.catalogue.contents import CatalogueError, prove_catalogue, select
from cross_check.prove.catalogue.results import IdentityResult
from dalembert.outputs import is_page, require_outputs
from dalembert.printing import progress
from reports.catalogue import Row, folded, outcome, render, totals
from reports.words import short

WIDEST = 24
"""The number of characters of an exact number that a line shows; the file contains all of them."""


def catalogue(id: tuple[str, ...], seed: int, output: Path | None, verbose: bool) -> int:
    """Prove the entries and print them; the exit code."""
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
        write_text(render(results), output) if is_page(output) else write_json(results.document(), output)
    return 0 if results.as_stated else 1


def _line(row: Row) -> str:
    entry = row.entries[0]
    said = f"{entry.verdict}: {entry.evidence}" if entry.kind == "computed" else _outcome(entry)
    if row.parts:
        said = f"{len(row.entries)} times {entry.verdict}, with an error of {row.error} at most"
    title = ", ".join([row.title, *row.parts])
    return f"  {outcome(entry).sign} {row.id:24} {title}: {entry.statement}  [{said}]"


def _outcome(entry: IdentityResult) -> str:
    if not entry.witness:
        return f"proven, with an error of {entry.error} at most"
    left, right = (short(number, WIDEST, dots="...") for number in (entry.witness.left, entry.witness.right))
    values = f"at small numbers the left side is {left}, the right {right}"
    if entry.kind == "slip":
        return f"false as printed, {values}; see {entry.corrected}"
    return f"false, {values}"
