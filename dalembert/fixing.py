"""Writes the mends that a check found into the user's files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from cross_check.exchange.results.causes import Cause, ChangedLines
from cross_check.exchange.results.files import ResultsError, write_bytes
from mechanisms.plain_text import printable


class Fixed(NamedTuple):
    """The bytes of a file before and after its mends."""

    before: bytes
    after: bytes


def fixed_files(causes: Iterable[Cause]) -> tuple[dict[Path, Fixed], list[str]]:
    """By path: the files with all mends, and one sentence for each change that is left out."""
    changes = dict.fromkeys(change for cause in causes if cause.mend for change in cause.mend.changes)
    left_out: list[str] = []
    files: dict[Path, list[ChangedLines]] = {}
    for change in changes:
        others = files.setdefault(Path(change.file), [])
        if any(_overlap(change, other) for other in others):
            left_out.append(f"{change.file}:{change.line} has another mend, too; check again after this one is written")
        else:
            others.append(change)
    return {path: _fixed(path, changes) for path, changes in files.items()}, left_out


def _overlap(one: ChangedLines, other: ChangedLines) -> bool:
    return one.line < other.line + _count(other) and other.line < one.line + _count(one)


def _count(change: ChangedLines) -> int:
    return change.before.count("\n") + 1


def _fixed(path: Path, changes: Iterable[ChangedLines]) -> Fixed:
    """Raises :class:`ResultsError`."""
    before = _read(path)
    lines = before.decode("utf-8").splitlines(keepends=True)
    for change in sorted(changes, key=lambda one: -one.line):
        first, last = change.line - 1, change.line - 1 + _count(change)
        block = "".join(lines[first:last])
        old, newline = block.strip(), "\r\n" if "\r\n" in block else "\n"
        if "\n".join(old.splitlines()) != change.before:
            raise _changed(path)
        lines[first:last] = [block.replace(old, change.after.replace("\n", newline), 1)]
    return Fixed(before, "".join(lines).encode("utf-8"))


def _read(path: Path) -> bytes:
    """The bytes of a file that may be changed. Raises :class:`ResultsError`."""
    try:
        data = path.read_bytes()
        data.decode("utf-8")
        is_writable = os.access(path, os.W_OK) and path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path} cannot be changed ({error}); change it by hand") from error
    if not is_writable:
        raise ResultsError(f"{path} cannot be changed (it is read-only); make it writable, or change it by hand")
    return data


def _changed(path: Path) -> ResultsError:
    return ResultsError(f"{path} was changed after the check began; check again")


def difference(files: Mapping[Path, Fixed]) -> Iterator[str]:
    """The lines of a unified diff, without line ends."""
    for path, fixed in files.items():
        before, after = (data.decode("utf-8").splitlines() for data in fixed)
        yield from map(printable, unified_diff(before, after, str(path), str(path), lineterm=""))


def write(files: Mapping[Path, Fixed]) -> None:
    """Write the files, if they are as they were. Raises :class:`ResultsError`."""
    if moved := next((path for path, fixed in files.items() if _read(path) != fixed.before), None):
        raise _changed(moved)
    for path, fixed in files.items():
        mode = stat.S_IMODE(path.stat().st_mode)
        write_bytes(fixed.after, path)
        path.resolve().chmod(mode)
