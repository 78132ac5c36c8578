"""Which robot a user's Python code knows, if it knows one alone: by its declaration, or by the signature of its functions."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from implementations.one_robot import OneRobot
from implementations.protocol import UserCodeError
from mechanisms import Mechanism
from mechanisms.library import split_prefixes
from mechanisms.quantities import ALL_QUANTITIES

COMMON = ("integrate", "difference")
"""Names that many functions have. They do not say whether code takes a mechanism."""


def one_robot_of(thing: Any, spec: str, without_mechanism: frozenset[str]) -> OneRobot | None:
    """The robot that ``thing``, which ``spec`` names, declares as its ``mechanism``: a name, a path relative to the module's
    folder, a :class:`Mechanism`, or a function without arguments that returns one. Without a declaration it knows one robot if
    functions of quantities take no mechanism.

    ``without_mechanism`` are the names of these. Raises :class:`UserCodeError`.
    """
    declared = getattr(thing, "mechanism", None)
    if callable(declared) and not isinstance(declared, Mechanism):
        declared = declared if takes(declared, 0) and not isinstance(declared, type) else None
    # A package may have a module of this name.
    if declared is not None and not isinstance(declared, ModuleType):
        return _declared(declared, thing, spec)
    return OneRobot("signature") if without_mechanism.difference(COMMON) else None


def takes(function: Callable[..., Any], arguments: int) -> bool:
    """Whether the function can be called with so many arguments by position."""
    try:
        inspect.signature(function).bind(*range(arguments))
    except (TypeError, ValueError):
        return False
    return True


def takes_a_mechanism(function: Callable[..., Any], quantity: str) -> bool:
    """Whether a function of a quantity can be called with a mechanism before the state."""
    return takes(function, len(ALL_QUANTITIES[quantity].arguments) + 1)


def takes_no_mechanism(function: Callable[..., Any], quantity: str) -> bool:
    """Whether a function of a quantity is one of the state alone: it can be called so, and its first argument is no mechanism.

    Further arguments with defaults, such as ``gravity=9.81``, change nothing.
    """
    if not takes(function, len(ALL_QUANTITIES[quantity].arguments)):
        return False
    first = next(iter(inspect.signature(function).parameters.values()), None)
    if first is None or first.kind is first.VAR_POSITIONAL:
        return False
    return first.name != "mechanism" and first.annotation not in (Mechanism, "Mechanism", "dalembert.Mechanism")


def robot_named(word: str, folder: Path | None = None) -> OneRobot:
    """The robot that ``word`` names as on the command line; a path counts from ``folder``. It is not looked for here."""
    prefixes, name = split_prefixes(word)
    file, colon, rest = name.partition(".py:")
    path = (folder or Path.cwd()) / Path(f"{file}.py" if colon else name).expanduser()
    if colon or name.lower().endswith((".urdf", ".xml", ".py")) or path.is_file():
        name = f"{os.path.relpath(path)}{f':{rest}' if colon else ''}"
    return OneRobot("declaration", None, "".join(f"{prefix}:" for prefix in sorted(prefixes)) + name)


def _declared(declared: Any, thing: Any, spec: str) -> OneRobot:
    found = declared if isinstance(declared, str | os.PathLike | Mechanism) or not callable(declared) else declared()
    if isinstance(found, str | os.PathLike):
        return robot_named(os.fspath(found), _folder(thing))
    if not isinstance(found, Mechanism):
        remedy = "give a name, a path, a Mechanism, or a function without arguments that returns one"
        raise UserCodeError(f"{spec!r} cannot be used: its 'mechanism' is of type {type(found).__name__}; {remedy}")
    own = isinstance(thing, ModuleType) and not spec.endswith(")")
    return OneRobot("declaration", found, f"{spec}:mechanism" if own else found.name)


def _folder(thing: Any) -> Path | None:
    """The folder of the module in which ``thing`` is defined."""
    module = thing if isinstance(thing, ModuleType) else inspect.getmodule(type(thing))
    file = getattr(module, "__file__", None)
    return Path(file).parent if isinstance(file, str) else None
