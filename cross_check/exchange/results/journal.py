"""The journal of a run: every finished result is on disk at once, and survives any end of the process.

Every line is JSON, ``["checksum",content]``, with the CRC-32 of the content's bytes in hexadecimal digits. The content of the
first line says which run it is, ``{"schema": …, "run": header}``. Every further content is ``{"finished": key, "record": …}``, or
``{"begun": key}`` of an earlier version, which says nothing. A line is appended with one call of the system. A process or a
machine that dies in the middle of it leaves a last line that does not fit its checksum. Readers ignore it, and the next line
replaces it.
"""

from __future__ import annotations

import io
import json
import os
import re
import threading
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import Any

from cross_check.exchange.results.files import ResultsError, no_number, open_locked, write_all
from mechanisms.plain_text import one_line

SCHEMA = "dalembert-journal-1"

LONGEST = 2**26
"""The most bytes that a line may have."""

_LINE = re.compile(rb'\["([0-9a-f]{8})",(.*)\]\n', re.DOTALL)

SYNC_SECONDS = 1.0
"""How often the system is asked to write to the disk. The end of a process loses nothing, a power failure what is newer."""


@dataclass
class Content:
    """What a journal holds."""

    header: dict[str, Any]
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    end: int = 0
    """How many bytes are whole lines."""


class Journal:
    """A journal that this process writes. One process at a time can; threads may share it; a forked child has it closed.

    Headers and records are plain JSON data, as ``to_json`` gives it. A method raises :class:`ResultsError` if the disk is full or
    fails. Whatever it raises, what was finished stays, and the next call goes on after the last whole line.
    """

    def __init__(self, path: Path, file: io.FileIO, content: Content) -> None:
        """Internal: use :meth:`open`."""
        self.path, self._file, self._content = path, file, content
        self._synced = monotonic()
        self._turn = threading.Lock()

    @classmethod
    def open(cls, path: Path, given: Mapping[str, Any], resume: bool = False) -> Journal:
        """A new journal whose header is ``given``, which says all that the results depend on.

        To ``resume``, that of a run that ended early, if there is one. Raises :class:`ResultsError` if there is a file already
        that is not empty, or to resume, if its header is another one.
        """
        header = json.loads(json.dumps(given))
        try:
            if not path.parent.exists():  # Else a file is said to exist, not to be no directory.
                path.parent.mkdir(parents=True, exist_ok=True)
            file = open_locked(path.resolve(), os.O_APPEND)
            try:
                return cls._begin(path, file, header, resume)
            except BaseException:
                file.close()
                raise
        except BlockingIOError as error:
            raise ResultsError(
                f"{path} is the journal of a run that still goes on; wait for it, or choose another path"
            ) from error
        except OSError as error:
            raise ResultsError(f"{path} cannot be written ({error.strerror}); choose another path") from error

    @classmethod
    def _begin(cls, path: Path, file: io.FileIO, header: dict[str, Any], resume: bool) -> Journal:
        first = first_line(header)
        present = file.read(len(first))
        if len(present) < len(first) and first.startswith(present):  # Empty, or a run died while it wrote this line.
            journal = cls(path, file, Content(header))
            journal._append(first)
            return journal
        if not resume:
            raise ResultsError(f"{path} exists; resume its run, remove the file, or choose another path")
        content = read_content(path)
        if difference := _difference(content.header, header):
            raise ResultsError(f"{path} is the journal of another run: {difference}; repeat that run, or start a new one")
        return cls(path, file, content)

    @property
    def finished(self) -> Mapping[str, dict[str, Any]]:
        """The records by key, in the order in which they were added."""
        return MappingProxyType(self._content.records)

    def add(self, key: str, record: dict[str, Any]) -> None:
        """Keep the record of finished work. Of two records with one key, the later one counts."""
        self._append(finished_line(key, record))
        self._content.records[key] = record
        if monotonic() - self._synced >= SYNC_SECONDS:
            self._sync()

    def close(self) -> None:
        """Write to the disk itself, and let other processes have the journal."""
        try:
            if not self._file.closed:
                self._sync()
        finally:
            self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, line: bytes) -> None:
        try:
            with self._turn:
                descriptor = self._file.fileno()
                if os.fstat(descriptor).st_size != self._content.end:  # The line before was interrupted, or the disk was full.
                    os.ftruncate(descriptor, self._content.end)
                write_all(line, descriptor)
                self._content.end += len(line)
        except OSError as error:
            raise self._failed(error) from error

    def _sync(self) -> None:
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failed(error) from error
        self._synced = monotonic()

    def _failed(self, error: OSError) -> ResultsError:
        return ResultsError(
            f"{self.path} cannot be written ({error.strerror}); it keeps what was finished: make room, and resume"
        )


