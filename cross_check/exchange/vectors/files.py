"""Files of test vectors: what the corpus consists of, and files that are written whole or compared bit for bit."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from cross_check.exchange.results import ResultsError, read_json, write_text
from cross_check.exchange.results.codec import require_valid
from cross_check.exchange.vectors.document import schema
from mechanisms import Mechanism, robot_names
from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.library.textbook import PLAIN_TEXTBOOK
from mechanisms.limits import MOST_JSON_BYTES
from mechanisms.quantities import GROUPS, QUANTITIES

SUMS = "SHA256SUMS"
"""The file of digests, as ``sha256sum -c`` reads it."""


class Task(NamedTuple):
    """One file to make: the word and the mechanism that it names, and a quantity's name."""

    spec: str
    mechanism: Mechanism
    quantity: str

    @property
    def name(self) -> str:
        """The file's path below the folder of all files. A mechanism's name is foreign text; it stays one plain word here."""
        folder = re.sub(r"[^A-Za-z0-9._+-]+", "-", self.mechanism.name)[:80].strip(".-") or "mechanism"
        return f"{folder}/{self.quantity}.json"


class Made(NamedTuple):
    """What became of a task: the text of the file and how many vectors it has, or why there is none."""

    task: Task
    text: str = ""
    vectors: int = 0
    left_out: str = ""


def require_distinct(tasks: Sequence[Task]) -> None:
    """Raise :class:`ResultsError` if two mechanisms would have one file."""
    owners: dict[str, Task] = {}
    for task in tasks:
        other = owners.setdefault(task.name.lower(), task)
        if other.mechanism is not task.mechanism:
            raise ResultsError(f"{other.spec} and {task.spec} would both be written to {task.name}; write one to another folder")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def write_sums(digests: Mapping[str, str], folder: Path) -> None:
    """Write the digests of files, by name. Raises :class:`ResultsError`."""
    write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items())), folder / SUMS)


def read_sums(folder: Path) -> dict[str, str]:
    """Digests by the names of files; none if the folder has no such file. Raises :class:`ResultsError`."""
    path = folder / SUMS
    lines = (_read(path) or b"").decode("utf-8", "replace").splitlines()
    matches = [re.fullmatch(r"([0-9a-f]{64})  (\S.*)", line) for line in lines]
    for number, match in enumerate(matches, 1):
        if not match:
            raise ResultsError(f"{path} has no digest and name in line {number}; write it again with -o")
    return {match[2]: match[1] for match in matches if match}


def difference(made: Made, folder: Path, sums: Mapping[str, str]) -> str:
    """How the file in ``folder`` differs from what was made, in one sentence; empty if it does not.

    A file that is not there is compared by its digest in ``sums``. Raises :class:`ResultsError` for a file that cannot be read,
    and for one that differs and is no valid file of vectors.
    """
    path = folder / made.task.name
    known, data = sums.get(made.task.name), _read(path)
    if data is None:
        if known is None:
            return f"{path} is missing; write it with -o"
        return "" if known == digest(made.text) else f"{made.task.name} has another digest than {SUMS} says"
    if data == made.text.encode():
        return "" if known in (None, digest(made.text)) else f"{path} is the same, but {SUMS} has another digest"
    there = read_json(path)
    require_valid(there, schema(), path, "write it again with -o")
    where, in_file, now = first_difference(there, json.loads(made.text)) or ("its layout", "other white space", "ours")
    return f"{path} differs at {where}: {in_file} in the file, {now} now"


def first_difference(there: Any, here: Any, path: str = "$") -> tuple[str, str, str] | None:
    """The path of the first difference of two JSON values, and what both have there; None if they are equal."""
    if isinstance(there, dict) and isinstance(here, dict):
        keys = dict.fromkeys((*there, *here))
        pairs = [(f"{path}.{key}", there.get(key, _NOTHING), here.get(key, _NOTHING)) for key in keys]
    elif isinstance(there, list) and isinstance(here, list):
        pairs = [(f"{path}[{k}]", *pair) for k, pair in enumerate(zip_longest(there, here, fillvalue=_NOTHING))]
    else:
        return None if there == here else (path, _short(there), _short(here))
    return next((found for place, one, other in pairs if (found := first_difference(one, other, place))), None)


class _Nothing:
    def __repr__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()


def _short(value: Any) -> str:
    return repr(value)[:80]


def _read(path: Path) -> bytes | None:
    """The bytes of a file, None if there is none. Raises :class:`ResultsError`."""
    try:
        return read_bounded(path, MOST_JSON_BYTES)
    except Unreadable as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise ResultsError(f"{path} cannot be read ({error}); check the path") from error


OF_TEXTBOOK = (
    *GROUPS["dynamics"],
    "inverse_dynamics_with_forces",
    "placements",
    "velocities_aligned",
    "classical_accelerations",
    "center_of_mass",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "inverse_dynamics_dq",
    "inverse_dynamics_dv",
)

OF_ROBOTS = ("inverse_dynamics", "forward_dynamics", "mass_matrix")

LARGEST = 1000
"""The most numbers of one expected value, so that the corpus stays small: a mass matrix of thirty-one coordinates."""


def corpus(
    find: Callable[[str], Mechanism], textbook: Iterable[str] = PLAIN_TEXTBOOK, robots: Iterable[str] = robot_names()
) -> Iterator[Task]:
    """What the corpus consists of, or the part of it on some mechanisms. ``find`` finds mechanisms by name."""
    for specs, quantities in ((textbook, OF_TEXTBOOK), (robots, OF_ROBOTS)):
        for spec in specs:
            mechanism = find(spec)
            for name in quantities:
                if prod(QUANTITIES[name].dimensions(mechanism)) <= LARGEST:
                    yield Task(spec, mechanism, name)
