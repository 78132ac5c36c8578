"""Conventions of coordinates as faults: kept throughout, only in what is read, or only in what is answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from cross_check.explain.faults.changes.states import State
from cross_check.explain.faults.changes.wrappers import Mend
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import loaded
from cross_check.memory import Array
from implementations.conventions import coordinates
from implementations.conventions.coordinates import DRIFTS, answered, read
from implementations.conventions.rates import varies
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.joint_kinds import Kind
from mechanisms.quantities import QUANTITIES, USUAL

Rates = Callable[[Any, Any], Any]
"""T (batch, nv, nv) or (nv, nv) of the mechanism at our positions q (batch, nq)."""

Position = Callable[[Any, Any], Any]
"""Positions (…, nq) of the mechanism and others."""

Matrix = Callable[[Any, Sequence[slice]], Any]
"""The matrix A of the mechanism with x = A x', where the slices are those of its bodies in x: in q, or in v."""

WAYS = (("", True, True), (", but only in what is read", True, False), (", but only in the answers", False, True))
"""How a convention is kept: in words, whether in what is read, and whether in the answers."""


@dataclass(frozen=True)
class Coordinates:
    """Code whose q, v and a are others than ours: v = T v' and a = T a' + b. ``clause`` is the beginning of a sentence.

    T is the product of ``rates``. Wrappers for users contain the text of the functions. Their parameters, if any, are given by
    :func:`functools.partial`.
    """

    clause: str
    group: str
    rates: tuple[Rates, ...] = ()
    bias: Callable[[Any, Any, Any], Any] | None = None
    """b, of the mechanism, our q and our v."""
    bias_in_drifts: bool = True
    """Whether h and the drifts of Jacobians are those where a' is zero; otherwise those where a is zero."""
    positions: tuple[Position, Position] | None = None
    """Our q of the code's, and the code's q of ours."""
    forces: bool = True
    """Whether forces change with velocities, so that τᵀ v stays the same."""
    kinds: tuple[Kind, ...] = ()
    where: tuple[str, ...] = ()

    def ours(self, m: Mechanism, state: State) -> State:
        """The state as such code reads it."""
        q = self.positions[0](m, state["q"]) if self.positions else state["q"]
        new = read({**state, "q": q}, product(self.rates, m, q), 0, self.forces)
        if self.bias and "a" in new:
            new["a"] = new["a"] + self.bias(m, q, new["v"])
        return new

    def answer(self, m: Mechanism, name: str, state: State, x: Array, reads: bool = True) -> Array:
        """The answer of such code, where ``x`` is ours at the state as it reads it; not ``reads``: at the state as it is."""
        if reads and name in self.without_derivatives:
            raise Unsupported("T depends on q, and its derivatives are not known")
        ours = self.ours(m, state) if reads else state
        b: Any = self.bias(m, ours["q"], ours["v"]) if self.bias and "v" in ours else np.zeros(1)
        if name in DRIFTS and not (reads and self.bias_in_drifts):
            b = np.zeros(1)
        T = product(self.rates, m, ours["q"])
        return answered(name, x, T, b, self.forces, lambda other: getattr(loaded((), m), other)(ours["q"]))

    @property
    def without_derivatives(self) -> tuple[str, ...]:
        """Quantities that contain derivatives of T or b, which we do not have."""
        unknown = coordinates.without_derivatives(varies(self.rates), bool(self.bias))
        return tuple(name for name in USUAL if name in unknown)

    @property
    def answers_change(self) -> tuple[str, ...]:
        """The quantities whose answers differ from ours at the same state."""
        rows = (*coordinates.ACCELERATIONS, *(coordinates.FORCES if self.forces else ()))
        names = {*rows, *coordinates.COLUMNS} if self.rates else set[str]()
        if self.bias:
            names |= {"forward_dynamics", *DRIFTS, *self.without_derivatives}
        return tuple(name for name in USUAL if name in names)

    def acts(self, m: Mechanism) -> bool:
        """Whether each part of it, positions, T and b, changes something, at numbers that have nothing in common."""
        q, v = np.linspace(0.2, 0.7, m.nq), np.linspace(0.3, 0.8, m.nv)
        return not (
            (self.positions and np.array_equal(self.positions[0](m, q), q))
            or (self.rates and np.array_equal(product(self.rates, m, q), np.eye(m.nv)))
            or (self.bias and not self.bias(m, q, v).any())
        )

    def faults(self) -> Iterator[Fault]:
        """Such code, and code that keeps the convention only where it reads, or only where it answers."""
        back, needs = self.answers_change, lru_cache(256)(self.acts)
        for words, reads, answers in WAYS if back else [("", True, False)]:
            yield Fault(
                self.clause + words,
                self.group,
                state=self.ours if reads else None,
                answer=partial(self.answer, reads=reads) if answers else None,
                quantities=back if answers else (),
                kinds=self.kinds,
                needs=needs,
                where=self.where,
                mends=(self._mend(reads, answers),),
            )

    def _mend(self, reads: bool, answers: bool) -> Mend:
        """What undoes this in code that keeps the convention in what it reads, or in what it answers."""
        skipped = self.without_derivatives if reads and answers else ()
        columns = {"v", "a", "tau", *("q" if self.positions else "")} if reads else set[str]()
        back = self.answers_change if answers else ()
        names = (name for name in USUAL if columns & {*QUANTITIES[name].arguments} or name in back)
        theirs = self.positions[1] if reads and self.positions else None
        convention = (self.rates, self.bias, theirs, reads, answers, self.forces, reads and self.bias_in_drifts)
        also = (name for name in DRIFTS.values() if name in USUAL and self.bias)
        return Mend(tuple(name for name in names if name not in skipped), partial(undone, convention), tuple(also))

    def alone(self, q: str, v: str = "") -> Iterator[Fault]:
        """Such code, code with such positions alone, and code with such velocities, accelerations and forces alone, if named."""
        # What it answers follows from v and a alone, so that the third of the first ones is among the last ones.
        yield from list(self.faults())[: 2 if v else 3]
        yield from replace(self, clause=q, rates=()).faults()
        if v:
            yield from replace(self, clause=v, positions=None).faults()


