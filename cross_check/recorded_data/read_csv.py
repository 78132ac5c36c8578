"""Recorded data as CSV: a header that names the columns, then one row for every state.

Lines at the beginning that start with ``#`` are comments; ``# mechanism: ur5`` and the like say what the file is about.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import numpy as np

from cross_check.recorded_data.number_text import number_from
from cross_check.recorded_data.table import ABOUT, RecordedError, Table, digest_of
from mechanisms.limits import MOST_RECORDED_COLUMNS


def read_csv(path: Path, data: bytes) -> Table:
    """The table in ``data``, the content of ``path``. Raises :class:`RecordedError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordedError(path, f"byte {error.start} is no UTF-8 text", "save it as CSV in UTF-8") from error
    about, comments, rest = _comments(path, text)
    rows = csv.reader(io.StringIO(rest, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        _require_header(path, header)
        numbers, lines = list[np.ndarray](), list[str]()
        for row in rows:
            if any(cell.strip() for cell in row):
                line = f"line {comments + rows.line_num}"
                numbers.append(_row(path, header, row, line))
                lines.append(line)
    except csv.Error as error:
        raise RecordedError(path, f"line {comments + rows.line_num} is no CSV ({error})", "write it again") from error
    table = np.array(numbers).reshape(len(lines), len(header))
    columns = {name: table[:, k] for k, name in enumerate(header)}
    return Table(path, digest_of(data), about, columns, lines)


def _comments(path: Path, text: str) -> tuple[dict[str, str], int, str]:
    """What the comments at the beginning say, how many lines they are, and the rest."""
    about, count = dict[str, str](), 0
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        key, colon, value = line.lstrip("# ").partition(":")
        if colon and (name := key.strip().lower()) in ABOUT:
            if name in about:
                raise RecordedError(path, f"line {count + 1} says {name!r} again", "leave one of them")
            about[name] = value.strip().strip(",").strip()
        count += 1
    return about, count, text


def _require_header(path: Path, header: list[str]) -> None:
    if len(header) == 1 and (";" in header[0] or "\t" in header[0]):
        raise RecordedError(
            path, "its columns are not separated by commas", "separate them by commas, with points in the numbers"
        )
    if len(header) > MOST_RECORDED_COLUMNS:
        raise RecordedError(path, f"it has {len(header)} columns, more than {MOST_RECORDED_COLUMNS}", "leave quantities out")
    if "" in header or not header:
        raise RecordedError(
            path, f"column {header.index('') + 1 if header else 1} of the header has no name", "name every column"
        )
    if twice := next((name for name, times in Counter(header).items() if times > 1), None):
        raise RecordedError(path, f"the column {twice[:80]!r} occurs twice", "remove one of them")


def _row(path: Path, header: list[str], row: list[str], line: str) -> np.ndarray:
    if len(row) != len(header):
        raise RecordedError(path, f"{line} has {len(row)} cells and the header {len(header)}", "give a cell for every column")
    try:
        return np.array([number_from(cell) for cell in row])
    except ValueError:
        for name, cell in zip(header, row, strict=True):
            try:
                number_from(cell)
            except ValueError as error:
                raise RecordedError(
                    path, f"{line}, column {name[:80]!r}: {error}", "give a finite number, or leave it empty"
                ) from None
        raise
