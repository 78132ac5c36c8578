"""Recorded data as HDF5: datasets at the file's root, with the names and shapes of NPZ (:mod:`read_npz`).

Links, and datasets whose numbers are in other files, are refused: they would read what the user did not name.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.read_npz import require_bounded, table_of
from cross_check.exchange.recorded_data.table import RecordedError, Table

INSTALL = 'pip install "dalembert[hdf5]"'

BROKEN = (OSError, RuntimeError, ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError)
"""What reading a file raises that is damaged."""


def read_hdf5(path: Path, data: bytes) -> Table:
    """The table in ``data``, the content of ``path``. Raises :class:`RecordedError`."""
    try:
        import h5py
    except ImportError as error:
        raise RecordedError(path, f"HDF5 is read with h5py, which is missing ({error})", INSTALL) from error
    try:
        with h5py.File(io.BytesIO(data), "r") as file:
            datasets = {name: _dataset(h5py, path, file, name) for name in file}
            require_bounded(path, len(datasets), sum(one.size * max(one.dtype.itemsize, 1) for one in datasets.values()))
            arrays = {name: _array(h5py, one) for name, one in datasets.items()}
    except RecordedError:
        raise
    except BROKEN as error:
        raise RecordedError(path, f"it is no HDF5 file that can be read ({error})", "write it again with h5py") from error
    return table_of(path, arrays)


def _dataset(h5py: Any, path: Path, file: Any, name: str) -> Any:
    is_own = isinstance(file.get(name, getlink=True), h5py.HardLink)
    if not is_own or not isinstance(file[name], h5py.Dataset) or file[name].external or file[name].is_virtual:
        raise RecordedError(path, f"{name[:80]!r} is no dataset of its own", "put each array at the root of the file")
    return file[name]


def _array(h5py: Any, one: Any) -> Any:
    """Its numbers, or its text as NumPy's."""
    if h5py.check_string_dtype(one.dtype) is None:
        return one[()]
    text = one.asstr()[()]
    return np.array(text if isinstance(text, str) else text.astype("U"))
