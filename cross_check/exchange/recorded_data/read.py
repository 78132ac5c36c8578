"""A recorded file read by the ending of its name: .csv, .json, .npz, .h5 or .hdf5.

Recorded data as JSON has ``columns`` with names and ``rows`` with numbers; ``recorded.schema.json`` describes it.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.number_text import number_from
from cross_check.exchange.recorded_data.read_csv import read_csv
from cross_check.exchange.recorded_data.read_hdf5 import read_hdf5
from cross_check.exchange.recorded_data.read_npz import read_npz
from cross_check.exchange.recorded_data.table import ABOUT, RecordedError, Table, numbers_of, read_whole, require_distinct
from cross_check.exchange.results.codec import require_valid, schema_in
from cross_check.exchange.results.files import parse_json

SCHEMA = "dalembert-recorded-1"


def schema() -> dict[str, Any]:
    """The JSON Schema of the file."""
    return schema_in(Path(__file__).with_name("recorded.schema.json"))


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
    require_distinct(path, names)
    numbers = [_row(path, names, row, k) for k, row in enumerate(rows or [])]
    table = np.array(numbers, dtype=np.float64).reshape(len(numbers), len(names))
    about = {name: str(document[name]) for name in ABOUT if name in document}
    columns = {name: table[:, k] for k, name in enumerate(names)}
    return Table(path, about, columns, [f"row {k}" for k in range(len(numbers))])


def _row(path: Path, names: list[str], row: Any, k: int) -> list[float]:
    if not isinstance(row, list) or len(row) != len(names):
        what = f"{len(row)} numbers" if isinstance(row, list) else "no list of numbers"
        raise RecordedError(path, f"row {k} has {what} and there are {len(names)} columns", "give a number or null for each")
    if all(type(given) is float for given in row):
        return row  # The parser lets no infinite number pass.
    return numbers_of(path, f"row {k}", names, row, number_from, "null")


READERS = {".csv": read_csv, ".json": read_json, ".npz": read_npz, ".h5": read_hdf5, ".hdf5": read_hdf5}


def read_table(path: Path) -> Table:
    """The table in the file. Raises :class:`RecordedError` and :class:`ResultsError`, with one sentence."""
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise RecordedError(path, "the ending of its name is none of .csv, .json, .npz and .h5", "rename it by its format")
    data = read_whole(path)
    return replace(read(path, data), digest=sha256(data).hexdigest()[:16])
