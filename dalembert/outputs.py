"""The files that a run reads and writes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from itertools import chain
from pathlib import Path
from typing import Any

from cross_check.exchange.results import Results, ResultsError, write_json, write_text
from cross_check.exchange.results.files import require_writable
from dalembert.renderings import RENDERINGS
from implementations.languages.program import CannotStart, words_of
from implementations.plugins.user_mechanism import FILE, NAMES
from mechanisms.library.by_name import split_prefixes

WRITTEN = ("output", *(kind.option for kind in RENDERINGS))
"""The options that name a file about the results; "output" is the JSON document."""

ERRORS = "errors"
"""The option that names the file with the error of every state."""


def require_outputs(paths: Mapping[str, Any], inputs: Iterable[Path] = ()) -> None:
    """Raise :class:`ResultsError` if an output cannot be written, is named twice, or is one of the ``inputs``.

    This happens before the run, when nothing can be lost yet. ``paths`` holds the outputs by option, and the inputs of the
    report under ``results`` and ``proofs``.
    """
    proofs = tuple(paths.get("proofs") or ())
    if proofs:
        from cross_check.prove.proof_files import read_proofs

        read_proofs(proofs)
        if not paths.get("report"):
            raise ResultsError(f"{proofs[0]} is for the report, and no report is asked for; add --report FILE")
    outputs = [paths[name] for name in (*WRITTEN, ERRORS, "journal", "baseline") if paths.get(name)]
    named = [*proofs, *([paths["results"]] if paths.get("results") else []), *outputs]
    for k, path in enumerate(named):
        if any(_is_same(path, other) for other in named[:k]):
            raise ResultsError(f"{path} is named twice, so that one file would destroy the other; choose another path")
    known = list(inputs)
    for path in outputs:
        if read := next((file for file in known if _is_same(path, file)), None):
            raise ResultsError(f"{path} is also an input ({read}), which the output would destroy; choose another path")
        require_writable(path)


def remove_earlier(paths: Mapping[str, Any], inputs: Sequence[Path] = ()) -> None:
    """Remove what an earlier run wrote under these names: a run that is killed must not leave a verdict that is not its own.

    A file that is one of the ``inputs`` stays.
    """
    for path in (Path(paths[name]) for name in (*WRITTEN, ERRORS) if paths.get(name)):
        if is_file(path) and not any(_is_same(path, file) for file in inputs):
            with suppress(OSError):
                path.resolve().unlink()


def is_file(path: Path) -> bool:
    """Whether there is such a file; a name that no system allows is none."""
    return holds(path.is_file)


def is_page(output: Path | None) -> bool:
    """Whether the output is to be a page."""
    return output is not None and output.suffix.lower() in (".html", ".htm")


def holds(question: Callable[[], bool]) -> bool:
    """The answer of the file system; no where a name is none that the system allows, or links go round in a circle."""
    try:
        return question()
    except (OSError, RuntimeError, ValueError):
        return False


def input_files(mechanisms: Iterable[str] = (), implementations: Iterable[str] = ()) -> list[Path]:
    """The files that these words name: URDF files, Python files, and modules as far as one knows without importing them."""
    words = [word for spec in mechanisms if (word := split_prefixes(spec)[1]) not in NAMES]
    files = []
    for word in (*words, *chain.from_iterable(map(words_that_name_files, implementations))):
        if match := FILE.fullmatch(word):
            with suppress(RuntimeError):  # "~name" of nobody.
                files.append(Path(match["file"]).expanduser())
        elif "/" not in word and (module := _module_file(word.partition(":")[0])):
            files.append(module)
        files.append(Path(word))
    return [file for file in files if holds(file.exists)]


def words_that_name_files(implementation: str) -> list[str]:
    """The words that may name a file: those of a command, the file of a library or of recorded data, or the whole."""
    prefix, _, rest = implementation.partition(":")
    if prefix != "cmd":
        return [rest if prefix in ("lib", "recorded") else implementation]
    with suppress(CannotStart):
        return words_of(rest)
    return []


def _module_file(module: str) -> Path | None:
    folders: Iterable[str] = (str(Path.cwd()), *sys.path)
    spec = None
    for part in module.split("."):
        try:
            spec = PathFinder.find_spec(part, [*folders]) if part else None
        except (OSError, ValueError):  # No name of a file.
            return None
        if spec is None:
            return None
        folders = spec.submodule_search_locations or ()
    return Path(spec.origin) if spec and spec.origin else None


def _is_same(one: Path, other: Path) -> bool:
    """Whether both are one file: by another spelling, by a symbolic link, or by a hard link."""
    if holds(lambda: os.path.realpath(one) == os.path.realpath(other)):
        return True
    return holds(lambda: one.exists() and other.exists() and one.samefile(other))


def write_outputs(results: Results, paths: Mapping[str, Any]) -> None:
    """Write the files asked for under :data:`WRITTEN`, each whole or not at all.

    The report shows the proofs in the files under ``proofs``. If one file cannot be written, the others are still written;
    then the error is raised.
    """
    problems: list[Exception] = []
    if path := paths.get("output"):
        try:
            write_json(results.document(), path)
        except ResultsError as error:
            problems.append(error)
    for kind in RENDERINGS:
        if path := paths.get(kind.option):
            try:
                write_text(kind.render(results, tuple(paths.get("proofs", ()))), path)
                print(f"wrote {path}", file=sys.stderr)
            except Exception as error:
                problems.append(error)
    for problem in problems:
        if not isinstance(problem, ResultsError):
            raise problem
    if problems:
        raise ResultsError("; ".join(map(str, problems)))
