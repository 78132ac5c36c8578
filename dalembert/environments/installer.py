"""The tools that make environments, install packages and list releases: uv if there is one, otherwise venv and pip.

They get words, never a line for a shell, and install wheels only: to build a package from its source would run its code, and may
take hours. Which index they ask is the user's own configuration of pip and of uv.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from functools import cache
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from dalembert.environments.requirement import VERSION, EnvironmentsError, order
from mechanisms.plain_text import one_line

LONGEST = 3600
"""Seconds that one step of an installation may take."""

FOR_UV = {
    "index-url": ("UV_DEFAULT_INDEX", "UV_INDEX_URL"),
    "extra-index-url": ("UV_INDEX", "UV_EXTRA_INDEX_URL"),
    "find-links": ("UV_FIND_LINKS",),
    "no-index": ("UV_NO_INDEX",),
}
"""pip's settings of the index: the variable that tells uv the same, then others that may say it already."""

QUIETLY = ("--no-input", "--disable-pip-version-check")

LONG_AGO = "2000-01-01"
"""Before the first release of any package."""

DAYS = 3
"""A project publishes the packages of one release, and their wheels, within so many days."""

ELSEWHERE = (
    "PYTHONPATH",
    "PYTHONHOME",
    "PIP_TARGET",
    "PIP_PREFIX",
    "PIP_ROOT",
    "PIP_USER",
    "PIP_REQUIRE_VIRTUALENV",
    "VIRTUAL_ENV",
    "UV_TARGET",
    "UV_PREFIX",
    "UV_SYSTEM_PYTHON",
)
"""Variables that would make an installer look at, or write to, another environment."""

_PUBLISHED = re.compile(r"was published at ([0-9]{4}-[0-9]{2}-[0-9]{2})T")
_DECORATION = re.compile(r"\x1b\[[0-9;]*m|[╰─▶×│├╭]+")
_NOISE = re.compile(r"WARNING|DEPRECATION|\[notice\]|Using |Creating |Resolved |Collecting |Looking |ERROR: Ignored ")


class InstallError(EnvironmentsError):
    """An installer failed; ``why`` is its own reason, on one line."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


@cache
def find_uv() -> str | None:
    """The path of uv: on the path of programs, or beside the Python that runs this."""
    beside = Path(sys.executable).parent / ("uv.exe" if os.name == "nt" else "uv")
    return shutil.which("uv") or (str(beside) if beside.is_file() else None)


def create(folder: Path, python: str) -> None:
    """Make an empty environment of this Python in ``folder``. Raises :class:`InstallError`."""
    failure = f"no environment of {python} can be made"
    if uv := find_uv():
        run([uv, "venv", "--quiet", "--no-project", "--python", python, str(folder)], failure)
    else:
        run([python, "-m", "venv", *(["--without-pip"] if has_pip() else []), str(folder)], failure)


def install(python: Path, words: Sequence[str], what: str, until: str = "") -> None:
    """Install packages from wheels into the environment of ``python``, with ``until`` only what was published until that day.

    Raises :class:`InstallError`, whose sentence names ``what``.
    """
    if uv := find_uv():
        newest = ["--exclude-newer", until] if until else []
        command = [*_uv_install(uv, python), *newest, "--", *words]
    else:
        pip = [sys.executable, "-m", "pip", "--python", str(python)] if has_pip() else [str(python), "-m", "pip"]
        command = [*pip, "install", *QUIETLY, "--only-binary", ":all:", *words]
    run(command, f"{what} cannot be installed from wheels")


def day_after_release(python: Path, word: str) -> str:
    """A day, as 2026-02-19, by which everything was there that was published together with this release: ``pin==3.9.0``.

    uv tells when a release was published if one asks for it as of an earlier day. Raises :class:`EnvironmentsError`.
    """
    uv = find_uv()
    if uv is None:
        raise EnvironmentsError("only uv installs packages as of a day; install uv, or leave --as-released out")
    done = _done([*_uv_install(uv, python), "--dry-run", "--no-deps", "--exclude-newer", LONG_AGO, "--", word], "uv")
    if found := _PUBLISHED.search(" ".join(done.stderr.split())):
        return str(date.fromisoformat(found[1]) + timedelta(days=DAYS))
    remedy = "leave --as-released out, and name older packages beside it, as in pin==2.7.0,numpy<2"
    raise EnvironmentsError(f"the index does not tell when {word} was published (uv: {reason(done.stderr)}); {remedy}")


def _uv_install(uv: str, python: Path) -> list[str]:
    return [uv, "pip", "install", "--quiet", "--python", str(python), "--only-binary", ":all:"]


def run(command: Sequence[str], failure: str) -> str:
    """What a tool prints. Raises :class:`InstallError` with the sentence ``failure`` and the tool's own reason."""
    tool = "uv" if command[0] == find_uv() else next((name for name in ("pip", "venv") if name in command), "Python")
    try:
        done = _done(command, tool)
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or f"no end within {LONGEST} s"
        raise InstallError(f"{failure} ({tool}: {why})", why) from error
    if done.returncode:
        why = reason(done.stderr or done.stdout)
        raise InstallError(f"{failure} ({tool}: {why})", why)
    return done.stdout


