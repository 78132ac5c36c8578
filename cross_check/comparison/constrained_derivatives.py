"""The equations that derivatives of constrained motion solve, along the motions of the state that the constraints allow.

Engines give ∂a/∂q and ∂a/∂v. Where the constraint is violated, a depends on how J and the drift are continued there, and so do
these matrices. Only their products with motions (δq, δv) that keep the constraint are the same for all
(docs/notes/constraints.md, eqs. 10–14):

    J δq = 0,        J δv + ∂(J v)/∂q δq = 0                                    eq. 10

For every coordinate k, δq is what a plastic impact leaves of the velocity e_k alone: the nearest to e_k in kinetic energy. δv is
the smallest one, in kinetic energy, that belongs to it. The same motions are those of v at rest in q: δq = 0, J δv = 0. So every
column has the name of a coordinate.

∂ID/∂q, ∂J/∂q and the derivatives of J̇ v are the oracle's. All is solved in double-double.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.comparison.constrained_equations import ConstrainedSystem, Equations
from cross_check.memory import Array
from machine.double_doubles import DoubleDoubles
from oracle.multipliers import solve

FIXED = 1e-9
"""A coordinate of which an impact leaves less than this part of the velocity, in kinetic energy, is fixed: its column is zero."""


def by_velocity(system: ConstrainedSystem) -> Equations:
    """The derivatives along δv, with δq = 0 and J δv = 0."""
    δv = allowed_motions(system)
    b, c, size_of_b, size_of_c = _of_velocity(system)
    return _solved(system, (b, c), (size_of_b, size_of_c), δv, np.abs(δv.high), None)


def by_state(system: ConstrainedSystem, motion: Equations) -> Equations:
    """The derivatives of this ``motion`` along (δq, δv), and then along δv alone."""
    s, rows = system.states, system.states.rows
    every, zero = np.arange(len(s))[:, None], np.zeros((len(s), s.v.shape[1], s.v.shape[1]))
    a, λ = motion.x[..., 0], motion.multipliers[..., 0]
    dJ: Any = system.truth.values("constraint_jacobian_dq", s.q)
    size_of_dJ = system.scale.size("constraint_jacobian_dq", s.q)
    turned = np.einsum("bijk,bi->bjk", dJ[every, rows], λ)
    b: Any = turned - system.truth.precisely("inverse_dynamics_dq", s.q, s.v, a)
    c: Any = -np.einsum("bijk,bj->bik", dJ, a) - system.truth.values("constraint_drift_dq", s.q, s.v)
    of_a, of_λ = _roundings(system, motion)
    still, size = 0 * s.v, system.scale.size
    size_of_b = size("inverse_dynamics_dq", s.q, s.v, a.high)
    size_of_b = size_of_b + size("inverse_dynamics_dq", s.q, still, of_a) - size("inverse_dynamics_dq", s.q, still, still)
    size_of_b = size_of_b + np.einsum("bijk,bi->bjk", size_of_dJ[every, rows], np.abs(λ.high) + of_λ)
    size_of_c = np.einsum("bijk,bj->bik", size_of_dJ, np.abs(a.high) + of_a) + size("constraint_drift_dq", s.q, s.v)
    δq = allowed_motions(system)
    slip: Any = np.einsum("bijk,bj->bik", dJ[every, rows], s.v)
    δv, _ = solve(system.mass, system.jacobian[every, rows], _exactly(zero), -np.einsum("bik,bkj->bij", slip, δq))
    along = _beside(_above(δq, δv), _above(_exactly(zero), δq))
    of_v = _of_velocity(system)
    sides = _beside(b, of_v[0]), _beside(c, of_v[1])
    sizes = np.concatenate([size_of_b, of_v[2]], 2), np.concatenate([size_of_c, of_v[3]], 2)
    moved = _beside(np.einsum("bij,bjk->bik", turned, δq), _exactly(zero))
    return _solved(system, sides, sizes, along, np.abs(along.high), moved)


def allowed_motions(system: ConstrainedSystem) -> DoubleDoubles:
    """What a plastic impact leaves of the unit velocity of every coordinate (batch, nv, nv), zero where that is nothing."""
    rows, n = system.states.rows, system.states.v.shape[1]
    own = system.jacobian[np.arange(len(rows))[:, None], rows]
    motions, _ = solve(system.mass, own, system.mass, _exactly(np.zeros((*own.shape[:2], n))))
    M = system.mass.high
    energy = np.einsum("bik,bij,bjk->bk", motions.high, M, motions.high)
    moves = energy > FIXED * np.diagonal(M, axis1=1, axis2=2)
    return DoubleDoubles(*(np.where(moves[:, None], x, 0.0) for x in (motions.high, motions.low)))


def _roundings(system: ConstrainedSystem, motion: Equations) -> tuple[Array, Array]:
    """By how many ε the a (batch, nv) and the λ (batch, rank) of good code may be off, from which it computes derivatives.

    They are what errors in both equations make of them, of the size of what is summed there.
    """
    q, v, rows, size = system.states.q, system.states.v, system.states.rows, system.scale.size
    every, (batch, rank) = np.arange(len(q))[:, None], rows.shape
    own, n = system.jacobian[every, rows], system.states.v.shape[1]
    one = np.concatenate([np.eye(n + rank)] * batch).reshape(batch, n + rank, n + rank)
    by = np.abs(np.concatenate([x.high for x in solve(system.mass, own, _exactly(one[:, :n]), _exactly(one[:, n:]))], 1))
    a, λ = (np.abs(x.high[..., 0]) for x in (motion.x, motion.multipliers))
    J = size("constraint_jacobian", q)
    in_forces = np.abs(system.states.tau) + size("nonlinear_effects", q, v) + _dot(size("mass_matrix", q), a)
    in_forces = in_forces + _dot(J[every, rows].swapaxes(1, 2), λ)
    in_motion = (size("constraint_drift", q, v) + _dot(J, a))[every, rows]
    rounded = _dot(by, np.concatenate([in_forces, in_motion], 1))
    return rounded[:, :n], rounded[:, n:]


def _dot(A: Array, x: Array) -> Array:
    return np.einsum("bij,bj->bi", A, x)


def _of_velocity(system: ConstrainedSystem) -> tuple[Any, Any, Array, Array]:
    """b and c of the derivatives by v, and their sizes."""
    q, v = system.states.q, system.states.v
    names = "inverse_dynamics_dv", "constraint_drift_dv"
    b, c = (-system.truth.values(name, q, v) for name in names)
    return (b, c, *(system.scale.size(name, q, v) for name in names))


def _solved(
    system: ConstrainedSystem,
    sides: tuple[Any, Any],
    sizes: tuple[Array, Array],
    along: Any,
    reach: Array,
    moved: DoubleDoubles | None,
) -> Equations:
    """The equations of the derivatives with these right ``sides``, multiplied by the motions ``along``; ``reach`` is |along|.

    Code solves for all columns first. So what is summed is taken from the columns before the multiplication.
    """
    q, rows, M, J = system.states.q, system.states.rows, system.mass, system.jacobian
    every = np.arange(len(q))[:, None]
    own: Any = J[every, rows]
    (b, c), (size_of_b, size_of_c) = sides, sizes
    whole, multipliers = solve(M, own, b, c[every, rows])
    x, μ, c = (_times(side, along) for side in (whole, multipliers, c))
    pull = np.einsum("bji,bjk->bik", own, μ)
    size_of_J, size_of_M = system.scale.size("constraint_jacobian", q), system.scale.size("mass_matrix", q)
    inverse = system.mass_matrix.inverse(q)
    summed = size_of_b + size_of_M @ np.abs(whole.high) + size_of_J[every, rows].swapaxes(1, 2) @ np.abs(multipliers.high)
    alone = np.abs(inverse @ b.high) + np.abs(inverse @ own.high.swapaxes(1, 2)) @ np.abs(multipliers.high)
    rounded = np.abs(inverse) @ system.shared((summed + size_of_M @ alone) @ reach)
    size_of_c = (size_of_c + size_of_J @ (np.abs(whole.high) + alone)) @ reach + np.abs(J.high) @ rounded
    forces = pull if moved is None else pull + moved
    return Equations(M, J, c, x, pull, forces, μ, system.shared(summed @ reach), size_of_c, along)


def _times(A: Any, along: Any) -> Any:
    """A ``along``, block by block: a long program of one product is recorded slowly."""
    n = along.shape[2]
    if A.shape[2] == along.shape[1] == n and n % 2 == 0 and not along.high[:, : n // 2, n // 2 :].any():
        h = n // 2
        first = _product(A[..., :h], along[:, :h, :h]) + _product(A[..., h:], along[:, h:, :h])
        return _beside(first, _product(A[..., h:], along[:, h:, h:]))
    return _product(A, along)


def _product(A: Any, B: Any) -> Any:
    return np.einsum("bij,bjk->bik", A, B)


def _exactly(x: Array) -> DoubleDoubles:
    return DoubleDoubles(x, np.zeros_like(x))


def _beside(a: Any, b: Any) -> Any:
    return np.concatenate([a, b], 2)


def _above(a: Any, b: Any) -> Any:
    return np.concatenate([a, b], 1)
