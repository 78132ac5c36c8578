"""Where a function is defined, in files of the user's project."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from implementations.plugins.user_code import OURS

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
