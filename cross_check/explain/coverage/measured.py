"""How far a mutant is from the reference on one mechanism: in ε-units, as a check measures an implementation.

The reference in float64 serves as the truth, so that no oracle is needed. A fault is visible in a quantity if the error of the
mutant is above the bar in some state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import MutantDynamics
from cross_check.explain.faults.supposition import having_forces, suppose
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES


class Measured:
    """The errors of mutants on one mechanism, at the states of a run. Every error is computed once, when it is asked for."""

    def __init__(self, mechanism: Mechanism, states: States) -> None:
        self.mechanism = mechanism
        self._case = suppose(mechanism, having_forces(mechanism, states))
        self._errors: dict[tuple[str, str], Array] = {}
        self._mutants: dict[str, MutantDynamics] = {}

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
            self._errors[key] = self._measure(fault, quantity)
        return self._errors[key]

    def forget(self, fault: Fault) -> None:
        """Free what was kept of this fault."""
        self._errors = {key: errors for key, errors in self._errors.items() if key[0] != fault.name}
        self._mutants.pop(fault.name, None)

    def is_visible(self, fault: Fault, quantity: str, bar: float) -> bool:
        return bool((self.errors(fault, quantity) > bar).any())

    def _measure(self, fault: Fault, name: str) -> Array:
        quantity, states = QUANTITIES[name], self._case.states
        arguments = states.arguments(quantity.arguments)
        nothing: Array = np.zeros(len(states))
        try:
            quantity.require_defined(self.mechanism)
            if quantity.needs_regular_mass_matrix:
                self._case.mass_matrix.require_regular(states.q)
        except Unsupported:
            return nothing
        try:
            if fault.name not in self._mutants:
                self._mutants[fault.name] = MutantDynamics(fault, self.mechanism)
            mutant = self._mutants[fault.name]
            if mutant.is_right(name, dict(zip(quantity.arguments, arguments, strict=True))):
                return nothing
            with np.errstate(all="ignore"):
                answer: Any = np.asarray(getattr(mutant, name)(*arguments), dtype=np.float64)
                if not np.isfinite(answer).all():
                    return np.where(np.isfinite(answer).reshape(len(states), -1).all(axis=1), 0, np.inf)
                units = compare(self._case, quantity, answer).units
        except (ArithmeticError, ValueError, Unsupported):
            return np.full(len(states), np.inf)
        return np.nan_to_num(units, nan=np.inf).reshape(len(states), -1).max(axis=1)
