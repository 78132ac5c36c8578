"""Mutants: implementations that are the reference but for one fault.

A fault changes one thing. It is an :class:`Edit` of the reference's own text, or a function that changes the mechanism, the state
or the answer. An edit is made in a private copy of the reference's modules, so that the reference itself never changes.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from types import CodeType, SimpleNamespace
from typing import Any

import numpy as np

from cross_check.coverage import wrong_mechanisms, wrong_states
from cross_check.memory import Array
from implementations import spatial_algebra
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import QUANTITIES

PACKAGE = spatial_algebra.__name__


@dataclass(frozen=True)
class Edit:
    """In a module of the reference, the text ``right``, which occurs once, becomes ``wrong``."""

    module: str
    right: str
    wrong: str


@dataclass(frozen=True)
class Fault:
    """One way to be wrong. ``name`` says what is wrong; ``group`` is the term of the equations that it concerns.

    Of ``edits``, ``mechanism``, ``state`` and ``answer`` one is given. ``kinds`` names the kinds of joints, and ``needs`` another
    trait of the mechanism, without which the fault changes nothing.
    """

    name: str
    group: str
    edits: tuple[Edit, ...] = ()
    mechanism: wrong_mechanisms.Wrong | None = None
    state: wrong_states.Wrong | None = None
    answer: tuple[str, Callable[[Array], Array]] | None = None
    kinds: tuple[Kind, ...] = ()
    needs: Callable[[Mechanism], bool] = lambda mechanism: True

    def changes(self, mechanism: Mechanism) -> bool:
        """Whether it can change anything on ``mechanism``, as far as one can know without computing."""
        has_kind = not self.kinds or any(body.joint.kind in self.kinds for body in mechanism.bodies)
        return has_kind and self.needs(mechanism)


class Mutant:
    """The reference with one fault, as an implementation in float64."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.name = fault.name

    def load(self, mechanism: Mechanism) -> MutantDynamics:
        return MutantDynamics(self.fault, mechanism)


class MutantDynamics:
    """One mechanism; answers every quantity of :data:`mechanisms.quantities.QUANTITIES`."""

    def __init__(self, fault: Fault, mechanism: Mechanism) -> None:
        self._fault, self._right = fault, mechanism
        self._wrong = fault.mechanism(mechanism) if fault.mechanism and fault.changes(mechanism) else mechanism

    @cached_property
    def _dynamics(self) -> Any:
        return (edited(self._fault.edits) if self._fault.edits else REFERENCE).load(self._wrong)

    def is_right(self, quantity: str, arguments: dict[str, Array]) -> bool:
        """Whether the fault cannot change this quantity at these arguments, as far as one can know without computing."""
        fault = self._fault
        if not fault.changes(self._right):
            return True
        if fault.mechanism:
            return self._wrong.bodies == self._right.bodies and self._wrong.gravity == self._right.gravity
        if fault.state:
            wrong = fault.state(self._right, arguments)
            return all(np.array_equal(wrong[name], arguments[name]) for name in arguments)
        return bool(fault.answer) and fault.answer[0] != quantity  # type: ignore[index]

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity not in QUANTITIES:
            raise AttributeError(quantity)
        names = QUANTITIES[quantity].arguments

        def evaluate(*given: Array) -> Array:
            arguments = dict(zip(names, given, strict=True))
            if self._fault.state and self._fault.changes(self._right):
                arguments = self._fault.state(self._right, arguments)
            answer = getattr(self._dynamics, quantity)(*arguments.values())
            if self._fault.answer and self._fault.answer[0] == quantity:
                return self._fault.answer[1](answer)
            return answer

        return evaluate


@cache
def edited(edits: tuple[Edit, ...]) -> Any:
    """The reference, computed by a copy of its modules in which ``edits`` are made.

    Raises :class:`LookupError` where the text to edit does not occur exactly once.
    """
    copies: dict[str, SimpleNamespace] = {}

    def imported(name: str, *rest: Any) -> Any:
        return copy(name.removeprefix(f"{PACKAGE}.")) if name.startswith(f"{PACKAGE}.") else builtins.__import__(name, *rest)

    def copy(module: str) -> SimpleNamespace:
        if module not in copies:
            names: dict[str, Any] = {
                "__name__": f"{PACKAGE}.{module}",
                "__builtins__": {**vars(builtins), "__import__": imported},
            }
            exec(_code(module, tuple(edit for edit in edits if edit.module == module)), names)
            copies[module] = SimpleNamespace(**names)
        return copies[module]

    return copy("reference").Reference()


@cache
def _code(module: str, edits: tuple[Edit, ...]) -> CodeType:
    """The code of a module of the reference with ``edits`` made."""
    text = files(spatial_algebra).joinpath(f"{module}.py").read_text("utf-8")
    for edit in edits:
        if text.count(edit.right) != 1:
            raise LookupError(f"{module}.py has {edit.right!r} {text.count(edit.right)} times, not once; edit it elsewhere")
        text = text.replace(edit.right, edit.wrong)
    return compile(text, f"{PACKAGE}.{module}", "exec")
