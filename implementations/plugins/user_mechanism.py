"""A mechanism that a user defines in Python: ``my_arm.py:arm``, ``package.module:arm``, or ``my_arm.py`` alone."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import mechanisms
from implementations.one_robot import COMMON
from implementations.plugins.user_code import OTHER_NAMES, UserCodeError, attribute, described, import_file, import_named_module
from mechanisms import TEXTBOOK, Mechanism, on_free_base
from mechanisms.files.by_form import ENDINGS
from mechanisms.library.by_name import split_prefixes
from mechanisms.library.robots import ALIASES, ROBOTS
from mechanisms.library.textbook_tables import LOOPS
from mechanisms.quantities import ALL_QUANTITIES
from mechanisms.quantities.steps import steps_among

FILE = re.compile(r"(?P<file>.+?\.py)(?::(?P<name>[^:\\/]+))?")
"""The file's ending separates it from the name, so that the colon after a drive's letter starts no name."""

MODULE = re.compile(r"(?P<module>[^\W\d]\w*(?:\.[^\W\d]\w*)*):(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)")

NAMES = {"random", "planar-pendulum", *TEXTBOOK, *LOOPS, *ROBOTS, *ALIASES}
"""Words before a colon that are no modules."""


class IsCode(UserCodeError):
    """A file that was to define a mechanism offers quantities: it is an implementation."""


def find_any_mechanism(spec: str, or_code: bool = False) -> Mechanism:
    """The mechanism that ``spec`` names: one of :func:`mechanisms.find_mechanism`, or one that a Python module defines.

    In a module it is a :class:`Mechanism`, or a function without arguments that returns one. A file alone must define
    exactly one: functions count if they are annotated to return a ``Mechanism``. ``free:`` may stand before it.
    Raises :class:`mechanisms.errors.MechanismError` and :class:`UserCodeError`, each with one sentence; with ``or_code``
    :class:`IsCode` for a file that offers quantities, or has ``load`` or a time step and defines no mechanism.
    """
    prefixes, word = split_prefixes(spec)
    file, module = _file_or_module(word)
    if file:
        thing, name = import_file(spec, Path(file["file"]).expanduser()), file["name"]
    elif module:
        thing, name = import_named_module(spec, module["module"]), module["name"]
    else:
        return mechanisms.find_mechanism(spec)
    if or_code and file and not name and not prefixes and _is_code(thing):
        raise IsCode(f"{spec!r} offers quantities, so it is an implementation; name it by -i")
    if others := prefixes - {"free"}:
        raise UserCodeError(f"{spec!r} cannot be used: {min(others)}: is for URDF files; leave it out")
    for part in (name or _only_one(thing, spec)).split("."):
        thing = attribute(thing, part, spec)
    mechanism = _called(thing, spec)
    return on_free_base(mechanism) if "free" in prefixes else mechanism


def _is_code(module: ModuleType) -> bool:
    if any(callable(getattr(module, name, None)) for name in ALL_QUANTITIES if name not in COMMON):
        return True
    names = ("load", *OTHER_NAMES, *steps_among(vars(module)))
    return any(callable(getattr(module, name, None)) for name in names) and not _mechanisms(module)


def names_code(spec: str) -> bool:
    """Whether the mechanism is defined by Python code, which has to be run."""
    return any(_file_or_module(split_prefixes(spec)[1]))


def _file_or_module(word: str) -> tuple[re.Match[str] | None, re.Match[str] | None]:
    if file := FILE.fullmatch(word):
        return file, None
    module = MODULE.fullmatch(word)
    is_other = module and (module["module"] in NAMES or word.lower().endswith(ENDINGS))
    return None, None if is_other else module


def _called(thing: Any, spec: str) -> Mechanism:
    """``thing`` or, if it is a function, what it returns."""
    if callable(thing) and not isinstance(thing, Mechanism):
        try:
            thing = thing()
        except (Exception, SystemExit) as error:
            remedy = "correct that first"
            raise UserCodeError(f"{spec!r} cannot be used: calling it raised {described(error)}; {remedy}") from error
    if not isinstance(thing, Mechanism):
        remedy = "name a Mechanism, or a function without arguments that returns one"
        raise UserCodeError(f"{spec!r} cannot be used: it is of type {type(thing).__name__}; {remedy}")
    return thing


def _only_one(module: ModuleType, spec: str) -> str:
    """The name of the one mechanism that the module defines."""
    names = _mechanisms(module)
    if len(names) == 1:
        return names[0]
    many = f"it defines {len(names)} mechanisms ({', '.join(names)})" if names else "it defines no mechanism"
    example = names[0] if names else "arm"
    raise UserCodeError(f"{spec!r} cannot be used: {many}; name the object or the function, as in {spec}:{example}")


def _mechanisms(module: ModuleType) -> list[str]:
    """The names of the mechanisms that the module defines, and of its functions that return one."""
    objects = {id(thing): name for name, thing in vars(module).items() if isinstance(thing, Mechanism)}
    functions = [
        name
        for name, thing in vars(module).items()
        if inspect.isfunction(thing)
        and thing.__module__ == module.__name__
        and thing.__annotations__.get("return") in (Mechanism, "Mechanism", "mechanisms.Mechanism", "dalembert.Mechanism")
        and not inspect.signature(thing).parameters
    ]
    return [*objects.values(), *functions]
