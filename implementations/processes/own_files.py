"""The files of users' code: the modules that it has loaded, or that its statements import, and the places of its functions."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache, partial
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import resolve_name
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from implementations.plugins.user_code import OURS

MOST_FILES = 2000
"""Files whose digests are kept."""

LARGEST = 1 << 26
"""Bytes of a file that count for its digest, beside its size."""

INSTALLED = ("site-packages", "dist-packages")
"""Folders of installed packages. An implementation's version stands for them."""

_PYTHONS = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
NOT_OWN = tuple({f"{folder}{os.sep}" for path in (*_PYTHONS, *OURS) for folder in (path, path.resolve())})
"""The folders of the standard library and of this package."""


def own_files() -> dict[str, str]:
    """By path: the digests of the files of modules that this process has loaded, and that their ``import`` statements name.

    Statements count wherever they stand, because a function may import later. Modules of the standard library, of installed
    packages and of this package are left out, and so are modules whose names the code computes.
    """
    waiting = [(file, package) for file, package in map(_loaded, list(sys.modules.values())) if _is_own(file)]
    found: dict[str, str] = {}
    named: dict[str, None] = {}
    while waiting and len(found) < MOST_FILES:
        file, package = waiting.pop()
        if file not in found:
            with suppress(OSError):
                found[file] = _digest(file)
                new = [name for name in _imported(file, package, found[file]) if name not in named]
                named |= dict.fromkeys(new)
                waiting += [(spec.origin or "", spec.parent or "") for name in new for spec in _found(name.split("."))]
    return dict(sorted(found.items()))


def _loaded(module: object) -> tuple[str, str]:
    """The file and the package of a module; empty if it has none. What stands in sys.modules may be any object."""
    with suppress(Exception):
        file, package = getattr(module, "__file__", None), getattr(module, "__package__", None)
        return (file if isinstance(file, str) else "", package if isinstance(package, str) else "")
    return "", ""


def _is_own(file: str) -> bool:
    return bool(file) and not file.startswith(NOT_OWN) and not any(name in Path(file).parts for name in INSTALLED)


@lru_cache(MOST_FILES)
def _imported(file: str, package: str, digest: str) -> tuple[str, ...]:
    """The names in the ``import`` statements of a file with this digest. Nothing is imported for that."""
    if not file.endswith(".py"):
        return ()
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        return tuple(dict.fromkeys(_names(ast.parse(Path(file).read_bytes()), package)))
    return ()


def _names(tree: ast.AST, package: str) -> Iterator[str]:
    """The full names of all modules that the statements name, and of all that may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            with suppress(ImportError):
                module = resolve_name("." * node.level + (node.module or ""), package)
                yield from (f"{module}.{alias.name}" for alias in node.names)


def _found(words: list[str]) -> Iterator[ModuleSpec]:
    """The packages that contain a module, the outer one first, and the module, as far as they are the user's own files."""
    where = None
    for k in range(len(words)):
        spec = None if words[0] in sys.stdlib_module_names else PathFinder.find_spec(".".join(words[: k + 1]), where)
        if spec is None:
            return
        if spec.origin and spec.has_location:  # A namespace package has no file.
            if not _is_own(spec.origin):
                return
            yield spec
        if spec.submodule_search_locations is None:
            return
        where = list(spec.submodule_search_locations)


def _digest(file: str) -> str:
    with Path(file).open("rb") as opened:
        size = os.fstat(opened.fileno()).st_size
        return hashlib.sha256(b"%d " % size + opened.read(LARGEST)).hexdigest()[:16]


_PLACE = re.compile(r"(?!/)[^\x00-\x1f\x7f]{1,400}:[1-9][0-9]{0,6}")

DEEPEST = 50
"""So many wrappers around a function are opened."""


def place_of(function: Any, folder: Path, name: str = "") -> str:
    """ "my_dynamics.py:12": the file, from ``folder``, and the line of the function's definition.

    Partial applications are looked through, and decorators that keep the function in ``__wrapped__`` or in a closure, there by
    its ``name``. Empty for a function that no Python file below the folder defines,
    that an installed package defines, or that is ours.
    """
    code = _code(function, name)
    if code is None:
        return ""
    path = Path(code.co_filename).resolve()
    if not path.is_relative_to(folder) or any(map(path.is_relative_to, OURS)):
        return ""
    relative = path.relative_to(folder)
    return "" if "site-packages" in relative.parts else f"{relative.as_posix()}:{code.co_firstlineno}"


def is_place(text: object) -> bool:
    """Whether a worker's text can be a place: a file below a folder, and a line."""
    return isinstance(text, str) and bool(_PLACE.fullmatch(text)) and ".." not in text.split("/")


def _code(function: Any, name: str) -> Any:
    for _ in range(DEEPEST):
        if (code := getattr(function, "__code__", None)) is not None:
            wrapped = getattr(function, "__wrapped__", None) or _enclosed(function, name)
            if wrapped is None:
                return code
            function = wrapped
        elif wrapped := getattr(function, "__wrapped__", None):
            function = wrapped
        elif isinstance(function, partial):
            function = function.func
        elif isinstance(function, MethodType):
            function = function.__func__
        else:
            function = getattr(type(function), "__call__", None)  # noqa: B004
    return None


def _enclosed(function: Any, name: str) -> Any:
    """The function of this name that a function of another name encloses, as a decorator without functools.wraps does."""
    if not name or getattr(function, "__name__", name) == name:
        return None
    for cell in getattr(function, "__closure__", None) or ():
        with suppress(ValueError):  # An empty cell.
            if isinstance(cell.cell_contents, FunctionType) and cell.cell_contents.__name__ == name:
                return cell.cell_contents
    return None
