"""The forms that a run's results have elsewhere: files, and lines for the services of continuous integration.

A new kind of file needs its module in ``reports`` and a line in the table.

Modules are imported when a file is written, so that --help answers at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cross_check.exchange.results import Results

Render = Callable[["Results", Sequence[Path]], str]
"""The text of a file about results; the paths are those of proofs to show beside them."""


ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables with the repository's root."""

STYLES = AUTO, GITHUB, NONE = "auto", "github", "none"


class Rendering(NamedTuple):
    """One kind of file. ``option`` names its option on the command line and in :mod:`dalembert.outputs`."""

    option: str
    help: str
    render: Render


def _html(results: Results, proofs: Sequence[Path]) -> str:
    from cross_check.prove.proof_files import read_proofs
    from reports import html

    return html.render(results, read_proofs(tuple(proofs)))


def _junit(results: Results, proofs: Sequence[Path]) -> str:
    from reports import junit

    return junit.render(results)


def _markdown(results: Results, proofs: Sequence[Path]) -> str:
    from reports import markdown

    return markdown.render(results)


def _badge(results: Results, proofs: Sequence[Path]) -> str:
    from reports import services

    return services.badge(results)


def _codequality(results: Results, proofs: Sequence[Path]) -> str:
    from reports import services

    return services.gitlab(results, folder_in_repository())


RENDERINGS = (
    Rendering("report", "Write the HTML discrepancy report here.", _html),
    Rendering("junit", "Write JUnit XML here.", _junit),
    Rendering("markdown", "Write a Markdown summary here, of at most 1 MiB.", _markdown),
    Rendering("badge", "Write a badge here: JSON for the endpoint of shields.io.", _badge),
    Rendering("codequality", "Write what is wrong here, by lines of code: JSON for GitLab.", _codequality),
)


def folder_in_repository() -> str:
    """The present folder as a path from the root of the repository, "" for the root itself and where there is none."""
    here = Path.cwd().resolve()
    named = [Path(os.environ[name]).resolve() for name in ROOTS if os.environ.get(name)]
    above = [folder for folder in (here, *here.parents) if (folder / ".git").exists()]
    root = next((folder for folder in (*named, *above) if here.is_relative_to(folder)), here)
    folder = here.relative_to(root).as_posix()
    return "" if folder == "." else folder


def annotation_lines(results: Results, style: str) -> str:
    """What to print, so that the service shows what is wrong at the lines of the code; empty if there is nothing to show.

    The ``style`` "auto" is that of GitHub in its own runs, and otherwise "none".
    """
    if style == AUTO:
        style = GITHUB if os.environ.get("GITHUB_ACTIONS") == "true" else NONE
    if style == NONE:
        return ""
    from reports.services import github

    return github(results, folder_in_repository())
