"""What answers about constrained motion are judged by: the equations M x = b + Jᵀ μ, J x = c, their solution, and their sizes.

    acceleration:  b = τ − h,   c = −J̇ v
    impact:        b = M v⁻,    c = −r J v⁻
    unit forces:   b = 1,       c = 0
    derivatives:   see :mod:`cross_check.comparison.constrained_derivatives`

M, h, J and J̇ v are the oracle's, in double-double, at the float64 numbers that the code under test gets. Of rows that follow from
others where the constraints are satisfied, only independent ones are solved for (:mod:`oracle.multipliers`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cross_check.comparison.mass_matrix import MassMatrix
from cross_check.comparison.sampling import States
from cross_check.comparison.truth import Truth
from cross_check.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms.errors import Unsupported
from mechanisms.quantities import ByConstrainedMotion
from oracle.multipliers import gauss_jordan, solve

CONTRADICTION = 1e6
"""Constraints contradict each other if the error of J x = c in a dependent row is larger than this, in ε-units."""


class Equations(NamedTuple):
    """The equations at every state: (batch, …, columns). An acceleration or a velocity has one column, unit forces have nv."""

    M: DoubleDoubles
    J: DoubleDoubles
    c: DoubleDoubles
    x: DoubleDoubles
    pull: DoubleDoubles
    """Jᵀ μ."""
    forces: DoubleDoubles
    """The forces of the constraints: Jᵀ μ, and for derivatives also what the motion of J makes of λ."""
    multipliers: DoubleDoubles
    """μ of the independent rows."""
    size_of_b: Array
    """What is summed in M x, b and Jᵀ μ; shared among the coordinates (batch, nv, columns)."""
    size_of_c: Array
    """What is summed in J x and c, where x is rounded as M⁻¹ allows (batch, directions, columns)."""
    along: DoubleDoubles | None = None
    """The motions that the constraints allow (batch, columns of the answer, columns): answers are multiplied by them. None
    where answers are compared as they are."""

    def require_consistent(self) -> None:
        """Raise :class:`Unsupported` where rows that follow from others contradict them: the constraints are singular."""
        missed = (np.einsum("bij,bjk->bik", self.J, self.x) - self.c).high
        if (np.abs(missed) > CONTRADICTION * np.finfo(float).eps * self.size_of_c).any():
            raise Unsupported("the constraints are singular: rows that follow from others contradict them in acceleration")


@dataclass(frozen=True)
class ConstrainedSystem:
    """What the equations are made from, at states that satisfy the constraints."""

    truth: Truth
    scale: ErrorScale
    mass_matrix: MassMatrix
    states: States

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

    def shared(self, size_of_forces: Array) -> Array:
        """Sizes (batch, nv, columns) of an equation that is solved for all coordinates at once.

        It is the largest one, in units in which every subtree has the inertia one.
        """
        root = np.sqrt(self.scale.subtree_inertias(self.states.q))[..., None]
        return root * (size_of_forces / root).max(axis=1, keepdims=True)

    def solved(self, judged: ByConstrainedMotion) -> Equations:
        """The equations of an acceleration, of an impact, or of unit forces."""
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
