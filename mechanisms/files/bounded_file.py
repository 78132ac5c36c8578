"""Files read whole, if they are regular files of bounded size. Opening a pipe could block, and a device may have no end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mechanisms.errors import MechanismError
from mechanisms.limits import MOST_URDF_BYTES

KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class Unreadable(Exception):
    """A file cannot be read; the message is a clause that says why."""


def read_bounded(path: str | Path, most: int) -> bytes:
    """The bytes of a regular file, at most ``most``. Raises :class:`Unreadable`; nothing but a regular file is opened."""
    try:
        _require_file(Path(path).stat())
        # Should another process replace the file by a pipe meanwhile, opening it does not wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            _require_file(os.fstat(file.fileno()))
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        raise Unreadable(getattr(error, "strerror", None) or str(error)) from error
    # Its status would not do: a file of the system, such as those in /proc, tells no size.
    if len(data) > most:
        raise Unreadable(f"it is larger than {most // 2**20} MiB")
    return data


def read_robot(path: str | Path, what: str) -> bytes:
    """The bytes of a robot's file. Raises :class:`MechanismError`; ``what`` names the file that it should be."""
    try:
        return read_bounded(path, MOST_URDF_BYTES)
    except Unreadable as error:
        raise MechanismError(f"{path}: the file cannot be read ({error}); give the path of {what}") from None


def _require_file(status: os.stat_result) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise Unreadable(f"it is {KINDS.get(kind, 'something else')}, not a regular file")
