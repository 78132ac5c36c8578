"""Where code under test lives: its folder, its Python, and the folder that it must not be loaded from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from implementations.plugins.user_code import OURS, UserCodeError
from mechanisms.plain_text import one_line

_NESTED = (__package__ or "").startswith("dalembert.")

NAMES = ["dalembert"] if _NESTED else sorted({*(path.name for path in OURS), "dalembert"})
"""The packages of ours that another Python must find."""

ROOT = OURS[0].parent
"""The folder that contains them."""

BOOT = "import sys, json; sys.path[:] = json.loads(sys.argv.pop()); from {package}.keeper import main; main()"

BOOT_ELSEWHERE = """
import sys, json
from importlib.machinery import PathFinder
NAMES, ROOT = json.loads(sys.argv.pop())
class Ours:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return PathFinder.find_spec(name, [ROOT]) if name in NAMES else None
sys.meta_path.insert(0, Ours)
from {package}.keeper import main; main()
"""
"""Starts a worker in another Python. Of this one's packages it finds ours alone: others may be built for another version."""

PROBE = r"import sys; del sys.path[0]; sys.stdout.write('%d %d\n' % sys.version_info[:2]); sys.stdout.flush(); import numpy"
"""Code of any version of Python."""

OLDEST = (3, 11)

PROGRAMS = ("cmd:", "lib:")
"""What specs begin with that name no Python module."""

LEADING = ("PYTHONPATH", "PYTHONHOME", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
"""Variables by which packages or libraries of another environment would be found first."""

SAME = "is not loaded from the repository, so that both revisions would run the same code; give --since-setup"
"""What is said of an implementation of which nothing belongs to the revision."""

STRAY = "is loaded from the checkout, not from the revision; give the revision an environment of its own with --since-setup"
"""What is said of a module that :attr:`Home.instead_of` forbids, after its name."""


@dataclass(frozen=True)
class Home:
    """Where code under test lives."""

    folder: str | None = None
    """The folder that the code works in, from which paths and modules are found; by default the present one."""
    python: str | None = None
    """The Python that runs the code, which counts from the folder; by default the one that runs this."""
    instead_of: tuple[str, str] | None = None
    """The roots of a checkout and of another revision of it: nothing may be loaded from the first."""
    is_installed: bool = False
    """Whether the other revision may be loaded from installed packages; else something must come from its root."""
    is_alone: bool = False
    """Whether the Python must see its own environment only: variables that lead to other packages or libraries are left out."""
    build: str | None = None
    """The command that builds compiled code in the folder, for edits of its sources. They are made in copies of the folder."""
    is_copy: bool = False
    """Whether the folder is such a copy, in which the code is built before it is loaded."""
    hash_seed: int = 0
    """PYTHONHASHSEED: the order of a set of strings follows from it. It is fixed, so that equal commands have equal answers."""

    def here(self) -> Home:
        """The same with the folder filled in, for processes that work elsewhere."""
        return self if self.folder else replace(self, folder=str(Path.cwd()))

    def command(self) -> list[str]:
        """The words that start a worker. Its numbers follow, then :meth:`paths`. Raises :class:`UserCodeError`."""
        package = __package__
        if self.python is None:
            return [sys.executable, "-c", BOOT.format(package=package)]
        return [require_python(self._python()), "-P", "-c", BOOT_ELSEWHERE.format(package=package)]

    def paths(self) -> str:
        """The last argument of a worker: where it finds packages, as JSON."""
        if self.python is not None:
            return json.dumps([NAMES, str(ROOT)])
        return json.dumps([self._moved(entry) for entry in sys.path])

    def _python(self) -> str:
        # A link to another Python is how an environment is found, so it is not resolved.
        return str(Path(self.folder or Path.cwd(), self.python or sys.executable))

    def _moved(self, entry: str) -> str:
        """A folder of the other revision that is on the path, such as ``src``, as the same folder of this one."""
        if self.instead_of and entry and "site-packages" not in Path(entry).parts:
            path, (checkout, tree) = Path(entry).resolve(), self.instead_of
            if path.is_relative_to(checkout):
                return str(tree / path.relative_to(checkout))
        return entry

    @property
    def variables(self) -> dict[str, str]:
        """The environment's variables for a worker."""
        left_out = LEADING if self.is_alone else ()
        kept = {name: value for name, value in os.environ.items() if name not in left_out}
        return {**kept, "PYTHONHASHSEED": str(self.hash_seed)}

    @property
    def request(self) -> dict[str, Any]:
        """What a worker must know of it, as JSON data."""
        checkout, tree = self.instead_of or ("", "")
        return {"not from": checkout, "from": "" if self.is_installed else tree, "build": self.build if self.is_copy else None}


@cache
def require_python(python: str) -> str:
    """The path, if it is that of a Python that can run a worker. Raises :class:`UserCodeError`, with one sentence."""
    try:
        done = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or "it does not answer"
        raise UserCodeError(f"the Python {python!r} cannot be run ({why}); correct the path") from error
    try:
        major, minor = map(int, done.stdout.split()[:2])
    except ValueError:
        raise UserCodeError(f"{python!r} is no Python; give the path of a Python executable") from None
    if (major, minor) < OLDEST:
        raise UserCodeError(f"the Python {python!r} is {major}.{minor}; give {OLDEST[0]}.{OLDEST[1]} or a later one")
    if done.returncode:
        why = one_line(done.stderr.strip().rpartition("\n")[2], 200)
        raise UserCodeError(f"the Python {python!r} has no NumPy that works ({why}); install numpy there")
    return python


def loaded_from(folder: str) -> str:
    """The name of a module that was loaded from a file in this folder, if there is one. Installed packages do not count."""
    inside = folder.rstrip("/") + "/"
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and file.startswith(inside) and "site-packages" not in Path(file).parts:
            return name
    return ""
