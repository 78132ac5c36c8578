"""Which releases of a package there are for a Python, from the index that pip is configured with."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from dalembert.environments.installer import InstallError, run
from dalembert.environments.order import order
from dalembert.environments.requirement import VERSION, EnvironmentsError
from mechanisms.plain_text import one_line

AVAILABLE = re.compile(r"^Available versions: (.*)$", re.MULTILINE)

MOST = 5000
"""So many releases are read."""


def releases(name: str, python: str) -> list[str]:
    """The releases of a package with wheels for this Python, the oldest first; without pre-releases and withdrawn ones.

    pip is asked, as a user would: ``pip index versions``. Raises :class:`EnvironmentsError`.
    """
    failure = f"the index does not tell the releases of {name}"
    with TemporaryDirectory(prefix="dalembert-releases-") as folder:
        command = [_with_pip(python, Path(folder)), "-m", "pip", "index", "versions", name, "--only-binary", ":all:"]
        try:
            printed = run([*command, "--disable-pip-version-check", "--no-input"], failure)
        except InstallError as error:
            raise EnvironmentsError(f"{error}; correct the name, or see whether pip reaches its index") from error
    found = AVAILABLE.search(printed)
    names = [part.strip() for part in found[1].split(",")[:MOST]] if found else []
    known = {name for name in names if re.fullmatch(VERSION, name, re.ASCII)}
    if not known:
        raise EnvironmentsError(f"{failure} ({one_line(printed, 100) or 'pip says nothing'}); bisect between releases by hand")
    return sorted(known, key=order)


def _with_pip(python: str, folder: Path) -> str:
    """This Python, if it has pip; else one in a temporary folder, which gets the pip that Python ships with."""
    try:
        run([python, "-m", "pip", "--version"], "there is no pip")
    except InstallError:
        run([python, "-m", "venv", str(folder / "pip")], f"no environment of {python} can be made")
        return str(folder / "pip" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    return python


def between(known: list[str], first: str, last: str) -> list[str]:
    """The releases after ``first`` and before ``last``."""
    low, high = order(first), order(last)
    return [version for version in known if low < order(version) < high]
