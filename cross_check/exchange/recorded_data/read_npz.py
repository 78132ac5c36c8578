"""Recorded data as NPZ: arrays of NumPy by name. Nothing is unpickled.

An array is a column, with one number for every state, or a whole array such as ``q`` (states, nq) or ``mass_matrix`` (states, nv,
nv). The order of a whole array is that of the text arrays ``positions``, ``coordinates``, ``bodies`` and ``parameters``.
"""

from __future__ import annotations

import io
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from cross_check.exchange.recorded_data.columns import ORDERS, STATE_ARRAYS
from cross_check.exchange.recorded_data.number_text import FAILED, is_asked
from cross_check.exchange.recorded_data.table import ABOUT, RecordedError, Table
from cross_check.memory import Array
from mechanisms.limits import MOST_RECORDED_BYTES, MOST_RECORDED_COLUMNS
from mechanisms.quantities import QUANTITIES


def read_npz(path: Path, data: bytes) -> Table:
    """The table in ``data``, the content of ``path``. Raises :class:`RecordedError`."""
    return table_of(path, {name: _array(path, name, content) for name, content in _members(path, data)})


def table_of(path: Path, arrays: dict[str, Any]) -> Table:
    """The table of arrays of numbers and of text, by name. Raises :class:`RecordedError`."""
    about = {name: _text(path, name, arrays.pop(name)) for name in ABOUT if name in arrays}
    orders = {name: _names(path, name, arrays.pop(name)) for name in ORDERS.values() if name in arrays}
    numbers = {name: _numbers(path, name, array) for name, array in arrays.items()}
    if not numbers:
        raise RecordedError(path, "it has no array of numbers")
    lengths = {name: len(array) if array.ndim else -1 for name, array in numbers.items()}
    first = next(iter(lengths))
    for name, length in lengths.items():
        if length != lengths[first] or length < 0:
            shapes = f"has the shape {numbers[name].shape} and {first[:80]!r} {numbers[first].shape}"
            raise _error(path, name, shapes, "give every array one entry for every state")
    blocks = {name: array for name, array in numbers.items() if name in (*STATE_ARRAYS, *QUANTITIES)}
    columns = {name: array for name, array in numbers.items() if name not in blocks}
    if wrong := next((name for name, array in columns.items() if array.ndim != 1), None):
        raise _error(path, wrong, f"has the shape {columns[wrong].shape}", "give one number for every state")
    return Table(path, about, columns, [f"row {k}" for k in range(lengths[first])], blocks, orders)


def require_bounded(path: Path, count: int, size: int) -> None:
    """Raise :class:`RecordedError` for so many arrays that unpack to so many bytes, if these are too many."""
    if count > MOST_RECORDED_COLUMNS:
        raise RecordedError(path, f"it has {count} arrays, more than {MOST_RECORDED_COLUMNS}", "leave quantities out")
    if size > MOST_RECORDED_BYTES:
        raise RecordedError(path, f"it unpacks to more than {MOST_RECORDED_BYTES // 2**20} MiB", "give fewer states")


def _error(path: Path, name: str, problem: str, remedy: str) -> RecordedError:
    """What to raise for one array."""
    return RecordedError(path, f"the array {name[:80]!r} {problem}", remedy)


BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError, OverflowError)
"""What reading an archive raises that is damaged."""


def _members(path: Path, data: bytes) -> list[tuple[str, bytes]]:
    """The files in the archive, by name without ``.npy``; together they are bounded before one of them is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            require_bounded(path, len(infos), sum(info.file_size for info in infos))
            names = [info.filename.removesuffix(".npy") for info in infos]
            if len(set(names)) < len(names):
                raise RecordedError(path, "two of its arrays have one name", "write it again")
            return [(name, archive.read(info)) for name, info in zip(names, infos, strict=True)]
    except RecordedError:
        raise
    except BROKEN as error:
        raise RecordedError(path, f"it is no NPZ file ({error})", "write it again with numpy.savez") from error


def _array(path: Path, name: str, content: bytes) -> Any:
    """The array in the bytes of one NPY file; its shape must fit their number."""
    file = io.BytesIO(content)
    try:
        version = npy.read_magic(file)
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}[version]
        shape, by_columns, dtype = read(file)
        if dtype.hasobject:
            raise _error(path, name, "holds Python objects, which are never loaded", "give numbers")
        if dtype.itemsize == 0 or math.prod(shape) * dtype.itemsize != len(content) - file.tell():
            raise ValueError(f"its size does not fit its shape {str(shape)[:80]}")
        return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape, order="F" if by_columns else "C")
    except RecordedError:
        raise
    except (KeyError, ValueError, TypeError, SyntaxError, OverflowError, RecursionError, MemoryError) as error:
        raise _error(path, name, f"cannot be read ({error})", "write it again with numpy.savez") from error


def _text(path: Path, name: str, array: Any) -> str:
    if array.ndim or array.dtype.kind not in "Uiu":
        raise RecordedError(path, f"{name!r} is no text or whole number", "give one, or leave it out")
    return str(array[()])


def _names(path: Path, name: str, array: Any) -> tuple[str, ...]:
    if array.ndim != 1 or array.dtype.kind != "U":
        raise RecordedError(path, f"{name!r} is no list of names", "give an array of text")
    return tuple(map(str, array))


def _numbers(path: Path, name: str, array: Any) -> Array:
    if array.dtype.kind not in "fiu" or array.dtype.itemsize > 8:
        raise _error(path, name, f"has the type {array.dtype}", "give float64 numbers")
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, np.where(is_asked(numbers), FAILED, np.nan))
