"""What answers about constrained motion are judged by: the equations M x = b + Jᵀ μ, J x = c, their solution, and their sizes.

    acceleration:  b = τ − h,        c = −J̇ v
    impact:        b = M v⁻,         c = −r J v⁻
    unit forces:   b = 1,            c = 0
    by velocity:   b = −∂ID/∂v,      c = −∂(J̇ v)/∂v
    by state:      the same, and b = −∂ID/∂q + ∂(Jᵀ λ)/∂q,      c = −∂(J̇ v)/∂q − ∂J/∂q a

M, h, J, J̇ v and derivatives are the oracle's, in double-double, at the float64 numbers that the code under test gets. Of rows
that follow from others where the constraints are satisfied, only independent ones are solved for (:mod:`oracle.multipliers`).

Engines give ∂a/∂q and ∂a/∂v. Where the constraint is violated, a depends on how J and the drift are continued there, and so do
these matrices. Only their products with motions (δq, δv) that keep the constraint are the same for all
(docs/notes/constraints.md, eqs. 10–14):

    J δq = 0,        J δv + ∂(J v)/∂q δq = 0                                    eq. 10

For every coordinate k, δq is what a plastic impact leaves of the velocity e_k alone: the nearest to e_k in kinetic energy. δv is
the smallest one, in kinetic energy, that belongs to it. The same motions are those of v at rest in q: δq = 0, J δv = 0. So every
column has the name of a coordinate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.truth import MassMatrix, Truth
from cross_check.judge.error_scale.sizes import ErrorScale
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from mechanisms.errors import Unsupported
from mechanisms.quantities import ByConstrainedMotion
from oracle.multipliers import gauss_jordan, solve

CONTRADICTION = 1e6
"""Constraints contradict each other if the error of J x = c in a dependent row is larger than this, in ε-units."""

FIXED = 1e-9
"""A coordinate of which an impact leaves less than this part of the velocity, in kinetic energy, is fixed: its column is zero."""

NOT_UNIQUE = "rows of J follow from others, so λ is not unique, and its derivative along motions of q depends on which λ is taken"


class Sides(NamedTuple):
    """The right sides b (batch, nv, columns) and c (batch, directions, columns), and the sizes of what is summed in them."""

    b: Any
    c: Any
    size_of_b: Array
    size_of_c: Array

    def beside(self, other: Sides) -> Sides:
        return Sides(*(np.concatenate(pair, 2) for pair in zip(self, other, strict=True)))


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
        missed = (_product(self.J, self.x) - self.c).high
        if (np.abs(missed) > CONTRADICTION * np.finfo(float).eps * self.size_of_c).any():
            raise Unsupported("the constraints are singular: rows that follow from others contradict them in acceleration")


class ConstrainedSystem:
    """What the equations are made from, at states that satisfy the constraints. Solutions are kept."""

    def __init__(self, truth: Truth, scale: ErrorScale, mass_matrix: MassMatrix, states: States) -> None:
        self.truth, self.scale, self.mass_matrix, self.states = truth, scale, mass_matrix, states
        self.is_redundant = states.rank < len(truth.mechanism.constrained_directions)
        self._solved: dict[ByConstrainedMotion, Equations] = {}

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
        return _product(J, gauss_jordan(np.concatenate([self.mass, J.swapaxes(1, 2)], 2)))

    def independent(self, x: Any) -> Any:
        """The independent rows (batch, rank, …) of x (batch, directions, …)."""
        return x[np.arange(len(self.states))[:, None], self.states.rows]

    def shared(self, size_of_forces: Array) -> Array:
        """Sizes (batch, nv, columns) of an equation that is solved for all coordinates at once.

        It is the largest one, in units in which every subtree has the inertia one.
        """
        root = np.sqrt(self.scale.subtree_inertias(self.states.q))[..., None]
        return root * (size_of_forces / root).max(axis=1, keepdims=True)

    def _size_of_given(self, x: Array) -> Array:
        """The size of numbers that code is given, and rounds at most once."""
        return self.scale.precision.coarseness * np.maximum(np.abs(x), self.scale.precision.whole)

    def equations(self, judged: ByConstrainedMotion) -> Equations:
        """Raises :class:`Unsupported` where rows that follow from others contradict them: the constraints are singular; and for
        derivatives of λ along motions of q where λ is not unique."""
        if self.is_redundant and (judged.problem, judged.answer) == ("by state", "multipliers"):
            raise Unsupported(NOT_UNIQUE)
        key = ByConstrainedMotion(judged.problem, restitution=judged.restitution)
        if key not in self._solved:
            solved = self._along_motions(key) if key.problem in ("by state", "by velocity") else self._of(self._sides(key))
            solved.require_consistent()
            self._solved[key] = solved
        return self._solved[key]

    def allowed_motions(self) -> DoubleDoubles:
        """What a plastic impact leaves of the unit velocity of every coordinate (batch, nv, nv), zero where that is nothing."""
        own, M = self.independent(self.jacobian), self.mass.high
        motions, _ = solve(self.mass, own, self.mass, _exactly(np.zeros(own.shape)))
        energy = np.einsum("bik,bij,bjk->bk", motions.high, M, motions.high)
        moves = energy > FIXED * np.diagonal(M, axis1=1, axis2=2)
        return DoubleDoubles(*(np.where(moves[:, None], x, 0.0) for x in (motions.high, motions.low)))

    def _sides(self, judged: ByConstrainedMotion) -> Sides:
        states, values, size = self.states, self.truth.values, self.scale.size
        q, v, v_minus = states.q, states.v, states.v_minus
        match judged.problem:
            case "acceleration":
                b, c = states.tau - values("nonlinear_effects", q, v), -values("constraint_drift", q, v)
                sizes = self._size_of_given(states.tau) + size("nonlinear_effects", q, v), size("constraint_drift", q, v)
            case "impact":
                r = float(judged.restitution)
                b, c = np.einsum("bij,bj->bi", self.mass, v_minus), -r * np.einsum("bij,bj->bi", self.jacobian, v_minus)
                of_M, of_J = size("mass_matrix", q), size("constraint_jacobian", q)
                sizes = _dot(of_M, np.abs(v_minus)), r * _dot(of_J, np.abs(v_minus))
            case _:
                one = np.broadcast_to(np.eye(v.shape[1]), (len(v), v.shape[1], v.shape[1]))
                zero = np.zeros(self.jacobian.shape)
                return Sides(_exactly(one), _exactly(zero), self._size_of_given(one), zero)
        return Sides(*(x[..., None] for x in (b, c, *sizes)))

    def _along_motions(self, judged: ByConstrainedMotion) -> Equations:
        """The equations of the derivatives along (δq, δv), and then along δv alone; or along δv alone."""
        δq = self.allowed_motions()
        q, v = self.states.q, self.states.v
        names = "inverse_dynamics_dv", "constraint_drift_dv"
        by_v = Sides(*(-self.truth.values(name, q, v) for name in names), *(self.scale.size(name, q, v) for name in names))
        if judged.problem == "by velocity":
            return self._of(by_v, δq)
        dJ: Any = self.truth.values("constraint_jacobian_dq", q)
        by_q, turned = self._by_position(dJ)
        zero = _exactly(np.zeros(δq.shape))
        slip: Any = np.einsum("bijk,bj->bik", self.independent(dJ), v)
        δv, _ = solve(self.mass, self.independent(self.jacobian), zero, -_product(slip, δq))
        along = np.concatenate([np.concatenate([δq, δv], 1), np.concatenate([zero, δq], 1)], 2)
        return self._of(by_q.beside(by_v), along, np.concatenate([_product(turned, δq), zero], 2))

    def _by_position(self, dJ: Any) -> tuple[Sides, Any]:
        """The sides of the derivatives by q, with ∂J/∂q, and ∂(Jᵀ λ)/∂q."""
        q, v, size = self.states.q, self.states.v, self.scale.size
        motion = self.equations(ByConstrainedMotion("acceleration"))
        a, λ, size_of_dJ = motion.x[..., 0], motion.multipliers[..., 0], size("constraint_jacobian_dq", q)
        turned = np.einsum("bijk,bi->bjk", self.independent(dJ), λ)
        b: Any = turned - self.truth.precisely("inverse_dynamics_dq", q, v, a)
        c: Any = -np.einsum("bijk,bj->bik", dJ, a) - self.truth.values("constraint_drift_dq", q, v)
        of_a, of_λ = self._roundings(motion)
        still = 0 * v
        size_of_b = size("inverse_dynamics_dq", q, v, a.high)
        size_of_b = size_of_b + size("inverse_dynamics_dq", q, still, of_a) - size("inverse_dynamics_dq", q, still, still)
        size_of_b = size_of_b + np.einsum("bijk,bi->bjk", self.independent(size_of_dJ), np.abs(λ.high) + of_λ)
        size_of_c = np.einsum("bijk,bj->bik", size_of_dJ, np.abs(a.high) + of_a) + size("constraint_drift_dq", q, v)
        return Sides(b, c, size_of_b, size_of_c), turned

    def _roundings(self, motion: Equations) -> tuple[Array, Array]:
        """By how many ε the a (batch, nv) and the λ (batch, rank) of good code may be off, from which it computes derivatives.

        They are what errors in both equations make of them, of the size of what is summed there.
        """
        q, v, size, (batch, rank) = self.states.q, self.states.v, self.scale.size, self.states.rows.shape
        own, n = self.independent(self.jacobian), v.shape[1]
        one = np.concatenate([np.eye(n + rank)] * batch).reshape(batch, n + rank, n + rank)
        by = np.abs(np.concatenate([x.high for x in solve(self.mass, own, _exactly(one[:, :n]), _exactly(one[:, n:]))], 1))
        a, λ = (np.abs(x.high[..., 0]) for x in (motion.x, motion.multipliers))
        J = size("constraint_jacobian", q)
        in_forces = self._size_of_given(self.states.tau) + size("nonlinear_effects", q, v) + _dot(size("mass_matrix", q), a)
        in_forces = in_forces + _dot(self.independent(J).swapaxes(1, 2), λ)
        in_motion = self.independent(size("constraint_drift", q, v) + _dot(J, a))
        rounded = _dot(by, np.concatenate([in_forces, in_motion], 1)) / self.scale.precision.coarseness
        return rounded[:, :n], rounded[:, n:]

    def _of(self, sides: Sides, along: Any = None, moved: Any = None) -> Equations:
        """The equations with these right sides; those of derivatives are multiplied by the motions ``along``.

        Code solves for all columns first. So what is summed is taken from the columns before the multiplication. ``moved`` is
        what the motion of J makes of λ.
        """
        q, M, J = self.states.q, self.mass, self.jacobian
        own: Any = self.independent(J)
        x, μ = solve(M, own, sides.b, self.independent(sides.c))
        size_of_J, size_of_M = self.scale.size("constraint_jacobian", q), self.scale.size("mass_matrix", q)
        inverse = self.mass_matrix.inverse(q)
        size_of_b = sides.size_of_b + size_of_M @ np.abs(x.high) + self.independent(size_of_J).swapaxes(1, 2) @ np.abs(μ.high)
        # Code may add the motions that b and every multiplier cause alone.
        alone = np.abs(inverse @ sides.b.high) + np.abs(inverse @ own.high.swapaxes(1, 2)) @ np.abs(μ.high)
        with_alone, c = size_of_b + size_of_M @ alone, sides.c
        size_of_c = sides.size_of_c + size_of_J @ (np.abs(x.high) + alone)
        if along is not None:
            x, μ, c = (_times(side, along) for side in (x, μ, c))
            size_of_b, with_alone, size_of_c = (size @ np.abs(along.high) for size in (size_of_b, with_alone, size_of_c))
        size_of_c = size_of_c + np.abs(J.high) @ (np.abs(inverse) @ self.shared(with_alone))
        pull = np.einsum("bji,bjk->bik", own, μ)
        forces = pull if moved is None else pull + moved
        return Equations(M, J, c, x, pull, forces, μ, self.shared(size_of_b), size_of_c, along)


def _times(A: Any, along: Any) -> Any:
    """A ``along``, block by block: a long program of one product is recorded slowly."""
    n = along.shape[2]
    if A.shape[2] == along.shape[1] == n and n % 2 == 0 and not along.high[:, : n // 2, n // 2 :].any():
        h = n // 2
        first = _product(A[..., :h], along[:, :h, :h]) + _product(A[..., h:], along[:, h:, :h])
        return np.concatenate([first, _product(A[..., h:], along[:, h:, h:])], 2)
    return _product(A, along)


def _product(A: Any, B: Any) -> Any:
    return np.einsum("bij,bjk->bik", A, B)


def _dot(A: Array, x: Array) -> Array:
    return np.einsum("bij,bj->bi", A, x)


def _exactly(x: Array) -> DoubleDoubles:
    return DoubleDoubles(x, np.zeros_like(x))
