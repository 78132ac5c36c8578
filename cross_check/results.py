"""The results of a run: one JSON document, described by ``results.schema.json``.

Everything that depends on the machine or the hour stands under ``machine`` and ``times``; the rest is a function of
the code, the mechanisms and the seed, byte for byte. Cell ids are ``mechanism/implementation/quantity`` and stay
the same from run to run, so that two runs can be compared cell by cell.
"""

from __future__ import annotations

import errno
import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import jsonschema

SCHEMA = "dalembert-results-1"

Verdict = Literal["agrees", "discrepancy", "known", "failed", "not offered", "unsupported"]

COMPARED = ("agrees", "discrepancy", "known")
"""The verdicts of cells in which numbers were held against the truth."""

INFINITE = 1e99
"""Stands for an infinite error, which JSON has no number for."""


class ResultsError(ValueError):
    """A results or baseline file cannot be used; one sentence: which file, what is wrong, the remedy."""


@dataclass(frozen=True)
class Worst:
    """The state and component of a cell's largest error, with full precision."""

    state: int
    kind: str
    coordinate: str
    inputs: dict[str, list[Any]]
    """By argument: a number for every coordinate, or for forces on bodies six for every body."""
    got: float
    expected: float
    magnitude: float


@dataclass(frozen=True)
class Ulps:
    """How far a cell's answers are from the correctly rounded ones, in units in the last place of these.

    Over all components whose correctly rounded value is not zero. A neighbour is off by one, or by two above a power of
    two. Where large terms cancel, correct code is off by many: only the quantiles say what is usual.
    """

    rounded: float
    """The share that is off by none."""
    median: float
    most: float
    """What 99 in 100 are within."""
    largest: float


@dataclass(frozen=True)
class Cell:
    """One quantity of one mechanism by one implementation."""

    id: str
    mechanism: str
    implementation: str
    quantity: str
    verdict: Verdict
    message: str = ""
    error: float | None = None
    """The largest error in ε-units."""
    errors: list[float] = field(default_factory=list)
    """The largest error of every state, in ε-units, three digits."""
    coordinates: list[float] = field(default_factory=list)
    """The largest error of every coordinate, in the mechanism's order, for quantities that have one for each."""
    worst: Worst | None = None
    ulps: Ulps | None = None
    """In certified runs, but for what is held against an equation, as forward dynamics is."""


@dataclass(frozen=True)
class Invariant:
    """A property that an implementation must have whatever the truth is."""

    id: str
    mechanism: str
    implementation: str
    name: str
    verdict: Verdict
    message: str = ""
    error: float | None = None
    """The largest violation in ε-units."""


@dataclass(frozen=True)
class MechanismSummary:
    """What was compared: a mechanism, and what served as truth about it."""

    name: str
    spec: str
    bodies: int
    nq: int
    nv: int
    fingerprint: str
    coordinates: list[str]
    truth: str
    bridge: dict[str, float]
    """Oracle against reference, both in extended precision, per quantity in ε-units; where the truth is certified, that
    against the reference in float64."""
    kinds: list[str]
    """The kind of every state."""
    faults: dict[str, str] = field(default_factory=dict)
    """Bodies whose inertia no body can have, and why: accepted on request."""
    equations: dict[str, Any] | None = None
    certified: dict[str, int] | None = None
    """Where the truth is certified, the largest precision that it took, in ``bits``, and how many values count as ``ties``."""
    positions: list[str] = field(default_factory=list)
    """A name for every component of q."""


@dataclass(frozen=True)
class ImplementationSummary:
    name: str
    spec: str
    version: str


@dataclass(frozen=True)
class Skipped:
    """What was asked for and not done, and why."""

    what: str
    why: str


@dataclass
class Results:
    """A run, filled as it goes, so that an interrupted one keeps what it has finished."""

    settings: dict[str, Any]
    implementations: list[ImplementationSummary] = field(default_factory=list)
    mechanisms: list[MechanismSummary] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    interrupted: bool = False
    machine: dict[str, str] = field(default_factory=dict)
    times: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {"schema": SCHEMA, **asdict(self)}


def outcome(document: dict[str, Any]) -> int:
    """The exit code that a document stands for: 0 agree, 1 discrepancy, 3 something failed, 5 nothing compared."""
    verdicts = [item["verdict"] for item in (*document["cells"], *document["invariants"])]
    if "discrepancy" in verdicts:
        return 1
    if "failed" in verdicts:
        return 3
    return 0 if any(cell["verdict"] in COMPARED for cell in document["cells"]) else 5


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    return json.loads(Path(__file__).with_name("results.schema.json").read_text("utf-8"))


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a JSON document; the file is whole or not touched."""
    write_text(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write ``text``, to a file atomically. Raises :class:`ResultsError` where the path cannot be written."""
    try:
        if path.exists() and not path.is_file():
            _write(text, path)  # a pipe or /dev/null, which must not be replaced by a file
        else:
            _replace(text, path.resolve())
    except OSError as error:
        raise _unwritable(path, error) from error


def require_writable(path: Path) -> None:
    """Raise :class:`ResultsError` where :func:`write_text` would, as far as can be told without writing."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            return
        above = next(folder for folder in path.resolve().parents if folder.exists())
        wrong = errno.EISDIR if path.is_dir() else 0 if above.is_dir() else errno.ENOTDIR
        if not wrong and not os.access(above, os.W_OK | os.X_OK):
            wrong = errno.EACCES
        if wrong:
            raise OSError(wrong, os.strerror(wrong))
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ResultsError:
    return ResultsError(f"{path} cannot be written ({error.strerror}); choose another path")


def _replace(text: str, path: Path) -> None:
    if not path.parent.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}."[:100])
    os.close(handle)
    try:
        _write(text, Path(name))
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _write(text: str, path: Path) -> None:
    # File names and foreign messages may hold half of a surrogate pair.
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def read_results(path: Path) -> dict[str, Any]:
    """The document in ``path``, validated. Raises :class:`ResultsError`."""
    document = read_json(path)
    found = document.get("schema") if isinstance(document, dict) else None
    if found != SCHEMA:
        mismatch = f"schema {found!r}, not {SCHEMA!r}"
        raise ResultsError(f"{path} is no results file of this version ({mismatch}); run `dalembert check` again")
    problem = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema()).iter_errors(document))
    if problem:
        raise ResultsError(f"{path} is damaged at {problem.json_path}: {problem.message[:200]}; run `dalembert check` again")
    return document


def read_json(path: Path) -> Any:
    """The JSON in ``path``. Raises :class:`ResultsError`."""
    try:
        return json.loads(path.read_text("utf-8"), parse_constant=_no_number)
    except OSError as error:
        raise ResultsError(f"{path} cannot be read ({error.strerror}); check the path") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path} is no JSON ({error}); write it again") from error


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")
