"""Two revisions of the user's code on the same mechanisms and states: what moved since the other one?

The other revision is checked out in a temporary folder of its own. The folder is a repository that borrows the objects of the
user's. Nothing in the user's checkout or repository is written, so nothing is left there if a run is killed.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from cross_check.exchange.recorded_data.subject import PREFIX
from cross_check.exchange.results import Results
from cross_check.exchange.results.objects import COMPARED
from cross_check.judge.settings import Settings
from dalembert.outputs import holds, words_that_name_files
from dalembert.session import MISSING_ERRORS, USER_ERRORS, Execution, Selection, entry, run
from dalembert.settings import InputError
from implementations.plugins.registry import ABOUT
from implementations.processes.home import STRAY, Home
from mechanisms.plain_text import one_line

SEPARATORS = re.compile(r"[\s=:,;'\"]+|^-[A-Za-z]")
"""What stands around a path inside a word, as in ``--model=PATH``, ``-IPATH`` and ``sh -c "python PATH"``."""


FOLDER = "dalembert-since-"
"""How the name of the temporary folder begins."""

SUBMODULE = "160000 "
"""How the entry of a submodule begins in a list of git's."""


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
    return holds(lambda: (folder / path).expanduser().resolve().is_relative_to(checkout))


def _home(past: Revision, how: Execution, setup: str | None) -> Home:
    python = how.home.python if how.home else None
    if python and not setup:
        python = str(Path.cwd() / python)
    return Home(str(past.folder), python, (str(past.checkout), str(past.tree)), bool(setup))


class RevisionError(InputError):
    """A revision cannot be compared with; one sentence with the remedy."""


@dataclass(frozen=True)
class Revision:
    """A revision that is checked out in a temporary folder."""

    name: str
    """What the user typed, and the commit: "main (4f2a91c0e7d3)"."""
    checkout: Path
    """The root of the user's checkout."""
    tree: Path
    """The root of the revision's files."""
    folder: Path
    """The revision's version of the folder that the user works in."""


@contextmanager
def checked_out(revision: str, dirty: bool = False, setup: str | None = None) -> Iterator[Revision]:
    """The revision, until the context is left. ``setup`` is a shell command that runs in its folder and makes its environment.

    Changes that are not committed are refused unless ``dirty``. Raises :class:`RevisionError`.
    """
    here = Path.cwd()
    top = Path(_git(here, "rev-parse", "--show-toplevel", otherwise="this folder is in no git repository's checkout"))
    commit = _commit(here, revision)
    if not dirty:
        _require_clean(here)
    _require_no_submodules(here, revision, commit)
    with TemporaryDirectory(prefix=FOLDER, ignore_cleanup_errors=True) as temporary:
        tree = Path(temporary).resolve() / "tree"
        _fill(tree, here, commit)
        folder = tree / here.resolve().relative_to(top.resolve())
        if not folder.is_dir():
            raise RevisionError(f"revision {revision} has no folder {folder.relative_to(tree)}; start in a folder that it has")
        if setup:
            _set_up(setup, folder, Path(temporary, "output"), revision)
        yield Revision(f"{one_line(revision, 60)} ({commit[:12]})", top.resolve(), tree, folder)


def _commit(here: Path, revision: str) -> str:
    unknown = f"there is no revision {revision!r} in this repository; correct it, or fetch it (in CI: the whole history)"
    if not revision or revision.startswith("-"):
        raise RevisionError(unknown)
    return _git(here, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}", otherwise=unknown, quiet=True)


def _require_clean(here: Path) -> None:
    changed = _git(here, "status", "--porcelain", "--untracked-files=no").splitlines()
    if changed:
        named = ", ".join(line[3:] for line in changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
        raise RevisionError(f"the checkout has changes that are not committed ({named}); commit them, or compare them by --dirty")


def _require_no_submodules(here: Path, revision: str, commit: str) -> None:
    listed = _git(here, "ls-tree", "-r", "--full-tree", "-z", commit)
    names = [entry.partition("\t")[2] for entry in listed.split("\0") if entry.startswith(SUBMODULE)]
    if names:
        which = one_line(names[0], 100) + (f" and {len(names) - 1} more" if len(names) > 1 else "")
        remedy = "check both revisions out by hand, and compare them with a baseline"
        raise RevisionError(f"revision {revision} has submodules ({which}), which --since does not check out; {remedy}")


def _fill(tree: Path, here: Path, commit: str) -> None:
    """A repository in ``tree`` that borrows the objects of the one at ``here``, with the commit checked out."""
    objects, shallow = (here / _git(here, "rev-parse", "--git-path", name) for name in ("objects", "shallow"))
    form = _git(here, "rev-parse", "--show-object-format")
    tree.mkdir()
    _git(tree, "init", "--quiet", "--template=", f"--object-format={form}", ".")
    borrowed = tree / ".git" / "objects" / "info" / "alternates"
    borrowed.parent.mkdir(exist_ok=True)
    borrowed.write_bytes(os.fsencode(objects.resolve()) + b"\n")
    if shallow.is_file():
        shutil.copyfile(shallow, tree / ".git" / "shallow")
    _git(tree, "-c", "advice.detachedHead=false", "checkout", "--quiet", "--detach", commit)


def _git(folder: Path, *words: str, otherwise: str = "", quiet: bool = False) -> str:
    """What git prints. ``otherwise`` is the sentence about its failure, which ends with git's own unless ``quiet``."""
    environment = _environment() | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], env=environment, capture_output=True, check=False)
    except OSError as error:
        raise RevisionError(f"git cannot be run ({error.strerror}); install it") from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[:1]
        why = "" if quiet or not said else f" ({one_line(said[0], 200)})"
        raise RevisionError((otherwise or f"git {words[0]} failed") + why)
    return os.fsdecode(done.stdout).rstrip("\n")


_LOCAL = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""Variables of one repository, which git sets for its hooks: another repository must not get them."""


def _environment() -> dict[str, str]:
    """The variables of this process that are not about its repository."""
    return {name: value for name, value in os.environ.items() if name not in _LOCAL}


def _set_up(command: str, folder: Path, output: Path, revision: str) -> None:
    """Run the shell command; what it starts ends with it."""
    with output.open("wb") as printed, ThreadPoolExecutor(1) as starter:
        # A signal interrupts the main thread alone, so it cannot come between the start of the process and its number.
        started = starter.submit(
            subprocess.Popen,
            command,
            shell=True,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            status = started.result().wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.result().pid, signal.SIGKILL)
            started.result().wait()
    if status:
        with output.open("rb") as printed:
            printed.seek(max(0, output.stat().st_size - 300))
            said = one_line(printed.read().decode("utf-8", "replace"))
        how = f"exit status {status}" if status > 0 else f"signal {-status}"
        raise RevisionError(f"the set-up command of revision {revision} ended with {how} ({said}); correct it")
