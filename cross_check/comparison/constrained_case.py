"""The case of a mechanism with constraints: its states, and the equations with multipliers that answers are judged by.

    M x = b + Jᵀ μ,   J x = c          acceleration:  b = τ − h,   c = −J̇ v
                                       impact:        b = M v⁻,    c = −r J v⁻
                                       unit forces:   b = 1,       c = 0
                                       derivatives:   see :mod:`cross_check.comparison.constrained_derivatives`

M, h, J and J̇ v are the oracle's, in double-double, at the float64 numbers that the code under test gets. Of rows that follow from
others where the constraints are satisfied, only independent ones are solved for (:mod:`oracle.multipliers`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_derivatives import by_state, by_velocity
from cross_check.comparison.constrained_equations import Equations
from cross_check.comparison.constrained_states import ConstrainedStates, Search
from cross_check.comparison.mass_matrix import MassMatrix
from cross_check.comparison.sampling import States
from cross_check.comparison.truth import Truth
from cross_check.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.quantities import ByConstrainedMotion
from oracle.multipliers import gauss_jordan, solve

DERIVATIVES = {"by state": by_state, "by velocity": by_velocity}

NOT_UNIQUE = "rows of J follow from others, so λ is not unique, and its derivative along motions of q depends on which λ is taken"

CONTRADICTION = 1e6
"""Constraints contradict each other if the error of J x = c in a dependent row is larger than this, in ε-units."""


@dataclass(frozen=True)
class ConstrainedCase(Case):
    """The states satisfy the constraints. The answers of code under test are compared with :meth:`equations`."""

    states: ConstrainedStates
    kept: dict[ByConstrainedMotion, Equations] = field(default_factory=dict, kw_only=True)

    def at(self, truth: Truth, states: States) -> Case:
        return replace(super().at(truth, states), kept={})  # type: ignore[call-arg]

    @property
    def jacobian(self) -> DoubleDoubles:
        """J (batch, directions, nv)."""
        return DoubleDoubles(*self.truth.high_low("constraint_jacobian", self.states.q))

    @property
    def mass(self) -> DoubleDoubles:
        """M (batch, nv, nv)."""
        return DoubleDoubles(*self.truth.high_low("mass_matrix", self.states.q))

    @property
    def delassus_matrix(self) -> DoubleDoubles:
        """J M⁻¹ Jᵀ (batch, directions, directions)."""
        J: Any = self.jacobian
        JT = J.swapaxes(1, 2)
        return np.einsum("bij,bjk->bik", J, gauss_jordan(np.concatenate([self.mass, JT], 2)))

    @property
    def projection(self) -> Array:
        """M ∂x/∂b (batch, nv, nv): it takes forces to the part that the constraints do not bear."""
        free = self.equations(ByConstrainedMotion("unit forces")).x.high
        return np.einsum("bij,bjk->bik", self.mass.high, free)

    def equations(self, judged: ByConstrainedMotion) -> Equations:
        """Raises :class:`Unsupported` where rows that follow from others contradict them: the constraints are singular; and for
        derivatives of λ along motions of q where λ is not unique."""
        redundant = self.states.rank < len(self.mechanism.constrained_directions)
        if redundant and (judged.problem, judged.answer) == ("by state", "multipliers"):
            raise Unsupported(NOT_UNIQUE)
        key = ByConstrainedMotion(judged.problem, restitution=judged.restitution)
        if key not in self.kept:
            self.kept[key] = DERIVATIVES[key.problem](self) if key.problem in DERIVATIVES else self._solved(key)
            self._require_consistent(self.kept[key])
        return self.kept[key]

    def shared(self, size_of_forces: Array) -> Array:
        """Sizes (batch, nv, columns) of an equation that is solved for all coordinates at once.

        It is the largest one, in units in which every subtree has the inertia one.
        """
        root = np.sqrt(self.scale.subtree_inertias(self.states.q))[..., None]
        return root * (size_of_forces / root).max(axis=1, keepdims=True)

    def _solved(self, judged: ByConstrainedMotion) -> Equations:
        states, M, J = self.states, self.mass, self.jacobian
        q, v, v_minus = states.q, states.v, states.v_minus
        size_of_J, size_of_M = self.scale.size("constraint_jacobian", q), self.scale.size("mass_matrix", q)
        b: Any
        c: Any
        match judged.problem:
            case "acceleration":
                b = (states.tau - self.truth.values("nonlinear_effects", q, v))[..., None]
                c = -self.truth.values("constraint_drift", q, v)[..., None]
                size_of_b = (np.abs(states.tau) + self.scale.size("nonlinear_effects", q, v))[..., None]
                size_of_c = self.scale.size("constraint_drift", q, v)[..., None]
            case "impact":
                b = np.einsum("bij,bj->bi", M, v_minus)[..., None]
                r = float(judged.restitution)
                c = (-r * np.einsum("bij,bj->bi", J, v_minus))[..., None]
                size_of_b = size_of_M @ np.abs(v_minus)[..., None]
                size_of_c = r * size_of_J @ np.abs(v_minus)[..., None]
            case "unit forces":
                one = np.broadcast_to(np.eye(v.shape[1]), (len(v), v.shape[1], v.shape[1]))
                b, c = DoubleDoubles(one, 0 * one), DoubleDoubles(*(2 * [np.zeros((*J.shape[:2], v.shape[1]))]))
                size_of_b, size_of_c = one, np.zeros(c.shape)
        every, rows = np.arange(len(v))[:, None], states.rows
        own = J[every, rows]
        x, μ = solve(M, own, b, c[every, rows])
        forces = np.einsum("bji,bjk->bik", own, μ)
        inverse = self.mass_matrix.inverse(q)
        size_of_b = size_of_b + size_of_M @ np.abs(x.high) + size_of_J[every, rows].swapaxes(1, 2) @ np.abs(μ.high)
        # Code may add the motions that b and every multiplier cause alone.
        alone = np.abs(inverse @ b.high) + np.abs(inverse @ own.high.swapaxes(1, 2)) @ np.abs(μ.high)
        rounded = np.abs(inverse) @ self.shared(size_of_b + size_of_M @ alone)
        size_of_c = size_of_c + size_of_J @ (np.abs(x.high) + alone) + np.abs(J.high) @ rounded
        return Equations(M, J, c, x, forces, forces, μ, self.shared(size_of_b), size_of_c)

    def _require_consistent(self, solved: Equations) -> None:
        missed = (np.einsum("bij,bjk->bik", solved.J, solved.x) - solved.c).high
        if (np.abs(missed) > CONTRADICTION * np.finfo(float).eps * solved.size_of_c).any():
            raise Unsupported("the constraints are singular: rows that follow from others contradict them in acceleration")


class ConstrainedModel:
    """What is derived once for a mechanism with constraints."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._search, self._truth, self._scale = Search(mechanism), Truth(mechanism), ErrorScale(mechanism)

    def case(self, drawn: States, first: int = 0) -> ConstrainedCase:
        """The case at states that satisfy the constraints, begun from drawn ones. The accelerations drawn give τ.

        Raises :class:`Unsupported` if no such states are found.
        """
        states = self._search.satisfying(drawn)
        truth = self._truth.afresh()
        τ, _ = truth.forces(states.q, states.v, states.a)
        states = states.with_forces(τ)  # type: ignore[assignment]
        return ConstrainedCase(self.mechanism, truth, self._scale, MassMatrix(truth, self._scale, first), states, first)
