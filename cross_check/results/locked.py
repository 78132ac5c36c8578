"""Files that one process writes at a time: a lock that ends with the process, however it ends."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
from pathlib import Path
from weakref import WeakSet

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FAR = 2**40
"""Windows locks bytes, and then nobody else can read them. No file has a byte here."""

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
_held: WeakSet[io.FileIO] = WeakSet()


def open_locked(path: Path, flags: int = 0, wait: bool = False) -> io.FileIO:
    """``path``, open for reading and writing without a buffer, and locked until it is closed. A file is created if there is none.

    ``flags`` are further flags of ``os.open``. Raises BlockingIOError if another process has the lock and ``wait`` is false, and
    other OSError if ``path`` cannot be opened, is no regular file, or is on a file system without locks.
    """
    while True:
        file = io.FileIO(path, "r+", opener=lambda name, _: os.open(name, _FLAGS | flags, 0o666))
        try:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise OSError(errno.EINVAL, "it is no regular file")
            _lock(file.fileno(), wait)
            if is_at(file, path):  # Else the process that had the lock has renamed or removed the file.
                _held.add(file)
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def is_at(file: io.FileIO, path: Path) -> bool:
    """Whether the open ``file`` is the one that ``path`` names."""
    try:
        return not file.closed and os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def write_all(data: bytes, descriptor: int) -> None:
    """Write ``data`` with one call of the system, and with more if it takes only a part."""
    while data:
        data = data[os.write(descriptor, data) :]


def _lock(descriptor: int, wait: bool) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from error
        os.lseek(descriptor, 0, os.SEEK_SET)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _close_in_child() -> None:
    # A lock belongs to the open file, which a forked child shares. A child that outlives its parent would keep the lock.
    for file in list(_held):
        file.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_child)
