"""Recorded data as CSV: a header that names the columns, then one row for every state.

Lines that start with ``#`` are comments; at the beginning, ``# mechanism: ur5`` and the like say what the file is about. Columns
are separated by commas, semicolons, tabs or spaces. Where commas do not separate columns, numbers may have decimal commas.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from cross_check.exchange.recorded_data.columns import NUMBER, TIMES
from cross_check.exchange.recorded_data.number_text import is_failed, number_from, with_comma, with_points
from cross_check.exchange.recorded_data.table import ABOUT, RecordedError, Table, numbers_of, require_distinct
from mechanisms.limits import MOST_RECORDED_COLUMNS
from mechanisms.plain_text import one_line

SHORTEST = 4
"""So many letters of a fact's name tell it from other words."""


def read_csv(path: Path, data: bytes) -> Table:
    """The table in ``data``, the content of ``path``. Raises :class:`RecordedError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecordedError(path, f"byte {error.start} is no UTF-8 text", "save it as CSV in UTF-8") from error
    about, comments, rest = _comments(path, text)
    separator = _separator(rest.strip().partition("\n")[0])
    rows = partial(_rows, path, rest, separator, len(comments))
    has_points = separator == "," or with_points(cell for _, row in rows() for cell in row)
    header, skipped, is_given = _header(comments, next((row for _, row in rows()), []), separator, has_points)
    _require_header(path, header)
    numbers, lines = list[np.ndarray](), list[str]()
    for line, row in islice(rows(), skipped, None):
        numbers.append(_row(path, header, row, line, has_points))
        lines.append(line)
    table = np.array(numbers).reshape(len(lines), len(header))
    if header[0] == "":
        # Spreadsheets and data frames write the number of the row, or the time, without a name.
        header[0] = NUMBER if NUMBER not in header and np.array_equal(table[:, 0], np.arange(len(lines))) else TIMES[0]
    columns = {name: table[:, k] for k, name in enumerate(header)}
    return Table(path, about, columns, lines, has_names=is_given)


def _comments(path: Path, text: str) -> tuple[dict[str, str], list[str], str]:
    """What the comments at the beginning say, their lines, and the rest."""
    about, lines = dict[str, str](), list[str]()
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        lines.append(line)
        if found := _fact(line):
            name, value, is_exact = found
            if not is_exact:
                remedy = f"write '# {name}: {one_line(value, 60)}', or other words if it is a comment"
                raise RecordedError(path, f"line {len(lines)} says {one_line(line, 60)!r}, which has no meaning", remedy)
            if name in about:
                raise RecordedError(path, f"line {len(lines)} says {name!r} again", "leave one of them")
            about[name] = value
    return about, lines, text


def _fact(comment: str) -> tuple[str, str, bool] | None:
    """The fact of :data:`ABOUT` that a comment states, its value, and whether it is written as it should be; None for other
    comments. "precision = float32", "precison: float32", "prec: float32" and "precision float32" are not."""
    text = comment.strip().strip("# ,")
    word, separator, value = next((parts for mark in ":=" if (parts := text.partition(mark))[1]), text.partition(" "))
    name, value = word.strip().lower(), value.strip()
    if name in ABOUT and (separator != " " or len(value.split()) == 1):
        return name, value, separator == ":"
    if separator == " " or len(name) < SHORTEST:
        return None
    meant = get_close_matches(name, ABOUT, 1, 0.75) or [fact for fact in ABOUT if fact.startswith(name)]
    return (meant[0], value, False) if meant else None


def _separator(line: str) -> str:
    """What separates the columns of this line: commas, semicolons, tabs, or spaces."""
    if ";" in line or "\t" in line:
        line = re.sub(r"(?<=[0-9]),(?=[0-9])", ".", line)
    best = max(",;\t", key=line.count)
    return best if best in line else " " if " " in line.strip() else ","


def _rows(path: Path, text: str, separator: str, before: int) -> Iterator[tuple[str, list[str]]]:
    """What to call each row that is neither empty nor a comment, and its cells. ``before`` lines are before the text."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    if separator == " ":
        lines = (line.strip() + "\n" for line in lines)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=separator == " ", strict=True)
    try:
        for row in rows:
            is_comment = bool(row) and row[0].lstrip().startswith("#") and not is_failed(row[0])
            if is_comment and (found := _fact(",".join(row))):
                said = f"line {before + rows.line_num} says {found[0]!r} below the names of the columns"
                raise RecordedError(path, said, "move it to the beginning of the file")
            if any(cell.strip() for cell in row) and not is_comment:
                yield f"line {before + rows.line_num}", row
    except csv.Error as error:
        raise RecordedError(path, f"line {before + rows.line_num} is no CSV ({error})", "write it again") from error


def _header(comments: list[str], first: list[str], separator: str, has_points: bool) -> tuple[list[str], int, bool]:
    """The names of the columns, how many rows they take, and whether the file has them: in the first row, or in the last comment
    if the first row has numbers. Without names, the columns have their numbers as names."""
    names = [name.strip() for name in first]
    try:
        is_numbers = bool(names) and all(np.isfinite(_number(cell, has_points)) for cell in names)
    except ValueError:
        is_numbers = False
    if not is_numbers:
        return names, 1, True
    said = next(csv.reader([comments[-1].lstrip("# ")], delimiter=separator, skipinitialspace=True), []) if comments else []
    if len(said) == len(names):
        return [name.strip() for name in said], 0, True
    return [str(k + 1) for k in range(len(names))], 0, False


def _require_header(path: Path, header: list[str]) -> None:
    if len(header) > MOST_RECORDED_COLUMNS:
        raise RecordedError(path, f"it has {len(header)} columns, more than {MOST_RECORDED_COLUMNS}", "leave quantities out")
    if "" in header[1:] or header in ([], [""]):
        place = header.index("", 1) + 1 if header[1:] else 1
        raise RecordedError(path, f"column {place} of the header has no name", "name every column")
    require_distinct(path, header)


def _row(path: Path, header: list[str], row: list[str], line: str, has_points: bool) -> np.ndarray:
    if len(row) != len(header):
        raise RecordedError(path, f"{line} has {len(row)} cells and the header {len(header)}", "give a cell for every column")
    number = partial(_number, has_points=has_points)
    return np.array(numbers_of(path, line, header, row, number, "leave it empty"))


def _number(cell: str, has_points: bool) -> float:
    return number_from(cell if has_points else with_comma(cell))
