"""A digest of the code that decides a result, as it is in memory: what a recording can execute.

What is in memory counts, and not the files: a file may have been edited after it was imported, and a test may have replaced a
function. The walk begins at a function. It goes through everything that its module names, and through every module of the
project that is met on the way. So the digest does not depend on what else is loaded. It covers the instructions
and constants of functions, their defaults and closures, the members of classes, and data in modules. It does not cover the
packages that others wrote: they are named, with their versions.

Code that is neither the project's nor an installed package's, such as a function of a test, has no digest.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Set
from fractions import Fraction
from itertools import chain
from operator import attrgetter, is_
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

KNOWN = frozenset({"numpy", "flint", "llvmlite"}) | sys.stdlib_module_names
"""Packages whose code is named and not read."""

PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis), Fraction})

LEFT_OUT = ("__dict__", "__weakref__", "__doc__", "__annotations__")
ADDED = ("__firstlineno__", "__static_attributes__", "__slotnames__", "_abc_impl")
WITHOUT = frozenset(LEFT_OUT + ADDED)
"""Members of classes that decide nothing."""

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

FUNCTION = ("__code__", "__defaults__", "__kwdefaults__")
"""What decides what a function does, beside the contents of its cells."""

WRAPPERS: dict[type, str] = {
    functools.cached_property: "func",
    staticmethod: "__func__",
    classmethod: "__func__",
}


class Foreign(Exception):
    """Code was met that has no digest."""


def digest_of_files(packages: Iterable[str]) -> str:
    """The digest of all source files of packages that are loaded."""
    found = hashlib.sha256()
    for package in packages:
        for folder in sys.modules[package].__path__:
            for path in sorted(Path(folder).rglob("*.py")):
                found.update(f"{path.relative_to(folder).as_posix()} {path.stat().st_size}\n".encode() + path.read_bytes())
    return found.hexdigest()


class LoadedCode:
    """The code that ``root`` may execute; ``packages`` are the names of the project's packages that it may be in."""

    def __init__(self, root: Callable[..., Any], packages: tuple[str, ...]) -> None:
        self._root, self._packages = root, packages
        self._walk: _Walk | None = None
        self._digest: str | None = None
        self.changed = False
        """Whether the code has changed since its digest was asked first."""

    @functools.cached_property
    def files(self) -> str:
        """The digest of all source files of the packages, for what the walk through the memory does not see."""
        return digest_of_files(self._packages)

    def digest(self) -> str | None:
        """The digest of the code as it is now, in hexadecimal digits; None where there is code without a digest."""
        if self._walk is None or not self._walk.holds():
            is_first, before = self._walk is None, self._digest
            self._walk = walk = _Walk(self._packages)
            try:
                self._digest = walk.from_root(self._root)
            except (Foreign, RecursionError):
                self._digest = None
            self.changed |= not is_first and self._digest != before
        return self._digest


