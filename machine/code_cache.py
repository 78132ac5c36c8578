"""Keeps compiled code and recorded programs in the user's cache folder, so that other processes need not make them again.

A file is named after everything that decides its content. It starts with a
digest of the content, so that a file that was cut or damaged is not used. As the content will run, the folder and the file must
belong to the user, and nobody else may write there. Where that is not so, and where nothing can be written, the machine makes it
each time. ``DALEMBERT_NO_CACHE=1`` asks for that; ``DALEMBERT_NO_CACHE=programs`` asks for it for recorded programs alone.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time

OFF = "DALEMBERT_NO_CACHE"
"""The environment variable that turns the folder off, for reading and for writing."""

INTERRUPTED = 3600
"""Seconds after which a file that was not finished is left over from a process that ended."""


@dataclass(frozen=True)
class FileKind:
    """A kind of files: what users call it, and how many bytes are kept; of more, the oldest files are removed."""

    name: str
    suffix: str
    limit: int


CODE = FileKind("code", ".code", 2**25)
PROGRAMS = FileKind("programs", ".program", 2**28)


class Written:
    """The bytes of each kind that this process has written since it looked for old files."""

    def __init__(self) -> None:
        self.bytes: Counter[FileKind] = Counter()


WRITTEN = Written()


def folder() -> Path:
    """Where the files are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dalembert" / "machine"


def is_off(kind: FileKind) -> bool:
    """Whether nothing of a kind is kept, because :data:`OFF` says so."""
    return os.environ.get(OFF, "") in ("1", kind.name)


def kept(key: str, kind: FileKind = CODE) -> bytes | None:
    """What was kept under a key, if it is whole and the user's own."""
    with suppress(OSError, RuntimeError):
        path = folder() / f"{key}{kind.suffix}"
        if is_off(kind) or not (_is_own(path.parent) and _is_own(path)) or path.stat().st_size > kind.limit:
            return None
        content = path.read_bytes()
        digest, code = content[:32], content[32:]
        if hashlib.sha256(code).digest() == digest:
            os.utime(path)  # so that what is used stays
            return code
    return None


def keep(key: str, content: bytes, kind: FileKind = CODE) -> None:
    """Keep something under a key, whole or not at all."""
    if is_off(kind):
        return
    with suppress(OSError, RuntimeError):
        home = folder()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(home):
            return
        number, name = tempfile.mkstemp(dir=home)  # only the user may read and write it
        try:
            with os.fdopen(number, "wb") as file:
                file.write(hashlib.sha256(content).digest() + content)
            Path(name).replace(home / f"{key}{kind.suffix}")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        _remove_old(home, kind, len(content))


def _remove_old(home: Path, kind: FileKind, written: int) -> None:
    """Remove the oldest files that exceed the limit. Looking for them takes time, so most calls do not."""
    is_first = kind not in WRITTEN.bytes
    WRITTEN.bytes[kind] += written
    if not is_first and WRITTEN.bytes[kind] < kind.limit // 16:
        return
    WRITTEN.bytes[kind] = 0
    files, total = [], 0
    with os.scandir(home) as entries:
        for entry in entries:
            # Another process may remove it at the same time.
            with suppress(FileNotFoundError):
                status = entry.stat(follow_symlinks=False)
                if entry.name.endswith(kind.suffix):
                    files.append((status.st_mtime, status.st_size, entry.path))
                elif entry.name.startswith(tempfile.gettempprefix()) and status.st_mtime < time() - INTERRUPTED:
                    Path(entry.path).unlink()
    for _, size, path in sorted(files, reverse=True):
        total += size
        if total > kind.limit:
            Path(path).unlink(missing_ok=True)


def _is_own(path: Path) -> bool:
    """Whether it belongs to the user and nobody else may write; systems without users in this sense are trusted."""
    if not hasattr(os, "getuid"):
        return True
    status = path.lstat()
    # Opening a pipe would wait for somebody to write.
    is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)
    return is_plain and status.st_uid == os.getuid() and not status.st_mode & 0o022
