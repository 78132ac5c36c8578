"""A user's own code as an implementation, named by a module or a file."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from implementations.batches import for_each_state
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

OURS = [Path(__file__).resolve().parents[2] / name for name in ("cross_check", "dalembert", "implementations", "mechanisms")]
"""Where an exception of the user's code passes through code that is not the user's."""


class UserCodeError(ValueError):
    """What the user named cannot serve as an implementation; one sentence: the name, what is wrong, the remedy."""


@dataclass(frozen=True)
class UserImplementation:
    """The user's ``source``, an object with ``load(mechanism)``, under a name and a version."""

    name: str
    version: str
    source: Any

    def load(self, mechanism: Mechanism) -> Any:
        return self.source.load(mechanism)


@dataclass(frozen=True)
class OneStateFunctions:
    """Functions of a mechanism and *one* state, as 1-D arrays, such as ``inverse_dynamics(mechanism, q, v, a)``."""

    spec: str
    functions: dict[str, Callable[..., ArrayLike]]

    def load(self, mechanism: Mechanism) -> SimpleNamespace:
        """The offered functions on batches, and no others."""
        shapes = {name: QUANTITIES[name].dimensions(mechanism) for name in self.functions}
        return SimpleNamespace(
            **{name: partial(for_each_state, partial(self._answer, name, mechanism), shapes[name]) for name in self.functions}
        )

    def _answer(self, name: str, mechanism: Mechanism, *state: Array) -> Array:
        # Copies, for the state is the caller's and the function may write on it.
        answer = np.asarray(self.functions[name](mechanism, *(part.copy() for part in state)))
        if answer.dtype.kind not in "buif":
            raise UserCodeError(f"{name} returned {answer.dtype}; return real numbers")
        expected = QUANTITIES[name].dimensions(mechanism)
        if answer.shape != expected:
            raise UserCodeError(f"{name} returned shape {answer.shape}; return {expected} for one state")
        return answer.astype(np.float64)


def load_user(spec: str) -> UserImplementation:
    """The implementation that ``spec`` names: ``module``, ``module:name``, ``file.py`` or ``file.py:name``.

    What is named, a module or an object in it, either has ``load(mechanism)`` and is an implementation as it stands (a class
    is first called without arguments), or offers any of :data:`QUANTITIES` as functions of the mechanism and one state; a
    module that has both is taken by its functions.
    Its ``name`` and ``version`` are taken over; they default to the last part of ``spec`` and to "unknown".

    Raises :class:`UserCodeError`, with the user's own exception as its cause where there is one.
    """
    # A file is told from a module by its ending, so that the colon after a drive's letter starts no name.
    file = re.fullmatch(r"(?P<file>.+?\.py)(?::(?P<name>[^:\\/]+))?", spec)
    if file:
        thing: Any = _import_file(spec, Path(file["file"]).expanduser())
        name, last = file["name"], Path(file["file"]).stem
    else:
        module, _, name = spec.partition(":")
        thing, last = _import_module(spec, module), module.rpartition(".")[2]
    for part in name.split(".") if name else ():
        if not hasattr(thing, part):
            raise UserCodeError(f"{spec!r} cannot be used: there is no {part!r} in it; name something that it defines")
        thing, last = getattr(thing, part), part
    return as_implementation(thing, spec, last)


def as_implementation(thing: Any, spec: str, name: str) -> UserImplementation:
    """``thing``, which ``spec`` names in errors, as an implementation called ``name`` unless it says otherwise."""
    if isinstance(thing, type):
        with _reporting(spec, "calling the class without arguments"):
            thing = thing()
    name, version = _text(thing, "name", name), _text(thing, "version", "unknown")
    functions = {quantity: getattr(thing, quantity) for quantity in QUANTITIES if callable(getattr(thing, quantity, None))}
    # A module may well have a ``load`` of its own beside its functions.
    if callable(getattr(thing, "load", None)) and not (functions and isinstance(thing, ModuleType)):
        return UserImplementation(name, version, thing)
    if not functions:
        raise UserCodeError(f"{spec!r} offers none of the quantities; define load(mechanism), or any of {', '.join(QUANTITIES)}")
    return UserImplementation(name, version, OneStateFunctions(spec, functions))


def _text(thing: Any, attribute: str, default: str) -> str:
    value = getattr(thing, attribute, default)
    return value if isinstance(value, str) else default


def _import_module(spec: str, module: str) -> ModuleType:
    with _reporting(spec, "importing it"):
        try:
            return importlib.import_module(module)
        except ModuleNotFoundError as error:
            # What is missing may also be something that the module itself imports.
            if not f"{module}.".startswith(f"{error.name}."):
                raise
            remedy = "install it, or name its .py file"
            raise UserCodeError(f"{spec!r} cannot be used: module {error.name!r} is not found; {remedy}") from error


def _import_file(spec: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise UserCodeError(f"{spec!r} cannot be used: there is no file {str(path)!r}; correct the path")
    path = path.resolve()
    private = f"_dalembert_user_{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    plan = importlib.util.spec_from_file_location(private, path)
    assert plan is not None and plan.loader is not None
    module = importlib.util.module_from_spec(plan)
    # dataclasses and pickle look a module up by its name.
    sys.modules[private] = module
    sys.path.insert(0, str(path.parent))
    try:
        with _reporting(spec, "importing it"):
            plan.loader.exec_module(module)
    except UserCodeError:
        del sys.modules[private]
        raise
    finally:
        if str(path.parent) in sys.path:
            sys.path.remove(str(path.parent))
    return module


@contextmanager
def _reporting(spec: str, doing: str) -> Iterator[None]:
    """Turns what the user's code raises, its attempt to exit included, into one sentence."""
    try:
        yield
    except UserCodeError:
        raise
    except (Exception, SystemExit) as error:
        raise UserCodeError(f"{spec!r} cannot be used: {doing} raised {described(error)}; mend that first") from error


def described(error: BaseException) -> str:
    """What foreign code raised, on one line, with the place where it did."""
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return " ".join(f"{said}{_place(error)}".split())


def _place(error: BaseException) -> str:
    """ " (file.py:12)": the last line of the user's own code on the way to ``error``, if any."""
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    foreign = [(path, line) for path, line in frames if path.is_absolute() and not any(map(path.is_relative_to, OURS))]
    if not foreign:
        return ""
    # Whatever the user's code calls of other packages lies elsewhere, or in a virtual environment within.
    home = foreign[0][0].parent
    own = [
        (path, line)
        for path, line in foreign
        if path.is_relative_to(home) and "site-packages" not in path.relative_to(home).parts
    ]
    path, line = own[-1]
    return f" ({path.name}:{line})"
