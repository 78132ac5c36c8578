"""Files that are written whole or not touched, and JSON that is read with one sentence for every fault."""

from __future__ import annotations

import errno
import io
import json
import math
import os
import stat
import sys
from collections import Counter
from pathlib import Path
from typing import Any
from weakref import WeakSet

from mechanisms.files.bounded_file import Unreadable, read_bounded
from mechanisms.limits import MOST_DIGITS, MOST_JSON_BYTES, MOST_JSON_LEVELS, MOST_JSON_PARTS
from mechanisms.plain_text import sentence


class ResultsError(ValueError):
    """A results or baseline file cannot be used; one sentence: which file, what is wrong, the remedy."""

    def __init__(self, message: str) -> None:
        super().__init__(sentence(message))


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a JSON document. The file is whole or not touched."""
    write_text(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write ``text`` as :func:`write_bytes` does."""
    # File names and foreign messages may contain half of a surrogate pair.
    write_bytes(text.encode("utf-8", "backslashreplace"), path)


def write_bytes(data: bytes, path: Path) -> None:
    """Write ``data``. A file is replaced in one step. Raises :class:`ResultsError` if the path cannot be written."""
    try:
        if path.exists() and not path.is_file():
            with path.open("wb", buffering=0) as pipe:  # A pipe or /dev/null must not be replaced by a file.
                write_all(data, pipe.fileno())
        else:
            _replace(data, path.resolve())
    except OSError as error:
        raise unwritable(path, error) from error


def require_writable(path: Path) -> None:
    """Raise :class:`ResultsError` if :func:`write_text` would fail, as far as one can know without writing."""
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            return
        parent = next(folder for folder in path.resolve().parents if folder.exists())
        problem = errno.EISDIR if path.is_dir() else 0 if parent.is_dir() else errno.ENOTDIR
        if not problem and not os.access(parent, os.W_OK | os.X_OK):
            problem = errno.EACCES
        if problem:
            raise OSError(problem, os.strerror(problem))
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: Path, error: OSError) -> ResultsError:
    """What to raise where ``error`` says that ``path`` cannot be written."""
    return ResultsError(f"{path} cannot be written ({error.strerror}); choose another path")


def _replace(data: bytes, path: Path) -> None:
    """The new file grows beside the old one, under a name that a later run uses again if this one is killed."""
    if not path.parent.exists():  # Else a file is said to exist, not to be no directory.
        path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{os.fsdecode(os.fsencode(path.name)[:200])}.part")
    with open_locked(part, getattr(os, "O_NOFOLLOW", 0), wait=True) as file:
        try:
            os.ftruncate(file.fileno(), 0)
            write_all(data, file.fileno())
            os.fsync(file.fileno())  # Else a power failure after the renaming may leave an empty file.
            if os.name == "nt":
                file.close()  # Windows does not rename open files.
            os.replace(part, path)  # noqa: PTH105
        except BaseException:
            if is_at(file, part):  # After the renaming the name may belong to another run.
                part.unlink()
            raise


def read_json(path: Path) -> Any:
    """The JSON in ``path``, within the limits of :mod:`mechanisms.limits`. Raises :class:`ResultsError`."""
    try:
        data = read_bounded(path, MOST_JSON_BYTES)
    except Unreadable as error:
        raise ResultsError(f"{path} cannot be read ({error}); check the path") from error.__cause__
    return parse_json(data, path)


def parse_json(data: bytes, path: Path) -> Any:
    """The JSON in ``data``, the content of ``path``, as :func:`read_json` reads it. Raises :class:`ResultsError`."""
    try:
        return _parsed(data)
    except RecursionError:
        raise ResultsError(f"{path} is no JSON of ours ({_TOO_DEEP}); write it again") from None
    except ValueError as error:
        raise ResultsError(f"{path} is no JSON ({error}); write it again") from error


_TOO_DEEP = f"it has more than {MOST_JSON_LEVELS} levels"


def _parsed(data: bytes) -> Any:
    """Raises ValueError and RecursionError."""
    if data.count(b"{") + data.count(b"[") > MOST_JSON_PARTS:
        raise ValueError(f"it has more than {MOST_JSON_PARTS} objects and arrays")
    document = json.loads(
        data.decode("utf-8"),
        parse_constant=no_number,
        parse_int=_integer,
        parse_float=_float,
        object_pairs_hook=_distinct,
    )
    level = [document]
    for _ in range(MOST_JSON_LEVELS):
        level = [part for whole in level for part in _parts(whole) if isinstance(part, (dict, list))]
        if not level:
            return document
    raise ValueError(_TOO_DEEP)


def _parts(whole: Any) -> Any:
    return whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else ()


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number has {len(digits)} digits; {MOST_DIGITS} are the most")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:40]} is too large for float64")
    return number


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two equal keys JSON would keep the last, so that a merge of two files could hide a record."""
    document = dict(pairs)
    if len(document) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {twice[:80]!r} occurs twice in one object")
    return document


def no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


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
