"""Mutants: implementations that are the reference but for one fault; and suppositions, cases in which code with a fault is right.

An edit is made in a private copy of the reference's modules, so that the reference itself never changes. In a supposition, the
judgements of a check tell whether code under test has just this fault. The reference in float64 serves as the truth, so that no
oracle is needed and any mechanism can be tried at once.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, lru_cache, partial
from importlib import import_module
from importlib.resources import files
from math import inf
from types import CodeType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from cross_check.explain import formulations
from cross_check.explain.faults.fault import NO_FAULT, WHOLE, Edit, Fault
from cross_check.explain.formulations import FORMULATIONS
from cross_check.explain.slips.instead import algorithm, algorithms, function_of
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.truth import ReferenceTruth
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from implementations import spatial_algebra
from implementations.algorithms import Algorithm, AlgorithmicDynamics
from implementations.field import Real, Tensor
from implementations.protocol import Unsupported
from implementations.spatial_algebra import reference as reference_module
from implementations.spatial_algebra.mimic import SOLVED, choose
from implementations.spatial_algebra.model import Link, Model, build, link_of
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Body, Mechanism
from mechanisms.quantities import ALL_QUANTITIES, CONSTRAINT_QUANTITIES

PACKAGE = spatial_algebra.__name__

FLOATS = Real()

DERIVATIVES = ("inverse_dynamics_dq", "inverse_dynamics_dv")


class Mutant:
    """The reference with one fault, as an implementation in float64."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        self.name = fault.name

    def load(self, mechanism: Mechanism) -> MutantDynamics:
        return MutantDynamics(self.fault, mechanism)


class MutantDynamics:
    """One mechanism; answers every quantity of :data:`mechanisms.quantities.ALL_QUANTITIES`."""

    def __init__(self, fault: Fault, mechanism: Mechanism) -> None:
        self.fault, self._right = fault, mechanism
        self.wrong = fault.mechanism_read(mechanism)

    @cached_property
    def _dynamics(self) -> Any:
        return loaded(tuple(edit.on(self.wrong) for edit in self.fault.edits), self.wrong)

    def is_right(self, quantity: str, arguments: dict[str, Array]) -> bool:
        """Whether the fault cannot change this quantity at these arguments, as far as one can know without computing."""
        fault = self.fault
        if not fault.changes(self._right):
            return True
        if fault.answers(quantity) or not modules_of(quantity).isdisjoint(edit.changed for edit in fault.edits):
            return False
        wrong, right = ((m.bodies, m.gravity, m.constraints) for m in (self.wrong, self._right))
        if wrong != right:
            return False
        read = fault.state_read(self._right, arguments)
        return all(np.array_equal(read[name], arguments[name]) for name in arguments)

    def __getattr__(self, quantity: str) -> Callable[..., Array]:
        if quantity not in ALL_QUANTITIES:
            raise AttributeError(quantity)
        names = ALL_QUANTITIES[quantity].arguments

        def evaluate(*given: Array) -> Array:
            fault, state = self.fault, dict(zip(names, given, strict=True))
            answer = getattr(self._dynamics, quantity)(*fault.state_read(self._right, state).values())
            answer = fault.answered(self._right, quantity, state, answer)
            if fault.condition and fault.changes(self._right):
                right = getattr(REFERENCE.load(self._right), quantity)(*given)
                rows = fault.condition(self._right, state).reshape(-1, *[1] * (right.ndim - 1))
                answer = np.where(rows, answer, right)
            return answer

        return evaluate


@lru_cache(16)
def loaded(edits: tuple[Edit, ...], mechanism: Mechanism) -> Any:
    """The reference with ``edits``, for one mechanism. Faults that change states and answers alone share it."""
    reference = edited(edits)
    if any(edit.module in ("model", "spatial") for edit in edits):
        return reference.REFERENCE.load(mechanism)
    own = {}
    if WHOLE in edits:
        module = next(edit.module for edit in edits if edit.module in FORMULATIONS and FORMULATIONS[edit.module].computes)
        own = algorithms(module, function_of(module, _edited(formulations, module, edits)))
    return AlgorithmicDynamics(mechanism, model_of(mechanism), {**_algorithms(reference), **own})


