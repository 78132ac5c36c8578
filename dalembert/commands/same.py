"""Two files: are they one robot?"""

from __future__ import annotations

from pathlib import Path

import click

from cross_check.exchange.results import write_json
from cross_check.read.same.compare import Comparison
from cross_check.read.same.results import SCHEMA
from dalembert.cli.exits import DIFFERENT
from dalembert.outputs import input_files, require_outputs
from dalembert.printing import find_mechanism, show
from mechanisms import Mechanism
from reports.same import same_text, state_text


def same(first: str, second: str, renamed: tuple[str, ...], output: Path | None, state: int | None) -> int:
    """Compare two mechanisms and print whether they are one robot; the exit code."""
    require_outputs({"output": output}, input_files([first, second]))
    one, other = find_mechanism(first), find_mechanism(second)
    comparison = Comparison.of(one, other, _names(renamed, one, other))
    found = comparison.same()
    show(same_text(found, first, second, [word for pair in renamed for word in ("--map", pair)]))
    if state is not None:
        show(state_text(*comparison.at(state), state))
    if output:
        write_json({"schema": SCHEMA, "first": first, "second": second, **found.to_document()}, output)
    return DIFFERENT if found.verdict == "different" else 0


def _names(renamed: tuple[str, ...], first: Mechanism, second: Mechanism) -> dict[str, str]:
    """The names that ``--map`` gives. Raises :class:`click.UsageError` for names that do not exist."""
    names: dict[str, str] = {}
    for pair in renamed:
        old, equals, new = pair.partition("=")
        if not equals:
            raise click.UsageError(f"--map {pair!r} has no '='; write OLD=NEW, a name in FIRST and one in SECOND")
        for name, mechanism in ((old, first), (new, second)):
            if not any(name in (link.name, link.joint) for link in mechanism.links):
                raise click.UsageError(f"--map {pair!r}: {mechanism.name} has no link or joint {name!r}; correct the name")
        names[old] = new
    return names
