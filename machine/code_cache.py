"""Keeps compiled code in the user's cache folder, so that it is compiled once per computer and not once per process.

A file is named after everything that decides its content: the text, the processor and the version of LLVM. It starts with a
digest of the code, so that a file that was cut or damaged is not used. As the code will run, the folder and the file must belong
to the user, and nobody else may write there. Where that is not so, and where nothing can be written, the machine compiles each
time.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

FILES = 200
"""The largest number of files that are kept; the oldest are removed first."""

SUFFIX = ".code"


def folder() -> Path:
    """Where the code is kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "dalembert" / "machine"


def kept(key: str) -> bytes | None:
    """The code that was kept under a key, if it is whole and the user's own."""
    with suppress(OSError, RuntimeError):
        path = folder() / f"{key}{SUFFIX}"
        if not (_is_own(path.parent) and _is_own(path)):
            return None
        content = path.read_bytes()
        digest, code = content[:32], content[32:]
        if hashlib.sha256(code).digest() == digest:
            os.utime(path)  # so that what is used stays
            return code
    return None


def keep(key: str, code: bytes) -> None:
    """Keep code under a key, whole or not at all."""
    with suppress(OSError, RuntimeError):
        home = folder()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(home):
            return
        number, name = tempfile.mkstemp(dir=home)  # only the user may read and write it
        try:
            with os.fdopen(number, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            Path(name).replace(home / f"{key}{SUFFIX}")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
        for old in sorted(home.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)[:-FILES]:
            old.unlink(missing_ok=True)


def _is_own(path: Path) -> bool:
    """Whether it belongs to the user and nobody else may write; systems without users in this sense are trusted."""
    if not hasattr(os, "getuid"):
        return True
    status = path.lstat()
    return status.st_uid == os.getuid() and not status.st_mode & 0o022
