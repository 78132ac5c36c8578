"""The forms that a run's results have elsewhere: files, and lines for the services of continuous integration.

A new kind of file needs its module in ``reports`` and a line in the table.

Modules are imported when a file is written, so that --help answers at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import reports

if TYPE_CHECKING:
    from cross_check.exchange.results import Results

ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables with the repository's root."""

STYLES = AUTO, GITHUB, NONE = "auto", "github", "none"


class Rendering(NamedTuple):
    """One kind of file. ``option`` names its option on the command line and in :mod:`dalembert.outputs`."""

    option: str
    help: str
    module: str
    """In ``reports``."""
    function: str = "render"
    """Its argument is the results; more are what ``also`` makes of the paths of proofs."""
    also: Callable[[Sequence[Path]], tuple[Any, ...]] = lambda _: ()

    def render(self, results: Results, proofs: Sequence[Path]) -> str:
        """The text of the file about the results; ``proofs`` are the paths of proofs to show beside them."""
        return getattr(import_module(f"{reports.__name__}.{self.module}"), self.function)(results, *self.also(proofs))


def _proofs(paths: Sequence[Path]) -> tuple[Any, ...]:
    from cross_check.prove.proof_files import read_proofs

    return (read_proofs(tuple(paths)),)


RENDERINGS = (
    Rendering("report", "Write the HTML discrepancy report here.", "html", also=_proofs),
    Rendering("junit", "Write JUnit XML here.", "junit"),
    Rendering("markdown", "Write a Markdown summary here, of at most 1 MiB.", "markdown"),
    Rendering("badge", "Write a badge here: JSON for the endpoint of shields.io.", "services", "badge"),
    Rendering(
        "codequality",
        "Write what is wrong here, by lines of code: JSON for GitLab.",
        "services",
        "gitlab",
        lambda _: (folder_in_repository(),),
    ),
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
