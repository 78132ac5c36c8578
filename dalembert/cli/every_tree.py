"""``prove --every-tree``: the lemmas, the theorem, and where a lemma breaks."""

from __future__ import annotations

import click


def prove_every_tree() -> int:
    """Prove all lemmas, print a line for each and then the theorem, and return the exit code."""
    from cross_check.theorem.theorem import LEMMAS, THEOREM, prove_lemmas
    from dalembert.progress import progress
    from mechanisms.joint import MOVING

    with progress() as report:
        proven = prove_lemmas(LEMMAS, report)
    for number, (lemma, identities, broken) in enumerate(proven):
        verdict, of = "broken" if broken else "proven", "values of programs" if lemma.is_about_programs else "identities over ℚ"
        click.echo(f"Lemma {number}, {lemma.name}: {verdict}, {len(lemma.cases)} cases, {identities} {of}")
        click.echo(f"    {lemma.says}")
        click.echo(f"    runs {lemma.runs}")
        for where in broken:
            click.echo(f"    breaks at {where}")
    if any(lemma.broken for lemma in proven):
        click.echo("The theorem is not proven.")
        return 1
    click.echo(THEOREM.format(kinds=len(MOVING)))
    return 0