def product(rates: Any, mechanism: Any, q: Any) -> Any:
    """The product T (…, nv, nv) of these factors at our q (…, nq)."""
    T = np.zeros((*q.shape[:-1], 1, 1)) + np.eye(mechanism.nv)
    for rate in rates:
        T = T @ rate(mechanism, q)
    return T


def undone(convention: Any, name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    """The right answer, of code with other coordinates where it ``reads`` or ``answers``: T⁻¹ is in place of T, −T⁻¹ b of b.

    ``theirs`` gives the code's q. Of quantities at a = 0, the code has those at a' = 0 if b is ``in_drifts``.
    """
    rates, bias, theirs, reads, answers, forces, in_drifts = convention
    q = state["q"]
    T = product(rates, mechanism, q)
    b = bias(mechanism, q, state["v"]) if bias and "v" in state else np.zeros(mechanism.nv)
    T, b = np.linalg.inv(T), -np.linalg.solve(T, b)
    given = read(state, T, b, forces) if reads else dict(state)
    if theirs:
        given["q"] = theirs(mechanism, q)
    if not answers:
        return ask(name, given)
    b = b if in_drifts or name not in DRIFTS else 0 * b
    return answered(name, ask(name, given), T, b, forces, lambda other: ask(other, given))


def linear(clause: str, group: str, matrix: Matrix, **others: Any) -> Coordinates:
    """Code whose q and v are linear in ours, in the same way."""
    positions = (partial(positions_by, matrix, 1), partial(positions_by, matrix, -1))
    return Coordinates(clause, group, (partial(rates_by, matrix),), positions=positions, **others)


def identity(slices: Sequence[slice]) -> Any:
    """The matrix one for the numbers in these slices; the last body may share those of another one."""
    return np.eye(max(own.stop for own in slices))


def rates_by(matrix: Any, mechanism: Any, q: Any) -> Any:
    """T (nv, nv) of a matrix."""
    return matrix(mechanism, mechanism.v_slices)


def positions_by(matrix: Any, power: int, mechanism: Any, q: Any) -> Any:
    """A q (…, nq), or, with the power −1, A⁻¹ q."""
    return q @ np.linalg.matrix_power(matrix(mechanism, mechanism.q_slices), power).T