def read_journal(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The header and the records by key in ``path``, also while its run goes on. Raises :class:`ResultsError`."""
    content = read_content(path)
    return content.header, content.records


def _difference(there: Any, here: Any, where: str = "") -> str:
    """The first difference of two headers, in words; empty if they are equal."""
    pairs: dict[str, tuple[Any, Any]]
    if isinstance(there, dict) and isinstance(here, dict):
        pairs = {key: (there.get(key), here.get(key)) for key in there | here}
    elif isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        pairs = {str(k): pair for k, pair in enumerate(zip(there, here, strict=True), 1)}
    else:
        return "" if there == here else f"{where} is {_short(there)} there and {_short(here)} here"
    differences = (_difference(*pair, f"{where}.{key}".strip(".")) for key, pair in pairs.items())
    return next(filter(None, differences), "")


def _short(value: Any) -> str:
    return one_line(json.dumps(value, ensure_ascii=False), 60)


def is_journal(path: Path) -> bool:
    """Whether the file in ``path`` begins as a journal does."""
    try:
        if not path.is_file():  # Of a pipe, what is read here would be missing later.
            return False
        with path.open("rb") as file:
            return SCHEMA.encode() in file.read(200)
    except OSError:
        return False


def first_line(header: dict[str, Any]) -> bytes:
    return _line({"schema": SCHEMA, "run": header})


def finished_line(key: str, record: dict[str, Any]) -> bytes:
    return _line({"finished": key, "record": record})


def _line(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    line = b'["%08x",%b]\n' % (zlib.crc32(text), text)
    if len(line) > LONGEST:
        raise ResultsError(
            f"a record of {len(line)} bytes is too long for a journal, which takes {LONGEST}; ask for fewer states"
        )
    return line


def read_content(path: Path) -> Content:
    """Everything that the journal ``path`` holds. Raises :class:`ResultsError`."""
    try:
        if not path.is_file():
            raise ResultsError(f"{path} is no file; check the path")
        with path.open("rb") as file:
            line = file.readline(LONGEST)
            first = _content(line)
            if first is None or first.get("schema") != SCHEMA or not isinstance(first.get("run"), dict):
                raise ResultsError(f"{path} is no journal of this version ({SCHEMA!r}); check the path, or start a new run")
            return _read_lines(Content(first["run"], end=len(line)), path, file)
    except OSError as error:
        raise ResultsError(f"{path} cannot be read ({error.strerror}); check the path") from error


def _read_lines(found: Content, path: Path, file: io.BufferedReader) -> Content:
    damaged = 0
    for number, line in enumerate(iter(partial(file.readline, LONGEST), b""), 2):
        content = _content(line)
        if content is None:
            damaged = damaged or number
            continue
        if damaged:  # Nothing is ever written behind a torn line, so the file was changed.
            raise ResultsError(f"{path} is damaged at line {damaged}; remove this line, and its work is done again")
        match content:
            case {"begun": str()}:
                pass
            case {"finished": str(key), "record": dict(record)}:
                found.records[key] = record
            case _:
                raise ResultsError(f"{path} has an unknown entry in line {number}; remove this line, or start a new run")
        found.end += len(line)
    return found


def _content(line: bytes) -> dict[str, Any] | None:
    """What a line says; None if it is torn or damaged."""
    match = _LINE.fullmatch(line)
    if match is None or zlib.crc32(match[2]) != int(match[1], 16):
        return None
    try:
        content = json.loads(match[2], parse_constant=no_number)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
