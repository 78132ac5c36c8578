"""The error of every state in one NPZ file: a float32 array per cell, in ε-units, NaN where a cell was not compared.

The arrays are written block by block into a folder beside the file, so that memory does not grow with the number of states.
At the end they become one file in one step. A key of the file is the cell's id with special characters quoted as in URLs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import numpy as np

from cross_check.exchange.results.files import unwritable
from cross_check.exchange.results.objects import Cell

DTYPE, CHUNK = np.dtype("<f4"), 2**18
"""Of the arrays, and how many numbers are written at once where there is no error yet."""


class ErrorFile:
    """Collects the errors of a run with ``states`` states and writes them to ``path``. A context: an exception leaves no file.

    Raises :class:`~cross_check.exchange.results.files.ResultsError` if the path cannot be written or the disk is full.
    """

    _folder: Path
    """A temporary one, from the beginning of the context on."""

    def __init__(self, path: Path, states: int) -> None:
        self.path, self.states = path.resolve(), states
        self._names: dict[str, str] = {}
        """By key, the name of its file in the folder."""

    def __enter__(self) -> ErrorFile:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._folder = Path(tempfile.mkdtemp(dir=self.path.parent, prefix=f".{self.path.name}."[:100]))
        except OSError as error:
            raise unwritable(self.path, error) from error
        return self

    def add(self, cell: Cell, first: int) -> None:
        """Write ``cell.errors``, those of the states from number ``first`` on. Blocks may come in any order and again."""
        if not cell.errors:
            return
        try:
            # Not a memory map: on a full disk, writing to one ends the process.
            with self._file(key_of(cell)).open("r+b") as file:
                file.seek((first - self.states) * DTYPE.itemsize, os.SEEK_END)
                with np.errstate(over="ignore"):  # What is too large for float32, 1e99 among it, is infinite.
                    file.write(np.asarray(cell.errors).astype(DTYPE).tobytes())
        except OSError as error:
            raise unwritable(self.path, error) from error

    def _file(self, key: str) -> Path:
        file = self._folder / self._names.setdefault(key, f"{len(self._names)}.npy")
        if not file.exists():
            header = {"descr": np.lib.format.dtype_to_descr(DTYPE), "fortran_order": False, "shape": (self.states,)}
            with file.open("wb") as empty:
                np.lib.format.write_array_header_1_0(empty, header)
                for k in range(0, self.states, CHUNK):
                    empty.write(np.full(min(CHUNK, self.states - k), np.nan, DTYPE).tobytes())
        return file

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            if error is None:
                whole = self._folder / "whole.npz"
                with zipfile.ZipFile(whole, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
                    for key, name in self._names.items():
                        archive.write(self._folder / name, f"{key}.npy")
                        (self._folder / name).unlink()
                whole.replace(self.path)
        except OSError as problem:
            raise unwritable(self.path, problem) from problem
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)


def key_of(cell: Cell) -> str:
    """The cell's id, in which nothing can be taken for another folder when the file is unpacked."""
    parts = (cell.mechanism, cell.implementation, cell.quantity)
    return "/".join(quote(part, safe=" ()+,=", errors="backslashreplace").replace("..", "%2E%2E") for part in parts)
