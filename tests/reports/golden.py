"""What every output says of runs made by hand, as it stands in ``golden/``.

``python tests/reports/golden.py`` writes these files again. Then read what has changed: ``git diff tests/reports/golden``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[2])]

import documents
from parsed_page import Page
from rich.console import Console, RenderableType

from cross_check.exchange.results import Results
from dalembert.gatekeeper import problems_of
from reports import catalogue, html, junit, markdown, services, terminal

FOLDER = Path(__file__).with_name("golden")

RUNS: dict[str, Callable[[], Results]] = {
    "empty": documents.empty,
    "agreement": lambda: documents.results(3, 2),
    "certified": lambda: documents.certified(ties=1, undecided=3),
    "every verdict": documents.mixed,
    "hostile text": documents.hostile,
    "very many states": documents.very_large,
    "causes": documents.drawn,
    "one cause of many cells": documents.all_wrong,
    "many causes": lambda: documents.all_wrong(1, 3),
    "a baseline": documents.moved,
    "one function": documents.one_function,
    "releases": documents.releases,
    "told aside": documents.told_aside,
}

CATALOGUE = "catalogue"


def printed(what: RenderableType, width: int = 80) -> str:
    console = Console(width=width, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(what, crop=False)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def texts(run: Results) -> dict[str, str]:
    """Every output that is text, by name."""
    cells = [cell for cell in run.cells if cell.worst][:2]
    return {
        "terminal": printed(terminal.summary(run)),
        "terminal -v": printed(terminal.summary(run, verbose=True), 120),
        "settings": printed(terminal.settings(run)),
        "cells": "\n".join(printed(terminal.cell_details(one, run.mechanism(one.mechanism), run.settings)) for one in cells),
        "pytest": "\n".join(problems_of(run)),
        "markdown": markdown.render(run),
        "junit": junit.render(run),
        "badge": services.badge(run),
        "github": services.github(run, "robots"),
        "gitlab": services.gitlab(run, "robots"),
    }


def body(source: str) -> str:
    """A page without styles and scripts, a tag in each line."""
    text = re.sub(r"(?s)<(style|script)\b.*?</\1>", r"<\1>", source[source.index("<body") :])
    return re.sub(r"(?=<(?!/))", "\n", re.sub(r"Of \d+ faulty codes .*?\.</p>", "</p>", text))


def page(run: Results) -> str:
    """The HTML report, and the data of its script."""
    source = html.render(run)
    data, errors = Page(source).packed
    return body(source) + "".join(f"\n{name}: {value}" for name, value in data.items()) + f"\n{errors.hex()}\n"


def files(name: str) -> dict[Path, str]:
    """The files of one run, with what they should contain."""
    if name == CATALOGUE:
        pages = (f"======== {what}\n{body(catalogue.render(one))}\n" for what, one in documents.CATALOGUES.items())
        return {FOLDER / "catalogue.html": "".join(pages)}
    run = RUNS[name]()
    joined = "".join(f"======== {output}\n{text}\n" for output, text in texts(run).items())
    file = name.replace(" ", "-")
    return {FOLDER / f"{file}.txt": joined, FOLDER / f"{file}.html": page(run)}


def main() -> None:
    for name in (*RUNS, CATALOGUE):
        for path, text in files(name).items():
            path.write_bytes(text.encode("utf-8", "backslashreplace"))


if __name__ == "__main__":
    main()
