"""The implementation ``lib:PATH``: a shared library with the functions that the skeleton's ``dalembert.h`` declares.

The library is loaded into the process that asks it, which is a worker process unless the user says otherwise.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from implementations.conventions.converted import Converted
from implementations.conventions.declared import Conventions, UnknownConvention
from implementations.languages.described import (
    SIZES,
    Declaration,
    Description,
    LoadedElsewhere,
    description,
    refusal,
    unknown_kind,
)
from implementations.one_robot import OneRobot
from implementations.protocol import Array, DoesNotLoad, Failure, UserCodeError
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS
from mechanisms.numbers.precision import UnknownPrecision, precision_named
from mechanisms.plain_text import one_line
from mechanisms.quantities import ALL_QUANTITIES

PREFIX = "lib:"

ABI = 1
"""The version of ``dalembert.h``."""

UNSUPPORTED = 1
"""What a function returns for something that the library does not have; 0 means that all is well."""


GUARD = np.array([1.7e-103, -3.1e207, 9.3e-211, 5.5e101])
"""Numbers behind every answer, which nobody writes."""


class SharedLibrary:
    """The implementation that ``spec`` names. Raises :class:`UserCodeError`, one sentence, for a library that does not fit."""

    mimic_joints = "a shared library is not told of mimic joints"
    joint_forces = "a shared library is not told of", ("damping",)

    def __init__(self, spec: str) -> None:
        self._spec = spec
        self._library = self._opened(Path(spec.removeprefix(PREFIX)).expanduser())
        self._require_version()
        self.functions = {
            name: function
            for name, declared in ALL_QUANTITIES.items()
            if (function := self._function(name, [ctypes.c_void_p] * (len(declared.arguments) + 2)))
        }
        if not self.functions:
            raise self._unusable("it exports no quantity; export at least one, such as dalembert_inverse_dynamics")
        self._load = self._required("load", [ctypes.POINTER(Description), ctypes.POINTER(ctypes.c_void_p)])
        self.forget = self._required("forget", [ctypes.c_void_p])
        self._order = self._function("joint_order", [ctypes.c_void_p, SIZES])
        says_robot = self._function("robot", [], ctypes.c_char_p) is not None
        wants_urdf = self._function("wants_urdf", [])
        self._declaration = Declaration(
            one_line(self._text("name") or Path(spec).stem, 100),
            one_line(self._text("version") or "unknown", 100),
            [*self.functions],
            self._declared_joints(),
            self._declared_conventions(),
            bool(wants_urdf and wants_urdf()),
            OneRobot("declaration", None, one_line(self._text("robot"))) if says_robot else None,
            precision=self._declared_precision(),
        )
        self.name, self.version, self.one_robot = self._declaration.name, self._declaration.version, self._declaration.one_robot
        self.declares, self.precision = self._declaration.conventions.words, self._declaration.precision
        self.by_state = True  # Every function of the C ABI takes one state.

    def load(self, mechanism: Mechanism) -> Converted:
        model = ctypes.c_void_p()
        self.require_success("load", self._load(description(*self._declaration.described(mechanism)), ctypes.byref(model)))
        loaded = LoadedInLibrary(self, mechanism, model)
        return Converted(loaded, mechanism, self._declaration.conventions, self._joint_order(model, len(mechanism.bodies)))

    def require_success(self, what: str, code: int) -> None:
        """Raise :class:`Unsupported` or :class:`Failure` for a function that did not return 0."""
        if code == UNSUPPORTED:
            raise refusal(self._text("error"))
        if code:
            said = one_line(self._text("error"), 400)
            raise Failure(f"{what} failed: it returned {code}{': ' if said else ''}{said}", of_a_state=what != "load")

    def _opened(self, path: Path) -> ctypes.CDLL:
        if not path.is_file():
            raise self._unusable("there is no such file; build it, or correct the path")
        try:
            return ctypes.CDLL(str(path.resolve()))
        except OSError as error:
            why = f"it cannot be loaded ({one_line(str(error), 300)}); build it for this machine"
            raise DoesNotLoad(str(self._unusable(why))) from None

    def _require_version(self) -> None:
        version = self._function("abi", [])
        if version is None:
            raise self._unusable("it exports no dalembert_abi; write DALEMBERT_LIBRARY of dalembert.h into one of its files")
        if (found := version()) != ABI:
            why = f"it was built with version {found} of dalembert.h, where this is version {ABI}"
            raise self._unusable(f"{why}; rebuild it with this version's dalembert.h")

    def _function(self, name: str, arguments: Sequence[Any], result: Any = ctypes.c_int) -> Callable[..., Any] | None:
        try:
            function = self._library[f"dalembert_{name}"]
        except AttributeError:
            return None
        function.argtypes, function.restype = list(arguments), result
        return function

    def _required(self, name: str, arguments: Sequence[Any]) -> Callable[..., Any]:
        if function := self._function(name, arguments):
            return function
        raise self._unusable(f"it exports no dalembert_{name}; write this function as dalembert.h declares it")

    def _text(self, name: str) -> str:
        """What a function without arguments returns; empty if there is none."""
        function = self._function(name, [], ctypes.c_char_p)
        return (function() or b"").decode("utf-8", "replace") if function else ""

    def _declared_joints(self) -> Sequence[str]:
        kinds = self._text("joints").split()
        if unknown := unknown_kind(kinds):
            raise self._unusable(f"dalembert_joints has the {unknown}")
        return kinds or [*JOINT_KINDS]

    def _declared_conventions(self) -> Conventions:
        pairs = [entry.partition("=") for entry in self._text("conventions").split(";") if entry.strip()]
        try:
            return Conventions.declared({name.strip(): value.strip() for name, _, value in pairs})
        except UnknownConvention as error:
            raise self._unusable(f"in dalembert_conventions, {one_line(str(error), 400)}") from None

    def _declared_precision(self) -> str:
        try:
            return (name := self._text("precision")) and precision_named(name).name
        except UnknownPrecision as error:
            raise self._unusable(f"dalembert_precision: {error}") from None

    def _joint_order(self, model: ctypes.c_void_p, bodies: int) -> list[int] | None:
        if self._order is None:
            return None
        order = (ctypes.c_size_t * bodies)()
        self.require_success("load", self._order(model, order))
        if sorted(order) != list(range(bodies)):
            given = one_line(", ".join(map(str, order)), 100)
            raise Failure(f"load: dalembert_joint_order gave {given}; give every index from 0 to {bodies - 1} once")
        return list(order)

    def _unusable(self, why: str) -> UserCodeError:
        return UserCodeError(f"{self._spec!r} cannot be used: {why}")


class LoadedInLibrary(LoadedElsewhere):
    """It is forgotten by the library with this object."""

    def __init__(self, library: SharedLibrary, mechanism: Mechanism, model: ctypes.c_void_p) -> None:
        LoadedElsewhere.__init__(self, mechanism, library.functions)
        self._library, self._model = library, model

    def __del__(self) -> None:
        self._library.forget(self._model)

    def _evaluate(self, quantity: str, arguments: tuple[Array, ...], shape: tuple[int, ...]) -> Array:
        function = self._library.functions[quantity]
        given = [np.ascontiguousarray(x, np.float64) for x in arguments]
        # Every answer has room of its own, and a guard behind it.
        room = np.full((len(given[0]), prod(shape) + len(GUARD)), 0.0)
        room[:, prod(shape) :] = GUARD
        addresses = [(x.ctypes.data, x.strides[0]) for x in (*given, room)]
        for k in range(len(room)):
            code = function(self._model, *(start + k * stride for start, stride in addresses))
            if code:
                self._library.require_success(quantity, code)
            if not np.array_equal(room[k, prod(shape) :], GUARD):
                remedy = f"an answer has {prod(shape)} numbers"
                raise Failure(f"{quantity} writes past the end of its answer in state {k}; {remedy}")
        return room[:, : prod(shape)].reshape(-1, *shape)