def _algorithms(reference: Any) -> dict[str, Any]:
    """By quantity."""
    return {**reference.ALGORITHMS, **reference.CONSTRAINED, **reference.INTEGRATION}


def model_of(mechanism: Mechanism) -> Model:
    """The reference's model in float64. Mechanisms that differ in one body share the links of the others."""
    return build(mechanism, FLOATS, lambda body, q, v, _: _link(body, q.start, v.start))


@lru_cache(4096)
def _link(body: Body, q: int, v: int) -> Link:
    return link_of(body, slice(q, q + body.joint.nq), slice(v, v + body.joint.nv), FLOATS)


@lru_cache(1024)
def edited(edits: tuple[Edit, ...]) -> Any:
    """The module :mod:`implementations.spatial_algebra.reference`, in a copy of the package in which ``edits`` are made.

    Modules that import none of the edited ones, directly or not, are not copied. Raises :class:`LookupError` where the text to
    edit does not occur exactly once.
    """
    if not edits:
        return reference_module
    copies: dict[str, SimpleNamespace] = {}
    changed = {edit.changed for edit in edits}

    def imported(name: str, *rest: Any) -> Any:
        module = name.removeprefix(f"{PACKAGE}.")
        return copy(module) if module != name and changed & used(module) else builtins.__import__(name, *rest)

    def copy(module: str) -> SimpleNamespace:
        if module not in copies:
            names: dict[str, Any] = {
                "__name__": f"{PACKAGE}.{module}",
                "__builtins__": {**vars(builtins), "__import__": imported},
            }
            exec(_code(module, tuple(edit for edit in edits if edit.module == module)), names)
            sources = dict.fromkeys(edit.module for edit in edits if edit.module != edit.changed == module)
            wrong = [algorithm(one, _edited(formulations, one, edits)) for one in sources]
            if wrong:
                own = [names[module]] if any(edit.module == module for edit in edits) else []
                names[module] = _together(module, *own, *wrong)
            copies[module] = SimpleNamespace(**names)
        return copies[module]

    return copy("reference")


def _together(module: str, first: Algorithm, *others: Algorithm) -> Algorithm:
    """An algorithm of the reference with the errors of all of these, which stand in its place."""
    if not others:
        return first
    right = getattr(import_module(f"{PACKAGE}.{module}"), module)

    def answered(*given: Any) -> Tensor:
        return first(*given) + sum(other(*given) - right(*given) for other in others)

    return answered


@cache
def used(module: str) -> frozenset[str]:
    """A module of the reference, and those of the package that it imports, directly or not."""
    text = files(spatial_algebra).joinpath(f"{module}.py").read_text("utf-8")
    return frozenset({module}).union(*map(used, re.findall(rf"^from {re.escape(PACKAGE)}\.(\w+) import", text, re.MULTILINE)))


@cache
def modules_of(quantity: str) -> frozenset[str]:
    """The modules of the reference in which an edit may change what it answers about a quantity."""
    # With mimic joints, M a + h = τ and its derivatives are solved by means of other quantities.
    asked = {quantity} if quantity not in SOLVED else {quantity, "mass_matrix", "nonlinear_effects", *DERIVATIVES}
    algorithms = _algorithms(reference_module)
    # What is constrained is solved with M, h and their derivatives.
    own = ("reference" if name in CONSTRAINT_QUANTITIES else _module(algorithms[name]) for name in asked)
    return frozenset({"reference", "mimic", "model"}).union(*map(used, own))


def _module(algorithm: Any) -> str:
    """The module of the package that has an algorithm."""
    while isinstance(algorithm, partial):
        algorithm = algorithm.args[0] if algorithm.func is choose else algorithm.func
    return str(algorithm.__module__).removeprefix(f"{PACKAGE}.")


@lru_cache(1024)
def _code(module: str, edits: tuple[Edit, ...]) -> CodeType:
    """The code of a module of the reference with ``edits`` made."""
    return compile(_edited(spatial_algebra, module, edits), f"{PACKAGE}.{module}", "exec")