class _Walk:
    """One walk. The digest contains everything that is met, once; later meetings are numbers."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        self._words: list[str] = []
        self._modules: list[types.ModuleType] = []
        self._others: set[str] = set()
        self._containers: list[Any] = []
        self._lengths: list[int] = []
        self._held: list[Any] = []
        self._functions: list[types.FunctionType] = []
        self._cells: list[types.CellType] = []
        self._parts: list[Any] = []
        self._packages = packages
        self._numbers: dict[int, int] = {}
        self._alive: list[Any] = []

    def holds(self) -> bool:
        """Whether everything that was met still consists of the same objects."""
        return (
            [*map(len, self._containers)] == self._lengths
            and all(map(is_, chain.from_iterable(self._containers), self._held))
            and all(map(is_, self._parts_now(), self._parts))
        )

    def _parts_now(self) -> list[Any]:
        """What functions consist of."""
        parts = chain.from_iterable(map(attrgetter(*FUNCTION), self._functions))
        return [*parts, *map(attrgetter("cell_contents"), self._cells)]

    def from_root(self, root: Any) -> str:
        """The digest of all that is met from here on. Raises :class:`Foreign` where something has none."""
        self._into(root)
        # One after the other, so that long chains of imports need no deep recursion.
        for module in self._modules:
            self._module(module)
        self._parts = self._parts_now()
        for name in sorted(self._others - sys.stdlib_module_names):
            self._add("version", name, getattr(sys.modules.get(name), "__version__", ""))
        return hashlib.sha256("\n".join(self._words).encode()).hexdigest()

    def _into(self, x: Any) -> None:
        """Add what an object is."""
        if type(x) in PLAIN:
            self._words.append(f"{type(x).__name__} {x!r}")
        elif id(x) in self._numbers:
            self._words.append(f"again {self._numbers[id(x)]}")
        else:
            self._numbers[id(x)] = len(self._numbers)
            # An id belongs to one object as long as the object lives.
            self._alive.append(x)
            self._new(x)

    def _new(self, x: Any) -> None:
        if isinstance(x, types.FunctionType):
            self._function(x)
        elif isinstance(x, type):
            self._class(x)
        elif isinstance(x, types.ModuleType):
            self._add("module", x.__name__)
            if not self._is_known(x.__name__):
                self._modules.append(x)
        elif isinstance(x, types.CodeType):
            self._code(x)
        elif isinstance(x, enum.Enum):
            self._each("member", type(x), x.name, x.value)
        elif isinstance(x, WeakKeyDictionary):
            # It remembers results for as long as somebody needs them, and decides nothing.
            self._add("memory")
        elif isinstance(x, Mapping):
            self._hold(x.values())
            self._each("mapping", type(x), len(x), *(part for item in x.items() for part in item))
        elif isinstance(x, (tuple, list)):
            if isinstance(x, list):
                self._hold(x)
            self._each("sequence", type(x), len(x), *x)
        elif isinstance(x, Set):
            self._each("set", type(x), *sorted(map(_name, x)))
        elif isinstance(x, np.ndarray):
            self._each("array", x.dtype.str, x.shape, x.tolist())
        elif isinstance(x, re.Pattern):
            self._each("pattern", x.pattern, x.flags)
        elif isinstance(x, types.MethodType):
            self._each("method", x.__func__, x.__self__)
        elif isinstance(x, functools.partial):
            self._each("partial", x.func, x.args, x.keywords)
        elif isinstance(x, property):
            self._each("property", x.fget, x.fset, x.fdel)
        elif type(x) in WRAPPERS:
            self._each(type(x).__name__, getattr(x, WRAPPERS[type(x)]))
        elif isinstance(x, dataclasses.Field):
            self._each("field", x.name, x.default, x.default_factory, x.init, x.compare)
        elif hasattr(x, "__wrapped__"):
            self._each("wrapper", type(x), x.__wrapped__)
        elif dataclasses.is_dataclass(x):
            self._each("instance", type(x), *(getattr(x, field.name) for field in dataclasses.fields(x)))
        else:
            # Such as NumPy's functions, which say their names.
            self._each("object", type(x), ADDRESS.sub("", repr(x)))

    def _function(self, x: types.FunctionType) -> None:
        if self._is_known(x.__globals__.get("__name__")):
            self._add("function", x.__module__, x.__qualname__)
            return
        cells = [cell for cell in x.__closure__ or () if cell != types.CellType()]
        self._functions.append(x)
        self._cells += cells
        parts = (getattr(x, part) for part in FUNCTION)
        self._each("function", x.__qualname__, *parts, *(cell.cell_contents for cell in cells))
        # A function that a dataclass made has a name for its module, too.
        self._into(sys.modules[x.__globals__["__name__"]])

    def _class(self, x: type) -> None:
        self._add("class", x.__module__, x.__qualname__)
        if self._is_known(x.__module__):
            return
        self._hold(vars(x).values())
        members = ((name, member) for name, member in sorted(vars(x).items()) if name not in WITHOUT)
        self._each(*x.__bases__, *members)
        self._into(sys.modules[x.__module__])

    def _module(self, x: types.ModuleType) -> None:
        self._add("members of", x.__name__)
        self._hold(vars(x).values())
        for name, value in sorted(vars(x).items()):
            # A package has those of its modules that are loaded; who uses them names them.
            loaded = isinstance(value, types.ModuleType) and value.__name__ == f"{x.__name__}.{name}"
            if not loaded and not (name.startswith("__") and name.endswith("__")):
                self._add(name)
                self._into(value)

    def _code(self, x: types.CodeType) -> None:
        self._add("code", x.co_code.hex(), x.co_names, x.co_varnames, x.co_freevars, x.co_cellvars, x.co_flags)
        self._add(x.co_argcount, x.co_posonlyargcount, x.co_kwonlyargcount, getattr(x, "co_exceptiontable", b""))
        self._each(*x.co_consts)

    def _hold(self, values: Any) -> None:
        """Remember what a container that may change holds."""
        self._containers.append(values)
        self._lengths.append(len(values))
        self._held += values

    def _is_known(self, module: Any) -> bool:
        """Whether code is another package's, and not the project's. Raises :class:`Foreign` where it is neither."""
        top = str(module).partition(".")[0]
        if any(module == own or str(module).startswith(f"{own}.") for own in self._packages):
            return False
        # Python compiles a method of a named tuple in a module of its own.
        if top in KNOWN or top.startswith("namedtuple_"):
            self._others.add(top)
            return True
        raise Foreign(module)

    def _each(self, *parts: Any) -> None:
        for part in parts:
            self._into(part)

    def _add(self, *words: Any) -> None:
        self._words.append(repr(words))


def _name(x: Any) -> str:
    """An element of a set, in the same words in every process. Raises :class:`Foreign` for elements that have none."""
    if type(x) in PLAIN:
        return repr(x)
    if isinstance(x, (tuple, Set)):
        return f"{type(x).__name__} {sorted(map(_name, x)) if isinstance(x, Set) else [*map(_name, x)]}"
    owner = x.__module__ if isinstance(x, (type, types.FunctionType)) else type(x).__module__
    if owner.partition(".")[0] not in KNOWN:
        raise Foreign(owner)
    return f"{x.__module__}.{x.__qualname__}" if hasattr(x, "__qualname__") else repr(x)
