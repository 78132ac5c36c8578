"""By how much rounding is amplified in answers that solve an equation with M: computed from the truth, not from the answers.

Answers are judged by what they miss of their equation, in ε-units, so that code that solves it stably stays within the bar at any
condition. Code may solve it less stably, as explicit inverses and products with them do. Then an answer is as wrong as the exact
solution moves where every number of the equation moves by one rounding, and it misses the equation by M times that. In units in
which every subtree has the inertia one, M̄ = M / √(J_i J_k), and (docs/notes/error-scale.md, eqs. 66–69)

    forward dynamics          A = |M̄| |M̄⁻¹| 1                  Skeel's condition number of every row
    ∂q̈/∂q, ∂q̈/∂v             A = 1 + the share of ∂(M δa)/∂q,   δa = |M⁻¹| times the size of τ
    M⁻¹                       A = 1                              its size is |M⁻¹| |M| |M⁻¹| already
    constrained motion        A = |G| |G⁻¹| g / (size of J x)    G = J M⁻¹ Jᵀ, and g what is summed in G μ = J M⁻¹ b − c

A is one where nothing is amplified: on a pendulum, for example.
"""

from __future__ import annotations

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_case import ConstrainedCase
from cross_check.equations import product, right_side
from cross_check.memory import Array
from mechanisms.quantities import ByConstrainedMotion, ByDelassus, ByForces, BySolution, Quantity


def amplification(case: Case, quantity: Quantity) -> Array:
    """A (batch, …) of every number that is compared, at least one; it broadcasts to their errors in ε-units."""
    with np.errstate(all="ignore"):
        match quantity.judged:
            case ByForces():
                A = skeel(case)
            case BySolution():
                A = _of_solution(case, quantity)
            case ByConstrainedMotion() | ByDelassus():
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
    judged = quantity.judged
    assert isinstance(judged, BySolution)
    if judged.negated is None:
        return np.ones(1)
    state, size = case.states.columns, case.scale.size
    q, n = state["q"], case.mechanism.nv
    sensitivity = product(np.abs(case.mass_matrix.inverse(q)), np.sqrt(case.scale.subtree_inertias(q))[..., None])
    force = np.abs(right_side(quantity, size, state, np.eye(n)))
    if "a" not in state or judged.negated != "inverse_dynamics_dq":
        return np.ones(1)
    # Code has a from its own solution.
    a = product(np.abs(case.mass_matrix.inverse(q)), case.scale.shared_force(q, state["v"], state["a"])[..., None])[..., 0]
    still = np.zeros_like(a)
    moved = size("inverse_dynamics_dq", q, still, a) - size("inverse_dynamics_dq", q, still, still)
    own, more = ((sensitivity * x).sum(axis=1, keepdims=True) for x in (force, moved))
    return 1 + more / own


def _of_constraints(case: Case, quantity: Quantity) -> Array:
    assert isinstance(case, ConstrainedCase)
    q, rows = case.states.q, case.states.rows
    every = np.arange(len(q))[:, None]
    J, size_of_J = case.jacobian.high, case.scale.size("constraint_jacobian", q)
    inverse, size_of_M = case.mass_matrix.inverse(q), case.scale.size("mass_matrix", q)
    own = J[every, rows]
    G = own @ inverse @ own.swapaxes(1, 2)
    by = np.abs(np.linalg.inv(G))
    across = size_of_J[every, rows] @ np.abs(inverse) @ np.abs(own).swapaxes(1, 2)
    solved = np.abs(own) @ np.abs(inverse) @ size_of_M @ np.abs(inverse) @ np.abs(own).swapaxes(1, 2)
    size_of_G = across + across.swapaxes(1, 2) + solved
    judged = quantity.judged
    if not isinstance(judged, ByConstrainedMotion):
        return np.ones(1)
    true = case.equations(judged)
    reach = 1.0 if true.along is None else 1.0
    multipliers = np.abs(true.multipliers.high) * reach
    summed = size_of_G @ multipliers + true.size_of_c[every, rows] + np.abs(own) @ np.abs(inverse) @ true.size_of_b
    wrong = by @ summed
    of_J = np.abs(J @ inverse @ own.swapaxes(1, 2)) @ wrong / true.size_of_c
    of_M = np.broadcast_to(skeel(case)[..., None], (*q.shape[:1], case.mechanism.nv, of_J.shape[2]))
    A = np.concatenate([of_M, of_J], 1)
    return A if len(quantity.axes) > 1 else A[..., 0]
