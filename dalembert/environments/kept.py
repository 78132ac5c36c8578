"""Environments that are kept: one folder for every requirement and Python, made whole or not used at all.

A folder counts only with the record that is written last. What an interrupted installation leaves has none, and is removed when
the same environment is asked for again. A lock lets processes that want one environment take turns.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated

from cross_check.exchange.results.codec import Frozen, Size, read_document, to_json
from cross_check.exchange.results.files import ResultsError, open_locked, write_json
from dalembert.environments.installer import UNREACHED, InstallError, create, install, installed
from dalembert.environments.requirement import EnvironmentsError, Requirement, normal, same_version
from dalembert.journals import cache
from implementations.plugins.user_code import UserCodeError
from implementations.processes.home import require_python
from mechanisms.plain_text import one_line

SCHEMA = "dalembert-environment-2"

RECORD = "dalembert.json"

Text = Annotated[str, {"maxLength": 1000}]


@dataclass(frozen=True)
class Record(Frozen):
    """What is known of an environment that is whole."""

    requirement: Text
    python: Text
    """Kind and version, platform, and where it is installed."""
    packages: Mapping[str, Text]
    seconds: Size
    """What it took to make it."""
    megabytes: Size


ABOUT = """
import sys, sysconfig
print(sys.implementation.cache_tag, sysconfig.get_platform(), sys.version.split()[0], sys.base_prefix)
"""

NEEDED = "numpy"
"""What a worker needs beside the code under test."""


@dataclass(frozen=True)
class Environment:
    """An environment that is there."""

    folder: Path
    record: Record
    is_new: bool = False
    day: str = ""
    """Of a new one: the day as of which its dependencies are, as 2026-02-19; empty if they are today's."""

    @property
    def python(self) -> str:
        return str(_python(self.folder))


def folder_of_environments() -> Path:
    """The folder of all environments that are kept."""
    return cache() / "environments"


def environment(requirement: Requirement, python: str) -> Environment:
    """The environment with this requirement for this Python; it is made if it is not there.

    What the requirement leaves open is as it was when the release was published. Raises :class:`EnvironmentsError`.
    """
    about = _about(python)
    folder = folder_of_environments() / _name(requirement, about)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = open_locked(folder.with_name(f"{folder.name}.lock"), wait=True)
    except OSError as error:
        remedy = "give another folder by XDG_CACHE_HOME"
        raise EnvironmentsError(f"{folder.parent} cannot be written ({error.strerror}); {remedy}") from error
    with lock:
        return _kept(folder) or _made(folder, requirement, python, about)


def _about(python: str) -> str:
    """What distinguishes a Python: kind and version, platform, and where it is installed."""
    try:
        done = subprocess.run([python, "-I", "-c", ABOUT], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise EnvironmentsError(f"the Python {python!r} cannot be run; give the path of a Python to --python") from error
    return one_line(done.stdout, 1000)


def _name(requirement: Requirement, about: str) -> str:
    digest = hashlib.sha256(f"{requirement}\n{about}\n{SCHEMA}".encode()).hexdigest()[:10]
    return f"{requirement.name}-{requirement.version}-{about.partition(' ')[0]}-{digest}"


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _kept(folder: Path) -> Environment | None:
    """The environment in the folder, if it is whole and its Python still runs."""
    try:
        found = _read(folder)
        require_python(str(_python(folder)))
    except (ResultsError, UserCodeError):
        return None
    return found


def _read(folder: Path) -> Environment:
    remedy = "remove the environment with `dalembert versions --remove`"
    return Environment(folder, read_document(folder / RECORD, Record, SCHEMA, "record", remedy))


def _made(folder: Path, requirement: Requirement, python: str, about: str) -> Environment:
    _remove(folder)
    start = perf_counter()
    try:
        create(folder, python)
        packages, day = _filled(folder, requirement, about)
        record = Record(str(requirement), about, packages, round(perf_counter() - start, 1), round(_megabytes(folder), 1))
        write_json({"schema": SCHEMA, **to_json(record)}, folder / RECORD)
    except BaseException:
        with suppress(OSError):
            _remove(folder)
        raise
    return Environment(folder, record, is_new=True, day=day)


def _filled(folder: Path, requirement: Requirement, about: str) -> tuple[dict[str, str], str]:
    """The packages that were installed, and the day as of which they are."""
    python = _python(folder)
    words = requirement.words
    others = [word for word in words if normal(word).startswith(NEEDED)]
    try:
        day = install(python, [*words, *([] if others else [NEEDED])], f"{requirement}")
    except InstallError as error:
        tag, platform, version, *_ = about.split()
        remedy = f"choose another release, or another Python than {tag} ({version}, {platform}) with --python"
        if UNREACHED.search(error.why):
            remedy = "see whether the index can be reached"
        raise InstallError(f"{error}; {remedy}", error.why) from error
    packages = installed(python)
    there = {normal(name): found for name, found in packages.items()}.get(requirement.name)
    if there is None or not same_version(there, requirement.version):
        found = f"{requirement.name} {there}" if there else f"no {requirement.name}"
        raise EnvironmentsError(f"{requirement} was asked for, and {found} was installed; correct the index")
    try:
        require_python(str(python))
    except UserCodeError as error:
        raise EnvironmentsError(f"{requirement}: {error}") from error
    return packages, day


def _megabytes(folder: Path) -> float:
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_symlink() and path.is_file()) / 1e6


def _remove(folder: Path) -> None:
    """Remove a folder of ours; the record goes first, so that a removal that is interrupted leaves nothing that counts."""
    with suppress(FileNotFoundError):
        (folder / RECORD).unlink()
    if folder.is_symlink():
        folder.unlink()
    elif folder.exists():
        shutil.rmtree(folder)


def kept_environments() -> Iterator[Environment]:
    """The environments that are whole, by name."""
    for folder in _folders():
        with suppress(ResultsError):
            yield _read(folder)


def remove_environments() -> tuple[int, float, list[str]]:
    """Remove all environments that no process is making now: how many, their megabytes, and the names of those left."""
    count, megabytes, left = 0, 0.0, []
    for folder in _folders():
        try:
            lock = folder.with_name(f"{folder.name}.lock")
            with open_locked(lock):
                size = _megabytes(folder)
                _remove(folder)
                lock.unlink()
        except OSError:
            left.append(folder.name)
        else:
            count, megabytes = count + 1, megabytes + size
    return count, megabytes, left


def _folders() -> Sequence[Path]:
    try:
        return sorted(path for path in folder_of_environments().iterdir() if path.is_dir())
    except OSError:
        return []
