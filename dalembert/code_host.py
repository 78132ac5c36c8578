"""What services of continuous integration tell a run, and what it tells them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cross_check.results import Results

ROOTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables with the repository's root."""

STYLES = AUTO, GITHUB, NONE = "auto", "github", "none"


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
    from reports.annotations import github

    return github(results, folder_in_repository())
