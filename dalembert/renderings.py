"""The files that a run's results can be written into: a new one needs its module in ``reports`` and a line in the table.

Modules are imported when a file is written, so that --help answers at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cross_check.results import Results

Render = Callable[["Results", Sequence[Path]], str]
"""The text of a file about results; the paths are those of proofs to show beside them."""


class Rendering(NamedTuple):
    """One kind of file. ``option`` names its option on the command line and in :mod:`dalembert.outputs`."""

    option: str
    help: str
    render: Render


def _html(results: Results, proofs: Sequence[Path]) -> str:
    from cross_check.proof_files import read_proofs
    from reports import html

    return html.render(results, read_proofs(tuple(proofs)))


def _junit(results: Results, proofs: Sequence[Path]) -> str:
    from reports import junit

    return junit.render(results)


def _markdown(results: Results, proofs: Sequence[Path]) -> str:
    from reports import markdown

    return markdown.render(results)


def _badge(results: Results, proofs: Sequence[Path]) -> str:
    from reports import badge

    return badge.render(results)


def _codequality(results: Results, proofs: Sequence[Path]) -> str:
    from dalembert.code_host import folder_in_repository
    from reports import annotations

    return annotations.gitlab(results, folder_in_repository())


RENDERINGS = (
    Rendering("report", "Write the HTML discrepancy report here.", _html),
    Rendering("junit", "Write JUnit XML here.", _junit),
    Rendering("markdown", "Write a Markdown summary here, of at most 1 MiB.", _markdown),
    Rendering("badge", "Write a badge here: JSON for the endpoint of shields.io.", _badge),
    Rendering("codequality", "Write what is wrong here, by lines of code: JSON for GitLab.", _codequality),
)
