"""By how much rounding is amplified in answers that solve an equation with M: computed from the truth, not from the answers.

Answers are judged by what they miss of their equation, in ε-units, so that code that solves it stably stays within the bar at any
condition. Code may solve it less stably, as explicit inverses and products with them do. Then an answer is as wrong as the exact
solution moves where every number of the equation moves by one rounding, and it misses the equation by M times that. In units in
which every subtree has the inertia one, M̄ = M / √(J_i J_k), and (docs/notes/error-scale.md, eqs. 66–68)

    forward dynamics          A = |M̄| |M̄⁻¹| 1                  Skeel's condition number of every row
    ∂q̈/∂q                     A = 1 + the share of ∂(M δa)/∂q,   δa = |M⁻¹| times the size of τ
    ∂q̈/∂v, M⁻¹                A = 1                              their sizes have |M⁻¹| |M| |M⁻¹| already
    constrained motion        A = κ(K) |K| |z| / size            K = [[M, −Jᵀ], [J, 0]] in SI units, z = [x; μ]
    J M⁻¹ Jᵀ                  A = 1                              its size is |J| |M⁻¹| |M| |M⁻¹| |Jᵀ| already

A is one where nothing is amplified: on a pendulum, for example.
"""

from __future__ import annotations

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_case import ConstrainedCase
from cross_check.equations import product, right_side
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES, ByConstrainedMotion, ByForces, BySolution, Quantity


def amplification(case: Case, quantity: Quantity) -> Array:
    """A (batch, …) of every number that is compared, at least one; it broadcasts to their errors in ε-units."""
    with np.errstate(all="ignore"):
        match quantity.judged:
            case ByForces():
                A = skeel(case)
            case BySolution():
                A = _of_solution(case, quantity)
            case ByConstrainedMotion():
                A = _of_constraints(case, quantity)
            case _:
                A = np.ones(1)
        return np.nan_to_num(np.maximum(A, 1.0), nan=1.0)


def skeel(case: Case) -> Array:
    """|M̄| |M̄⁻¹| 1 (batch, nv)."""
    q = case.states.q
    root = np.sqrt(case.scale.subtree_inertias(q))[..., None]
    M, _ = case.truth.high_low("mass_matrix", q)
    return (np.abs(M) @ (np.abs(case.mass_matrix.inverse(q)) @ root) / root)[..., 0]


def _of_solution(case: Case, quantity: Quantity) -> Array:
    """(batch, 1, columns): by how much the error of the code's own q̈ adds to that of ∂q̈/∂q."""
    judged = quantity.judged
    assert isinstance(judged, BySolution)
    if judged.negated is None or "a" not in QUANTITIES[judged.negated].arguments:
        return np.ones(1)
    state, size = case.states.columns, case.scale.size
    q, inverse = state["q"], np.abs(case.mass_matrix.inverse(state["q"]))
    sensitivity = product(inverse, np.sqrt(case.scale.subtree_inertias(q))[..., None])
    δa = product(inverse, case.scale.shared_force(q, state["v"], state["a"])[..., None])[..., 0]
    still = np.zeros_like(δa)
    moved = size(judged.negated, q, still, δa) - size(judged.negated, q, still, still)
    own = np.abs(right_side(quantity, size, state, np.eye(case.mechanism.nv)))
    return 1 + (sensitivity * moved).sum(axis=1, keepdims=True) / (sensitivity * own).sum(axis=1, keepdims=True)


def _of_constraints(case: Case, quantity: Quantity) -> Array:
    """κ(K) |K| |z| of every column, in units of what is summed in each equation: (batch, nv + directions, …)."""
    assert isinstance(case, ConstrainedCase) and isinstance(quantity.judged, ByConstrainedMotion)
    true, states = case.equations(quantity.judged), case.states
    J = case.jacobian.high[np.arange(len(states))[:, None], states.rows]
    zero = np.zeros((*J.shape[:2], J.shape[1]))
    K = np.concatenate([np.concatenate([case.mass.high, -J.swapaxes(1, 2)], 2), np.concatenate([J, zero], 2)], 1)
    largest = np.linalg.norm(K, 2, axis=(1, 2))[:, None]
    z = np.linalg.norm(np.concatenate([true.x.high, true.multipliers.high], 1), axis=1)
    missed = (np.linalg.cond(K)[:, None] * largest * z)[:, None]
    unborne = np.abs(case.projection).sum(axis=2)[..., None] * missed
    A = np.concatenate([unborne / true.size_of_b, np.broadcast_to(missed, true.size_of_c.shape) / true.size_of_c], 1)
    return A if len(quantity.axes) > 1 else A[..., 0]
