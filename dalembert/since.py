"""Two revisions of the user's code on the same mechanisms and states: what moved since the other one?"""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

from cross_check.recorded_data.subject import PREFIX
from cross_check.results import Results
from cross_check.results.objects import COMPARED
from cross_check.settings import Settings
from dalembert.outputs import words_that_name_files
from dalembert.revisions import Revision, RevisionError, checked_out
from dalembert.session import MISSING_ERRORS, USER_ERRORS, Execution, Selection, entry, run
from implementations.plugins.registry import ABOUT
from implementations.processes.home import STRAY, Home

SEPARATORS = re.compile(r"[\s=:,;'\"]+|^-[A-Za-z]")
"""What stands around a path inside a word, as in ``--model=PATH``, ``-IPATH`` and ``sh -c "python PATH"``."""


def run_revision(
    revision: str, implementation: str, selection: Selection, settings: Settings, how: Execution, setup: str | None, dirty: bool
) -> tuple[str, Results]:
    """The name of the revision, and the results of the implementation as it was then, on the mechanisms of the selection.

    The revision's code runs in a copy of the repository. It runs with the same Python as the present code, or, after ``setup``,
    with the Python that the same words name in the copy. Raises :class:`RevisionError` if the revision cannot be compared with,
    also because its code does not load or compares nothing, and ``KeyboardInterrupt``.
    """
    if (
        how.in_process
        or implementation in ABOUT
        or implementation.startswith(PREFIX)
        or Path(implementation).expanduser().is_absolute()
    ):
        remedy = "name it by a module or a relative path, without --in-process"
        raise RevisionError(f"--since compares code of this repository in processes of their own, not {implementation}; {remedy}")
    with checked_out(revision, dirty, setup) as past:
        if _names_the_checkout(implementation, past):
            raise RevisionError(f"{implementation} names a file of the checkout for both revisions; name it by a relative path")
        print(f"revision {past.name}:", file=sys.stderr)
        there = replace(how, explain=False, home=_home(past, how, setup))
        try:
            subject = entry(implementation, execution=there)
        except (*USER_ERRORS, *MISSING_ERRORS) as error:
            raise RevisionError(f"at revision {past.name}: {error}") from error
        results = run(Selection(selection.mechanisms, [subject], []), settings, there)
    if results.interrupted:
        raise KeyboardInterrupt
    if stray := next((item.message for item in results.items if STRAY in item.message), ""):
        raise RevisionError(f"at revision {past.name}: {stray}")
    if not any(item.verdict in COMPARED for item in results.items):
        why = next((item.message for item in results.items if item.verdict == "failed"), "it offers no quantity of them")
        raise RevisionError(f"at revision {past.name} nothing was compared on these mechanisms ({why}); choose another revision")
    print("now:", file=sys.stderr)
    return past.name, results


def _names_the_checkout(implementation: str, past: Revision) -> bool:
    """Whether a word, or a path inside a word, leads into the checkout from the revision's folder, also through links."""
    parts = [part for word in words_that_name_files(implementation) for part in (word, *SEPARATORS.split(word)) if part]
    return f"{past.checkout}/" in implementation or any(_leads_to(past.folder, part, past.checkout) for part in parts)


def _leads_to(folder: Path, path: str, checkout: Path) -> bool:
    try:
        return (folder / path).expanduser().resolve().is_relative_to(checkout)
    except (OSError, RuntimeError, ValueError):  # A word that is no path.
        return False


def _home(past: Revision, how: Execution, setup: str | None) -> Home:
    python = how.home.python if how.home else None
    if python and not setup:
        python = str(Path.cwd() / python)
    return Home(str(past.folder), python, (str(past.checkout), str(past.tree)), bool(setup))
