"""Code for one robot: it knows one mechanism and ignores the one that it is given.

Such code is typed by hand, generated, or runs in firmware. Only states are experiments with it: what it answers about another
mechanism says nothing. Users' Python code knows one robot by its declaration, or by the signature of its functions.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from implementations.protocol import UserCodeError
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.files.by_form import ENDINGS
from mechanisms.files.document import from_document, to_document
from mechanisms.library.by_name import split_prefixes
from mechanisms.quantities.steps import quantity_named

KnownBy = Literal["declaration", "signature", "experiment"]
"""How it is known that code is for one robot: it declares its ``mechanism``, its functions take none, or its answers do not move
when masses and lengths do."""

REASONS: dict[KnownBy, str] = {
    "declaration": "it declares its mechanism",
    "signature": "its functions take no mechanism",
    "experiment": "its answers stay the same when masses and lengths change",
}
"""The same as the end of a sentence."""

COMMON = ("integrate", "difference")
"""Names that many functions have. They do not say whether code takes a mechanism."""


@dataclass(frozen=True)
class OneRobot:
    """That code knows one robot, and how this is known. ``mechanism`` is the robot if the code declares it, and ``spec`` is what
    to type to get it."""

    known_by: KnownBy
    mechanism: Mechanism | None = None
    spec: str = ""

    @property
    def reason(self) -> str:
        """How it is known, in a clause."""
        return REASONS[self.known_by] if self.spec or self.known_by != "declaration" else "it says so"

    def to_document(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "known by": self.known_by,
            "mechanism": to_document(self.mechanism) if self.mechanism else None,
            "spec": self.spec,
        }

    @classmethod
    def from_document(cls, document: Any) -> OneRobot:
        """What :meth:`to_document` wrote. Raises :class:`UserCodeError` for anything else."""
        try:
            known_by, mechanism, spec = (document[key] for key in ("known by", "mechanism", "spec"))
            if known_by not in get_args(KnownBy) or not isinstance(spec, str):
                raise TypeError(known_by)
            return cls(known_by, None if mechanism is None else from_document(mechanism), spec[:300])
        except (KeyError, TypeError, MechanismError) as error:
            raise UserCodeError("the code's process sent no mechanism to the harness") from error


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
    return takes(function, len(quantity_named(quantity).arguments) + 1)


def takes_no_mechanism(function: Callable[..., Any], quantity: str) -> bool:
    """Whether a function of a quantity is one of the state alone: it can be called so, and its first argument is no mechanism.

    Further arguments with defaults, such as ``gravity=9.81``, change nothing.
    """
    if not takes(function, len(quantity_named(quantity).arguments)):
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
    if colon or name.lower().endswith((*ENDINGS, ".py")) or path.is_file():
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
