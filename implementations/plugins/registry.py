"""Which implementations there are, and how a name becomes one."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from implementations.engines.as_read import SUFFIX, AsRead
from implementations.engines.declared import ENGINES, PACKAGES
from implementations.languages.command import PREFIX as COMMAND
from implementations.languages.command import Command
from implementations.languages.shared_library import PREFIX as LIBRARY
from implementations.languages.shared_library import SharedLibrary
from implementations.plugins.user_code import UserCodeError, as_implementation, importing_from, load_user
from implementations.protocol import DoesNotLoad, Evaluation, Implementation, Missing

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

OURS = {
    "reference": ("..spatial_algebra.reference", "REFERENCE"),
    "traced": ("..recorded.traced", "TRACED"),
    "newton-euler": ("..classical.newton_euler", "NEWTON_EULER"),
    "screws": ("..screws.product_of_exponentials", "SCREWS"),
}

ADAPTERS = {engine.name: (f"..engines.{engine.folder}.adapter", engine.adapter) for engine in ENGINES}

READERS = {engine.name + SUFFIX: engine for engine in ENGINES if "urdf" in engine.reads}
"""Engines that read a mechanism's own file, by the name of the implementation."""

BUILT_IN = (*OURS, *ADAPTERS, *READERS)
"""The names that nobody can take over."""

MODULES = {**OURS, **ADAPTERS}
"""Name: module, relative to this package, and object; imported only when asked for."""

ABOUT = {
    "reference": "RNEA, CRBA, ABA and their derivatives with spatial vectors, in NumPy: our derivation from forces.",
    "traced": "The reference, recorded once for a mechanism as a straight-line program; it runs only if you name it.",
    "newton-euler": "The Newton-Euler recursion with 3-vectors; it runs only if you name it.",
    "screws": "The Newton-Euler recursion with screws and exponentials; it runs only if you name it.",
}
"""Our own implementations, in one sentence each."""

BY_NAME = ("traced", "newton-euler", "screws", *(engine.name for engine in ENGINES if not engine.by_default), *READERS)
"""What takes part where it is named: further derivations of what the reference computes, engines that are not in a default run,
and engines on the models that they read themselves."""

GROUPS = {"engines": tuple(ADAPTERS), "readers": tuple(READERS)}
"""Words for several: all engines through their adapters, and on the models that they read themselves."""

ENGINE_NAMES = (*ADAPTERS, *READERS)

EVALUATIONS = {engine.name: f"..engines.{engine.folder}.evaluation" for engine in ENGINES if engine.has_evaluation}
"""The modules, relative to this package, that write programs for an engine alone."""

ENTRY_POINTS = "dalembert.implementations"
"""The entry-point group under which other packages offer implementations."""


@dataclass(frozen=True)
class Listing:
    """One known implementation: its version, or why there is none and what to do."""

    name: str
    version: str | None
    status: Literal["installed", "missing", "broken"]
    hint: str = ""
    about: str = ""
    """One sentence, for our own implementations."""


def find_implementation(spec: str) -> Implementation:
    """The implementation called ``spec``: built in, offered by an installed package, a program (``cmd:``), a shared library
    (``lib:``), or the user's Python code (:func:`load_user`).

    A built-in name cannot be taken over. An engine that is not installed is found all the same: its ``load`` raises
    :class:`implementations.protocol.Missing`. Raises :class:`UserCodeError` for a name that is none of these, and for code
    that does not load.
    """
    if spec in BUILT_IN:
        return _built_in(spec)
    if spec.startswith(COMMAND):
        return Command(spec)
    if spec.startswith(LIBRARY):
        return SharedLibrary(spec)
    offered = _offered()
    if spec in offered:
        return _load(offered[spec])
    if spec.isidentifier() and not _is_module(spec):
        known = [*BUILT_IN, *offered]
        close = difflib.get_close_matches(spec.lower(), known, n=1)
        remedy = f"did you mean {close[0]!r}?" if close else f"give one of {', '.join(known)}, a module or a .py file"
        raise UserCodeError(f"there is no implementation and no module called {spec!r}; {remedy}")
    return load_user(spec)


def implementation_of(package: str) -> str | None:
    """The engine that registries call so; None if there is none."""
    names = [package] if package not in PACKAGES.values() else []
    return next((name for name in (PACKAGES.get(package), *names) if name in ADAPTERS), None)


def find_evaluation(name: str) -> Callable[..., Evaluation] | None:
    """The function ``evaluation(mechanism, quantity, state, expected, version)`` of a built-in engine; None for other code.

    It writes a program and needs no engine for that.
    """
    return importlib.import_module(EVALUATIONS[name], __package__).evaluation if name in EVALUATIONS else None


def _is_module(name: str) -> bool:
    """Whether there is a top-level module ``name``, installed or in the current folder."""
    with importing_from(Path.cwd(), afterwards=False):
        try:
            return importlib.util.find_spec(name) is not None
        except ValueError:
            # It is imported and does not say from where; importing it again will tell.
            return True


def list_implementations(find: Callable[[str], Any] = find_implementation) -> tuple[Listing, ...]:
    """Every implementation that has a name of its own, the built-in ones first; nothing that is broken hides the others.

    ``find`` gives the implementation of a name.
    """
    return tuple(_describe(name, find) for name in names_of_implementations())


def names_of_implementations() -> tuple[str, ...]:
    """The names, the built-in ones first."""
    return (*BUILT_IN, *sorted(_offered()))


def _describe(name: str, find: Callable[[str], Any]) -> Listing:
    try:
        version = str(getattr(find(name), "version", "unknown"))
        return Listing(name, version, "installed", about=ABOUT.get(name, ""))
    except Missing as error:
        return Listing(name, None, "missing", str(error))
    except Exception as error:
        return Listing(name, None, "broken", str(error) or type(error).__name__)


def _built_in(name: str) -> Implementation:
    if name in READERS:
        return AsRead(READERS[name])
    module, attribute = MODULES[name]
    thing = getattr(importlib.import_module(module, __package__), attribute)
    return thing() if isinstance(thing, type) else thing


def _offered() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS) if point.name not in BUILT_IN}


def entry_points(group: str) -> Iterable[EntryPoint]:
    """What installed packages register. Their metadata is slow to import, and few worker processes need it."""
    from importlib import metadata

    return metadata.entry_points(group=group)


def _load(point: EntryPoint) -> Implementation:
    package = point.dist.name if point.dist else "an unknown package"
    try:
        thing = point.load()
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {error}".replace("\n", " ")
        raise DoesNotLoad(f"{point.name!r}, offered by {package}, does not load: {said}; repair or uninstall it") from error
    return as_implementation(thing, f"{point.name} ({package})", point.name)
