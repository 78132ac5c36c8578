"""The tool that makes environments, installs packages and finds releases: uv.

It gets words, never a line for a shell, and installs wheels only: to build a package from its source would run its code, and may
take hours. Which index it asks is the user's own configuration of uv, or else of pip.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from dalembert.environments.requirement import EnvironmentsError, Requirement
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

DAYS = (1, 10, 100, 1000)
"""How much younger than a release its dependencies may be: the first of these that gives all that is needed. A project publishes
the packages of one release within a day. A wheel for another Python, or one that replaces a withdrawn one, may come later."""

ELSEWHERE = ("VIRTUAL_ENV", "UV_TARGET", "UV_PREFIX", "UV_SYSTEM_PYTHON")
"""Variables that would make uv look at, or write to, another environment."""

UNREACHED = re.compile("failed to fetch|connect|timed out|dns|network|in the cache|temporary failure", re.IGNORECASE)
"""What uv says if it reaches no index."""

_DECORATION = re.compile(r"\x1b\[[0-9;]*m|[╰─▶×│├╭]+")
_NOISE = re.compile("warning:|Using |Creating |Resolved ")


class InstallError(EnvironmentsError):
    """uv failed; ``why`` is its own reason, on one line."""

    def __init__(self, message: str, why: str) -> None:
        super().__init__(message)
        self.why = why


@cache
def find_uv() -> str:
    """The path of uv: on the path of programs, or beside the Python that runs this. Raises :class:`EnvironmentsError`."""
    beside = Path(sys.executable).parent / ("uv.exe" if os.name == "nt" else "uv")
    if found := shutil.which("uv") or (str(beside) if beside.is_file() else None):
        return found
    raise EnvironmentsError("environments are made by uv, which is not installed; pip install uv")


def create(folder: Path, python: str) -> None:
    """Make an empty environment of this Python in ``folder``. Raises :class:`EnvironmentsError`."""
    _run(["venv", "--no-project", "--python", python, str(folder)], f"no environment of {python} can be made")


def install(python: Path, words: Sequence[str], what: str) -> str:
    """Install packages from wheels into the environment of ``python``, as they were when the first word was released.

    Returns the day as of which the others are, as 2026-02-19; empty if they are today's, because the index does not tell when
    the release was published, or because no earlier day has all that is needed (:data:`DAYS`). Raises
    :class:`EnvironmentsError`, whose sentence names ``what``.
    """
    failure = f"{what} cannot be installed from wheels"
    published = _newest(str(python), words[0], failure)[1]
    days = [(published + timedelta(n)).isoformat() for n in DAYS] if published else []
    for until in (*days, ""):
        newest = ["--exclude-newer", until] if until else []
        try:
            _run(["pip", "install", "--python", str(python), "--only-binary", ":all:", *newest, "--", *words], failure)
        except InstallError as error:
            if not until or UNREACHED.search(error.why):
                raise
        else:
            break
    return until[:10]


def between(first: Requirement, last: Requirement, python: str) -> list[str]:
    """The releases after ``first`` and before ``last`` with wheels for this Python, the oldest first.

    Pre-releases and withdrawn ones are left out. Raises :class:`EnvironmentsError`.
    """
    found: list[str] = []
    while True:
        word = f"{first.name}>={first.version},!={first.version},<{found[0] if found else last.version}"
        try:
            found.insert(0, _newest(python, word, f"the releases of {first.name} are not known")[0])
        except InstallError as error:
            if UNREACHED.search(error.why):
                raise
            return found


def _newest(python: str, word: str, failure: str) -> tuple[str, datetime | None]:
    """The newest release with wheels for this Python that a word such as ``pin<4`` allows, and when its last wheel was published.

    Both come from a lock file of packaging's standard (PEP 751). Raises :class:`InstallError`.
    """
    words = ["pip", "compile", "--no-deps", "--no-header", "--format", "pylock.toml", "--python", python]
    (package,) = tomllib.loads(_run([*words, "--only-binary", ":all:", "-"], failure, word))["packages"]
    times = [wheel.get("upload-time") for wheel in package.get("wheels", ())]
    return package["version"], None if None in times else max(times, default=None)


def _run(words: Sequence[str], failure: str, given: str = "") -> str:
    """What uv prints. Raises :class:`InstallError` with the sentence ``failure`` and uv's own reason."""
    how: Any = {"env": _variables(), "encoding": "utf-8", "errors": "replace", "timeout": LONGEST, "input": given}
    try:
        done = subprocess.run([find_uv(), "--quiet", *words], capture_output=True, check=False, **how)
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or f"no end within {LONGEST} s"
        raise InstallError(f"{failure} (uv: {why})", why) from error
    if done.returncode:
        why = reason(done.stderr or done.stdout)
        raise InstallError(f"{failure} (uv: {why})", why)
    return str(done.stdout)


def reason(printed: str) -> str:
    """What uv gives as its reason, without decoration, advice and credentials, on one line."""
    lines = (line.strip() for line in _DECORATION.sub("", printed).splitlines())
    said = takewhile(lambda line: not line.startswith("hint:"), (line for line in lines if line and not _NOISE.match(line)))
    text = " ".join(re.sub("^(error|cause):", "", line).strip() for line in said)
    text = text.removeprefix("No solution found when resolving dependencies ") or "it does not say why"
    return one_line(re.sub(r"(?<=://)[^/\s@]*@", "", text), 300)


def _variables() -> dict[str, str]:
    variables = {name: value for name, value in os.environ.items() if name not in ELSEWHERE}
    variables["NO_COLOR"] = "1"
    for setting, value in pip_settings().items():
        ours, *others = FOR_UV.get(setting, ("",))
        if ours and not any(name in variables for name in (ours, *others)):
            variables[ours] = " ".join(value.split())
            variables.setdefault("UV_INDEX_STRATEGY", "unsafe-best-match")  # pip takes all its indexes as one, too.
    return variables


@cache
def pip_settings() -> dict[str, str]:
    """pip's own configuration by name, with what its variables say; empty if there is no pip."""
    command = [sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    settings: dict[str, str] = {}
    for line in done.stdout.splitlines():
        name, _, value = line.partition("=")
        with suppress(ValueError, SyntaxError):
            settings[name.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


def installed(python: Path) -> dict[str, str]:
    """The packages of an environment, with their versions. Raises :class:`EnvironmentsError`."""
    printed = _run(["pip", "list", "--format", "json", "--python", str(python)], f"the packages of {python} cannot be listed")
    return {package["name"]: package["version"] for package in json.loads(printed)}
