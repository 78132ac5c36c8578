"""Recorded data as JSON: ``columns`` with names and ``rows`` with numbers; ``recorded.schema.json`` describes it."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.recorded_data.number_text import number_from
from cross_check.recorded_data.table import ABOUT, RecordedError, Table, digest_of
from cross_check.results.document import require_valid
from cross_check.results.files import parse_json

SCHEMA = "dalembert-recorded-1"


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    return json.loads(Path(__file__).with_name("recorded.schema.json").read_text("utf-8"))


def read_json(path: Path, data: bytes) -> Table:
    """The table in ``data``, the content of ``path``. Raises :class:`RecordedError` and :class:`ResultsError`."""
    document = parse_json(data, path)
    rows = document.get("rows") if isinstance(document, dict) else None
    if isinstance(rows, list):
        # The schema of every number would take minutes: the rows are read, and so checked, below.
        require_valid({**document, "rows": []}, schema(), path, "docs/recorded.md has the format")
    else:
        require_valid(document, schema(), path, "docs/recorded.md has the format")
    names = [name.strip() for name in document["columns"]]
    if twice := next((name for name, times in Counter(names).items() if times > 1), None):
        raise RecordedError(path, f"the column {twice[:80]!r} occurs twice", "remove one of them")
    numbers = [_row(path, names, row, k) for k, row in enumerate(rows or [])]
    table = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(names))
    about = {name: str(document[name]) for name in ABOUT if name in document}
    columns = {name: table[:, k] for k, name in enumerate(names)}
    return Table(path, digest_of(data), about, columns, [f"row {k}" for k in range(len(numbers))])


def _row(path: Path, names: list[str], row: Any, k: int) -> list[float]:
    if not isinstance(row, list) or len(row) != len(names):
        what = f"{len(row)} numbers" if isinstance(row, list) else "no list of numbers"
        raise RecordedError(path, f"row {k} has {what} and there are {len(names)} columns", "give a number or null for each")
    if all(type(given) is float for given in row):
        return row  # The parser lets no infinite number pass.
    numbers = []
    for name, given in zip(names, row, strict=True):
        try:
            numbers.append(number_from(given))
        except ValueError as error:
            raise RecordedError(path, f"row {k}, column {name[:80]!r}: {error}", "give a finite number, or null") from None
    return numbers
