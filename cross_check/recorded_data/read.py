"""A recorded file read by the ending of its name: .csv, .json or .npz."""

from __future__ import annotations

from pathlib import Path

from cross_check.recorded_data.read_csv import read_csv
from cross_check.recorded_data.read_json import read_json
from cross_check.recorded_data.read_npz import read_npz
from cross_check.recorded_data.table import RecordedError, Table, read_whole

READERS = {".csv": read_csv, ".json": read_json, ".npz": read_npz}


def read_table(path: Path) -> Table:
    """The table in the file. Raises :class:`RecordedError` and :class:`ResultsError`, with one sentence."""
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise RecordedError(path, "the ending of its name is none of .csv, .json and .npz", "rename it by its format")
    return read(path, read_whole(path))
