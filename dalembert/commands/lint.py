"""Whether the numbers in robots' files are plausible."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from cross_check.exchange.results import write_text
from cross_check.read.lint.links import Link, links_of
from cross_check.read.lint.rules import Warning, warnings
from cross_check.read.lint.written import written
from dalembert.cli.exits import DIFFERENT
from dalembert.outputs import input_files, require_outputs
from mechanisms.errors import MechanismError
from mechanisms.files.by_form import form_of_file, read_file
from mechanisms.library.robots import ALIASES, ROBOTS, robots_folder
from mechanisms.plain_text import count, one_line


def lint(robot: tuple[str, ...], output: Path | None, strict: bool) -> int:
    """Print what is implausible in the files; the exit code."""
    require_outputs({"output": output}, input_files(robot))
    found = {}
    for word in dict.fromkeys(robot):
        known = ROBOTS.get(ALIASES.get(word, word))
        path = robots_folder() / known.path if known else Path(word)
        if not known and not path.exists():
            raise MechanismError(f"there is no file {word!r}; give a file, or a robot's name, which `dalembert mechanisms` lists")
        form = form_of_file(path)
        # The root of a URDF is judged, too, as it is on a free base.
        mechanism = read_file(path, free_base=form == "urdf", physical=False, ignore_mimic=True)
        given = written(path, form)
        links = links_of(mechanism, given)
        found[word] = warnings(mechanism, links, given)
        click.echo(_text(word, path, links, found[word]))
    if output:
        write_text(json.dumps({word: [*map(asdict, own)] for word, own in found.items()}, indent=1) + "\n", output)
    return DIFFERENT if strict and any(found.values()) else 0


def _text(word: str, path: Path, links: Sequence[Link], own: Sequence[Warning]) -> str:
    read = sum(link.body.has_shapes for link in links)
    counts = f"{count(len(own), 'warning')}, {count(len(links), 'link')} with mass, the shapes of {read} are read"
    lines = [f"{'⚠' if own else '✓'} {one_line(word)}: {counts}"]
    alike: dict[tuple[str, str], list[Warning]] = {}
    for one in own:
        alike.setdefault((one.said, one.cause), []).append(one)
    for (said, cause), same in alike.items():
        first, others = same[0], f" and {len(same) - 1} like it" if len(same) > 1 else ""
        where = first.place.within(path.name if word in ROBOTS else word) if first.place else word
        lines.append(f"  {one_line(where)}: {one_line(first.name)}{others}: {one_line(said)}; usual cause: {cause}")
    return "\n".join(lines)
