"""The file format of journals: lines with checksums, of which a torn last one is recognised.

Every line is JSON, ``["checksum",content]``, with the CRC-32 of the content's bytes in hexadecimal digits. The content of the
first line says which run it is, ``{"schema": …, "run": header}``. Every further content is ``{"begun": key}`` or
``{"finished": key, "record": …}``. A line is appended with one call of the system. A process or a machine that dies in the
middle of it leaves a last line that does not fit its checksum. Readers ignore it, and the next line replaces it.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cross_check.results.files import ResultsError

SCHEMA = "dalembert-journal-1"

LONGEST = 2**26
"""The most bytes that a line may have."""

_LINE = re.compile(rb'\["([0-9a-f]{8})",(.*)\]\n', re.DOTALL)


@dataclass
class Content:
    """What a journal holds."""

    header: dict[str, Any]
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    begun: dict[str, None] = field(default_factory=dict)
    """Keys, in the order of their first beginning."""
    end: int = 0
    """How many bytes are whole lines."""


def first_line(header: dict[str, Any]) -> bytes:
    return _line({"schema": SCHEMA, "run": header})


def begun_line(key: str) -> bytes:
    return _line({"begun": key})


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
            case {"begun": str(key)}:
                found.begun.setdefault(key)
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
        content = json.loads(match[2], parse_constant=_no_number)
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")
