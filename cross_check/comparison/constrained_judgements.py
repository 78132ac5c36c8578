"""How answers about constrained motion are compared with the truth: by the equations M x = b + Jᵀ μ, J x = c.

An answer may be far from the true one where J or M is ill-conditioned, and still be as good as float64 allows. So what is
measured is by how much it misses the equations. With the true x* and Jᵀ μ*, an answer's error in forces is

    e = M x − b − Jᵀ μ*  for x,        e = f − Jᵀ μ*  for f = Jᵀ μ,

of which constraints bear a part, which is no error. The part that they do not bear, P e with P = M ∂x/∂b, is the error of the
first equation (docs/notes/constraints.md, eqs. 7–9). It is measured by what is summed there. The error of the second one is
J x − c for x and J M⁻¹ e for forces; it is measured by what is summed, with x rounded as solving with M rounds it. Multipliers
are judged by the forces Jᵀ μ, because μ is not unique where rows of J follow from others.

Derivatives are multiplied by the motions that the constraints allow
(:mod:`cross_check.comparison.constrained_derivatives`) before they are compared. Their sizes contain what good code loses in a
and λ (docs/notes/error-scale.md, eq. 64), which may be much. So their distance from the true derivatives is compared,
too: :data:`LOST` of the largest entry counts as the bar.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_case import ConstrainedCase
from cross_check.comparison.residual import Residual
from cross_check.error_scale.sizes import EPSILON, in_epsilons
from cross_check.memory import Array
from cross_check.results.objects import BAR
from mechanisms.quantities import ByConstrainedMotion, Quantity

LOST = 2.0**-25
"""A derivative that is off by more than this share of the largest entry has lost digits at least. It is the rounding of float32,
halved."""

TINY = float(np.finfo(float).tiny)


def of_motion(case: Case, quantity: Quantity, answer: Array) -> Residual:
    """The errors of both equations, one below the other: (batch, nv + directions, …)."""
    judged = quantity.judged
    assert isinstance(judged, ByConstrainedMotion) and isinstance(case, ConstrainedCase)
    true = case.equations(judged)
    given: Any = answer if answer.ndim == 3 else answer[..., None]
    if true.along is not None:
        given = np.einsum("bij,bjk->bik", given, true.along)
    size_of_b, forces = true.size_of_b, true.forces
    if judged.answer == "motion":
        apart, right = given - true.x, true.x
        e = np.einsum("bij,bjk->bik", true.M, given - true.x)
        missed = (np.einsum("bij,bjk->bik", true.J, given) - true.c).high
    else:
        if judged.answer == "multipliers":
            J = case.scale.size("constraint_jacobian", case.states.q)
            size_of_b = size_of_b + J.swapaxes(1, 2) @ np.abs(np.asarray(given.high if true.along is not None else given))
            given, forces = np.einsum("bji,bjk->bik", true.J, given), true.pull
        apart, right = given - forces, forces
        e = apart
        missed = true.J.high @ (case.mass_matrix.inverse(case.states.q) @ e.high)
    unborne = case.projection @ e.high
    expected = np.concatenate([true.M.high @ true.x.high, true.c.high], 1)
    error = np.concatenate([unborne, missed], 1)
    magnitude = np.concatenate([size_of_b, true.size_of_c], 1)
    if true.along is not None:
        magnitude = _at_most(magnitude, error, apart.high, right.high)
    residual = Residual(expected + error, expected, error, magnitude)
    return residual if answer.ndim == 3 else Residual(*(x[..., 0] for x in residual))


def _at_most(magnitude: Array, error: Array, apart: Array, right: Array) -> Array:
    """The magnitude (batch, rows, columns), smaller where a column of the answer is farther from the ``right`` one than it says.

    Columns of q, and those of v, have one unit of distance each: the largest right entry at any state.
    """
    blocks = np.array_split(np.abs(right), 2 if right.shape[2] == 2 * right.shape[1] else 1, axis=2)
    largest = np.concatenate([np.full(block.shape[2], block.max(initial=0.0)) for block in blocks])
    far = BAR * np.abs(apart).max(axis=1) / np.maximum(LOST * largest, TINY)
    units = in_epsilons(error, magnitude).max(axis=1)
    share = np.where((units > 0) & (far > units), units / np.maximum(far, TINY), 1.0)
    return magnitude * share[:, None]


def of_delassus(case: Case, quantity: Quantity, answer: Array) -> Residual:
    """The distance from J M⁻¹ Jᵀ, measured by |J| |M⁻¹| |M| |M⁻¹| |Jᵀ|."""
    assert isinstance(case, ConstrainedCase)
    expected: Any = case.delassus_matrix
    q, J = case.states.q, np.abs(case.jacobian.high)
    size, inverse = case.scale.size("constraint_jacobian", q), np.abs(case.mass_matrix.inverse(q))
    across = size @ inverse @ J.swapaxes(1, 2)
    solved = J @ inverse @ case.scale.size("mass_matrix", q) @ inverse @ J.swapaxes(1, 2)
    # Rows that are zero in exact arithmetic are rounding errors of both factors.
    twice = EPSILON * size @ inverse @ size.swapaxes(1, 2)
    return Residual(answer, expected.high, (answer - expected).high, across + across.swapaxes(1, 2) + solved + twice)