def _done(command: Sequence[str], tool: str, seconds: float = LONGEST) -> subprocess.CompletedProcess[str]:
    """What became of a call of a tool, which gets no input."""
    how: Any = {"env": _variables(tool), "encoding": "utf-8", "errors": "replace", "timeout": seconds}
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **how)


def reason(printed: str) -> str:
    """What an installer gives as its reason, without decoration, advice and credentials, on one line."""
    lines = [line.strip() for line in _DECORATION.sub("", printed).splitlines()]
    lines = list(
        takewhile(lambda line: not line.startswith("hint:"), (line for line in lines if line and not _NOISE.match(line)))
    )
    told = [line for line in lines if line.startswith("ERROR:")] or lines  # pip says more than that, uv nothing else.
    text = " ".join(re.sub("^(error|cause):", "", line, flags=re.IGNORECASE).strip() for line in told)
    text = text.removeprefix("No solution found when resolving dependencies ") or "it does not say why"
    if "Retrying (Retry(" in printed:
        # pip's last words are that there is no such release, also where it has reached no index.
        text = f"an index did not connect; {text}"
    return one_line(re.sub(r"(?<=://)[^/\s@]*@", "", text), 300)


def _variables(tool: str) -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    variables["NO_COLOR"] = "1"
    if tool == "uv":
        for setting, value in pip_settings().items():
            ours, *others = FOR_UV.get(setting, ("",))
            if ours and not any(name in variables for name in (ours, *others)):
                variables[ours] = " ".join(value.split())
                variables.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # pip takes all its indexes as one, too.
    return variables


@cache
def has_pip() -> bool:
    """Whether the Python that runs this has pip; otherwise every environment gets the one that its Python ships with."""
    return _done([sys.executable, "-m", "pip", "--version"], "pip", 60).returncode == 0


@cache
def pip_settings() -> dict[str, str]:
    """pip's own configuration by name, with what its variables say; empty if there is no pip."""
    try:
        done = _done([sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"], "pip", 60)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings: dict[str, str] = {}
    for line in done.stdout.splitlines():
        name, _, value = line.partition("=")
        with suppress(ValueError, SyntaxError):
            settings[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


def installed(python: Path) -> dict[str, str]:
    """The packages of an environment, with their versions. Raises :class:`InstallError`."""
    code = "import json; from importlib.metadata import distributions as d; print(json.dumps({x.name: x.version for x in d()}))"
    failure = f"the packages of {python} cannot be listed"
    printed = run([str(python), "-I", "-c", code], failure)
    try:
        listed = dict(json.loads(printed.strip().rpartition("\n")[2]))  # What packages print when Python starts comes before.
    except (TypeError, ValueError) as error:
        raise InstallError(f"{failure}, because a package prints when Python starts; leave it out", str(error)) from error
    return {str(name): str(version) for name, version in sorted(listed.items(), key=lambda pair: pair[0].lower())}


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