def _edited(package: ModuleType, module: str, edits: Sequence[Edit]) -> bytes:
    """The source of a module with its edits made; those with a place come first, from the last place on."""
    text = files(package).joinpath(f"{module}.py").read_bytes()
    own = [edit for edit in edits if edit.module == module]
    for edit in sorted(own, key=lambda edit: -inf if edit.at is None else edit.at, reverse=True):
        right, at = edit.right.encode(), edit.at
        if at is None and text.count(right) == 1:
            at = text.index(right)
        if at is None or text[at : at + len(right)] != right:
            raise LookupError(f"{module}.py has {edit.right!r} {text.count(right)} times, not once; edit it elsewhere")
        text = text[:at] + edit.wrong.encode() + text[at + len(right) :]
    return text


LARGEST_CONDITION = 1e14
"""Of the mass matrix of code with a fault; beyond that, M a says nothing about a."""


class SupposedTruth(ReferenceTruth):
    """The reference with one fault, in float64, in the place of the truth."""

    def __init__(self, mechanism: Mechanism, dynamics: MutantDynamics | None = None, tau: Array | None = None) -> None:
        super().__init__(mechanism, dynamics or MutantDynamics(NO_FAULT, mechanism))
        fault = dynamics.fault if dynamics else NO_FAULT
        own = any(edit.module == "aba" for edit in fault.edits)
        reads = fault.changes(mechanism) and bool(own or fault.state or fault.answer or fault.condition)
        self._tau = tau if reads else None

    def forces(self, q: Array, v: Array, a: Array) -> tuple[Array, Array]:
        """τ (batch, nv) that a needs.

        Code that takes τ for another, answers otherwise, or has a fault of its own there, does not invert its inverse dynamics.
        What it answers to τ is known, so a needs M times its distance from that more than τ. Raises :class:`Unsupported` if this
        M is singular: then any a would do.
        """
        if self._tau is None:
            return super().forces(q, v, a)
        M = self.values("mass_matrix", q)
        if not (np.linalg.cond(M) < LARGEST_CONDITION).all():
            raise Unsupported("code with this fault has a singular M")
        off = a - self.dynamics.forward_dynamics(q, v, self._tau)
        tau: Array = self._tau + np.einsum("bij,bj->bi", M, off)
        return tau, np.zeros_like(tau)


def suppose(
    mechanism: Mechanism, states: States, dynamics: MutantDynamics | None = None, scale: ErrorScale | None = None
) -> Case:
    """The case in which ``dynamics``, the reference with a fault, is right at these states; of none, the reference itself.

    ``states.tau`` is kept. ``scale`` is that of the mechanism, for callers that have it already.
    """
    truth = SupposedTruth(mechanism, dynamics, states.tau)
    return Case.of(mechanism, truth, scale or ErrorScale(mechanism), states)


def with_forces(mechanism: Mechanism, states: States) -> States:
    """The states with the τ that the reference has there, for forward dynamics."""
    tau: Any = SupposedTruth(mechanism).dynamics.inverse_dynamics(states.q, states.v, states.a)
    return states.with_forces(np.asarray(tau, dtype=np.float64))


def restrictions(states: States, arguments: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """The velocities, accelerations and forces that are set to zero of a quantity's arguments, in words; last none.

    At rest fewer terms enter than with accelerations or velocities alone, and then fewer than in motion.
    """
    still, calm = np.zeros_like(states.v), np.zeros_like(states.f)
    if "v" in arguments:
        yield {"v": still, "a": still, "f": calm}, "at rest" if {"a", "tau"} & {*arguments} else "without velocity"
    if "a" in arguments or "tau" in arguments:
        yield {"v": still, "f": calm}, "with accelerations alone"
        yield {"a": still, "f": calm}, "with velocities alone"
    if "f" in arguments:
        yield {"v": still, "a": still}, "with forces on the bodies alone"
        yield {"f": calm}, "without forces on the bodies"
    yield {}, ""


def having_forces(mechanism: Mechanism, states: States) -> States:
    """The states; if no τ was given, with that of :func:`with_forces`."""
    return states if states.has_forces else with_forces(mechanism, states)
