"""How far a mutant is from what is right: which faults some states, or the vectors of a file, would show.

On one mechanism at the states of a run, errors are measured in ε-units, as a check measures an implementation. The reference in
float64 serves as the truth, so that no oracle is needed. A fault is visible in a quantity if the error of the mutant is above the
bar in some state.

Flags of vectors keep their word if the fault of a flag shows at vectors with the flag, and at no others. It shows at a vector if
code with the fault does not pass it: a number is off by more than bar · ε · size, as the file has them. Answers that are not
finite, and exceptions, do not pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from cross_check.exchange.vectors.document import column, passes
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.flags import FLAGS, VectorFlag
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.supposition import having_forces, suppose
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


def errors_of(mutant: MutantDynamics, quantity: str, given: Sequence[Array], judge: Callable[[Array], Any]) -> Array:
    """The errors (states,) that ``judge`` finds in the mutant's answers at these arguments.

    They are zero where the fault cannot change the quantity, and infinite where the mutant fails.
    """
    try:
        state = dict(zip(QUANTITIES[quantity].arguments, given, strict=True))
        if mutant.fault is not NO_FAULT and mutant.is_right(quantity, state):
            return np.zeros(len(given[0]))
        with np.errstate(all="ignore"):
            return np.asarray(judge(np.asarray(getattr(mutant, quantity)(*given), np.float64)), np.float64)
    except (ArithmeticError, ValueError, Unsupported):
        return np.full(len(given[0]), np.inf)


class Measured:
    """The errors of mutants on one mechanism, at the states of a run. Every error is computed once, when it is asked for."""

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.mechanism = mechanism
        self._case = suppose(mechanism, having_forces(mechanism, states))
        self._errors: dict[tuple[str, str], Array] = {}
        # The quantities of one fault are asked for one after the other.
        self._mutant = lru_cache(1)(lambda fault: MutantDynamics(fault, mechanism))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of every state."""
        return self._case.states.kinds

    def velocities(self) -> Array:
        """[ω; v] of every body in every state, of the body's point at the root's origin: (states · bodies, 6)."""
        V = self._case.truth.values("velocities_world", *self._case.states.arguments(("q", "v")))
        return V.astype(np.float64).reshape(-1, 6)

    def errors(self, fault: Fault, quantity: str) -> Array:
        """The largest error of the mutant in every state (states,), in ε-units.

        It is zero where the quantity is undefined, and infinite where the mutant fails.
        """
        key = (fault.name, quantity)
        if key not in self._errors:
            arguments = self._case.states.arguments(QUANTITIES[quantity].arguments)
            self._errors[key] = np.zeros(len(self._case.states))
            if self._is_defined(quantity):
                judge = lambda answer: self._units(quantity, answer)  # noqa: E731
                self._errors[key] = errors_of(self._mutant(fault), quantity, arguments, judge)
        return self._errors[key]

    def is_visible(self, fault: Fault, quantity: str, bar: float) -> bool:
        return bool((self.errors(fault, quantity) > bar).any())

    def _is_defined(self, quantity: str) -> bool:
        try:
            QUANTITIES[quantity].require_defined(self.mechanism)
            if QUANTITIES[quantity].needs_regular_mass_matrix:
                self._case.mass_matrix.require_regular(self._case.states.q)
        except Unsupported:
            return False
        return True

    def _units(self, quantity: str, answer: Array) -> Array:
        """The largest error of an answer in every state."""
        is_number = np.isfinite(answer).reshape(len(answer), -1).all(axis=1)
        if not is_number.all():
            return np.where(is_number, 0, np.inf)
        units = compare(self._case, QUANTITIES[quantity], answer).units
        return np.nan_to_num(units, nan=np.inf).reshape(len(answer), -1).max(axis=1)


Document = Mapping[str, Any]


@dataclass(frozen=True)
class Shown:
    """Counts of vectors: with the flag, those of them at which its fault shows, and those without the flag at which it shows."""

    flag: VectorFlag
    flagged: int = 0
    caught: int = 0
    others: int = 0

    def __add__(self, other: Shown) -> Shown:
        """The counts of both."""
        return Shown(self.flag, self.flagged + other.flagged, self.caught + other.caught, self.others + other.others)

    @property
    def is_adequate(self) -> bool:
        return self.caught > 0 and self.others == 0


def adequacy(files: Iterable[tuple[Document, Mechanism]], flags: Iterable[VectorFlag] = FLAGS) -> dict[str, Shown]:
    """By the name of a flag: what its fault does to the vectors of ``files``, which are documents with their mechanisms."""
    table = {flag.name: Shown(flag) for flag in flags}
    for document, mechanism in files:
        for name, row in table.items():
            has = np.array([name in vector["flags"] for vector in document["vectors"]])
            shows = fails(document, mechanism, row.flag.fault)
            table[name] = row + Shown(row.flag, int(has.sum()), int((shows & has).sum()), int((shows & ~has).sum()))
    return table


def fails(document: Document, mechanism: Mechanism, fault: Fault = NO_FAULT) -> Array:
    """The vectors (vectors,) that the reference with ``fault`` does not pass."""
    quantity, vectors = document["quantity"], document["vectors"]
    arguments = [column(vectors, name) for name in quantity["arguments"]]
    mutant = MutantDynamics(fault, mechanism)
    return errors_of(mutant, quantity["name"], arguments, lambda got: np.logical_not(passes(document, got))) > 0
