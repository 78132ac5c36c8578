"""Conventions of coordinates as faults: kept throughout, only in what is read, or only in what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.explain.faults.wrappers import wrapper
from cross_check.explain.faults.wrong_states import State
from cross_check.memory import Array
from implementations.conventions import coordinates, rates
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import QUANTITIES, USUAL

Rates = Callable[[Mechanism, Array], Array]
"""T (batch, nv, nv) of the mechanism at our positions q (batch, nq)."""


@dataclass(frozen=True)
class Coordinates:
    """Code whose q, v and a are others than ours: v = T v' and a = T a' + b. ``clause`` is the beginning of a sentence.

    T is the product of ``rates``. Its parameters, if any, are given by :func:`functools.partial`.
    """

    clause: str
    group: str
    rates: tuple[Rates, ...] = ()
    varies: bool = False
    """Whether T depends on q."""
    bias: Callable[[Mechanism, Array, Array], Array] | None = None
    """b, of the mechanism, our q and our v."""
    bias_in_drifts: bool = True
    """Whether h and the drifts of Jacobians are those where a' is zero; otherwise those where a is zero."""
    position: Callable[[Mechanism, Array], Array] | None = None
    """Our q, of the code's."""
    position_back: Callable[[Mechanism, Array], Array] | None = None
    """The code's q, of ours."""
    forces: bool = True
    """Whether forces change with velocities, so that τᵀ v stays the same."""
    kinds: tuple[Kind, ...] = ()
    needs: Callable[[Mechanism], bool] = lambda mechanism: True
    where: tuple[str, ...] = ()
    helpers: tuple[Callable[..., Any], ...] = ()
    """Functions that the others call."""

    def T(self, m: Mechanism, q: Array) -> Array:
        """(batch, nv, nv) at our q."""
        T: Array = np.broadcast_to(np.eye(m.nv), (len(q), m.nv, m.nv))
        for rate in self.rates:
            T = T @ rate(m, q)
        return T

    def ours(self, m: Mechanism, state: State) -> State:
        """The state as such code reads it."""
        q = self.position(m, state["q"]) if self.position else state["q"]
        T = self.T(m, q)
        read = coordinates.read({**state, "q": q}, T, 0, self.forces)
        if self.bias and "a" in read:
            read["a"] = read["a"] + self.bias(m, q, read["v"])
        return read

    def answer(self, m: Mechanism, name: str, state: State, x: Array, reads: bool = True) -> Array:
        """The answer of such code, where ``x`` is ours at the state as it reads it; not ``reads``: at the state as it is."""
        if reads and name in self.without_derivatives:
            raise Unsupported("T depends on q, and its derivatives are not known")
        ours = self.ours(m, state) if reads else state
        b: Any = self.bias(m, ours["q"], ours["v"]) if self.bias and "v" in ours else np.zeros(1)
        if name in coordinates.DRIFTS and not (reads and self.bias_in_drifts):
            b = np.zeros(1)
        return coordinates.answered(
            name, x, self.T(m, ours["q"]), b, self.forces, lambda other: getattr(loaded((), m), other)(ours["q"])
        )

    @property
    def without_derivatives(self) -> tuple[str, ...]:
        """Quantities that contain derivatives of T or b, which we do not have."""
        by_q = ("inverse_dynamics_dq", "forward_dynamics_dq", "coriolis_matrix") if self.varies or self.bias else ()
        return (*by_q, *(("inverse_dynamics_dv", "forward_dynamics_dv") if self.bias else ()))

    @property
    def answers_change(self) -> tuple[str, ...]:
        """The quantities whose answers differ from ours at the same state."""
        rows = coordinates.ACCELERATIONS if not self.forces else (*coordinates.FORCES, *coordinates.ACCELERATIONS)
        names = {*(rows if self.rates else ()), *(coordinates.COLUMNS if self.rates else ())}
        if self.bias:
            names |= {"forward_dynamics", *coordinates.DRIFTS, *self.without_derivatives}
        return tuple(name for name in USUAL if name in names)

    def faults(self) -> Iterator[Fault]:
        """Such code, and code that keeps the convention only where it reads, or only where it answers."""
        make = partial(Fault, group=self.group, kinds=self.kinds, needs=self.needs, where=self.where)
        back, read_only = self.answers_change, f"{self.clause}, but only in what is read"
        if not back:
            yield make(self.clause, state=self.ours, inverse=self._inverse(self.clause, True, False))
            return
        yield make(
            self.clause, state=self.ours, answer=self.answer, quantities=back, inverse=self._inverse(self.clause, True, True)
        )
        yield make(read_only, state=self.ours, inverse=self._inverse(read_only, True, False))
        answers_only = f"{self.clause}, but only in the answers"
        answer = partial(self.answer, reads=False)
        yield make(answers_only, answer=answer, quantities=back, inverse=self._inverse(answers_only, False, True))

    def _inverse(self, name: str, reads: bool, answers: bool) -> str:
        """The wrapper: it has T⁻¹ for T and −T⁻¹ b for b."""
        T = " @ ".join(f"{expression(rate)}(mechanism, q)" for rate in self.rates) or "np.eye(mechanism.nv)"
        bias = f"{expression(self.bias)}(mechanism, q, state['v'])" if self.bias else ""
        lines = [
            "q = state['q']",
            f"T = {T}",
            f"b = {bias} if 'v' in state else np.zeros(mechanism.nv)" if bias else "b = np.zeros(mechanism.nv)",
            "T, b = np.linalg.inv(T), -np.linalg.solve(T, b)",
            f"theirs = read(state, T, b, {self.forces})" if reads else "theirs = state",
            *([f"theirs['q'] = {expression(self.position_back)}(mechanism, q)"] if reads and self.position_back else ()),
            *(["b = 0 * b if name in DRIFTS else b"] if not (reads and self.bias_in_drifts) else ()),
            f"return answered(name, ask(name, theirs), T, b, {self.forces}, lambda other: ask(other, theirs))"
            if answers
            else "return ask(name, theirs)",
        ]
        skipped = self.without_derivatives if reads and answers else ()
        columns = {"q", "v", "a", "tau"} if self.position else {"v", "a", "tau"}
        changed = {name for name in USUAL if reads and columns & {*QUANTITIES[name].arguments}}
        changed |= set(self.answers_change if answers else ())
        names = [name for name in USUAL if name in changed and name not in skipped]
        constants = [f"{name} = {getattr(coordinates, name)!r}" for name in coordinates.TABLES]
        functions = [source_of(f) for f in (*self.rates, self.bias, self.position_back) if f]
        used = (coordinates.read, coordinates.answered)
        also = (*coordinates.JACOBIANS, "mass_matrix") if self.bias else ()
        return wrapper(name, names, "\n".join(lines), *constants, *used, *self.helpers, *functions, also=also)


def source_of(function: Any) -> Callable[..., Any]:
    """The function that has a source: a partial function's own."""
    return function.func if isinstance(function, partial) else function


def expression(function: Any) -> str:
    """Python source of a function, or of a partial function whose parameters are functions or plain data."""
    if not isinstance(function, partial):
        return str(function.__name__)
    parameters = [expression(x) if callable(x) else repr(x) for x in function.args]
    return f"partial({', '.join((function.func.__name__, *parameters))})"


OF_FREE_JOINTS = (rates.of_free_joints, rates.rotation, rates.crossing, rates.blocks)
"""What the functions of :mod:`implementations.conventions.rates` call."""
