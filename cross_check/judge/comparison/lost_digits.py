"""Whether errors above the bar are rounding that the mechanism and the state amplify: then the answer has lost digits.

Only answers that solve an equation with M are tried. They have lost digits if both hold at every state with an error above the
bar, for every component with an error of u ε-units:

    |u| ≤ the bar × A        A is how much the equation amplifies roundings
    u is scattered           (:mod:`cross_check.judge.comparison.scatter`)

The first says how large amplified rounding can be; it comes from the truth alone, so that noise and short formats of numbers
exceed it wherever the equation is well-conditioned. The second tells rounding from a wrong term of the same size where it is not.
docs/notes/error-scale.md, eqs. 34 and 66–69, has the details.

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

Derivatives may be declared as finite differences. A difference of f with the step h is off by rounding, about ε |f| / h, and by
truncation, about h |f''|. At the best h both are about √ε times the size of f and of its derivative, in SI units. So declared
differences have lost digits if, at every component,

    |error| ≤ the bar × √ε (size of f + size of f')                                    (docs/notes/error-scale.md, eq. 70)

and are wrong beyond that. Differences that are not declared are compared as every other answer is.
"""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from cross_check.equations import product, right_side
from cross_check.exchange.results.objects import DECLARED
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compared_at
from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.scatter import at_neighbours, is_scattered
from cross_check.memory import Array
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms.numbers.precision import Precision
from mechanisms.quantities import QUANTITIES, ByConstrainedMotion, ByForces, BySolution, Quantity, base_of


def largest_loss(precision: Precision) -> float:
    """In roundings: half of the digits. An answer with less than half of its digits is not called right."""
    return float(precision.epsilon**-0.5)


def lost_digits(case: Case, loaded: Loaded, quantity: Quantity, units: Array, bar: float) -> str | None:
    """Why errors above the bar are amplified rounding, in words with the amplification; None if they are not.

    ``units`` (states, …) are the errors in ε-units.
    """
    if not quantity.needs_regular_mass_matrix or not (units <= largest_loss(case.mechanism.precision)).all():
        return None
    A = np.broadcast_to(amplification(case, quantity), units.shape).reshape(len(units), -1)
    u = units.reshape(len(units), -1)
    if not (u <= bar * A).all():
        return None
    try:
        # All components of a state with an error: another one may be wrong beside it.
        asked = np.broadcast_to((u > bar).any(axis=1, keepdims=True), u.shape)
        if not is_scattered(u, asked, at_neighbours(case, loaded, quantity), floor=bar):
            return None
    except (Unsupported, Failure):
        return None
    worst = np.unravel_index(int(u.argmax()), u.shape)
    digits = math.ceil(math.log10(u[worst]))
    of = case.mechanism.precision.decimals
    return f"rounding is amplified: {digits} of {of} digits are lost, and the equation amplifies them {A[worst]:.2g} times there"


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
    # Of the size of what is rounded, not of what rounding does to it.
    force = case.scale.shared_force(q, state["v"], state["a"]) / case.mechanism.precision.coarseness
    δa = product(inverse, force[..., None])[..., 0]
    still = np.zeros_like(δa)
    moved = size(judged.negated, q, still, δa) - size(judged.negated, q, still, still)
    own = np.abs(right_side(quantity, size, state, np.eye(case.mechanism.nv)))
    return 1 + (sensitivity * moved).sum(axis=1, keepdims=True) / (sensitivity * own).sum(axis=1, keepdims=True)


def _of_constraints(case: Case, quantity: Quantity) -> Array:
    """κ(K) |K| |z| of every column, in units of what is summed in each equation: (batch, nv + directions, …)."""
    assert isinstance(quantity.judged, ByConstrainedMotion)
    true = case.equations(quantity.judged)
    J = case.constrained.independent(case.constrained.jacobian.high)
    zero = np.zeros((*J.shape[:2], J.shape[1]))
    K = np.concatenate([np.concatenate([case.constrained.mass.high, -J.swapaxes(1, 2)], 2), np.concatenate([J, zero], 2)], 1)
    largest = np.linalg.norm(K, 2, axis=(1, 2))[:, None]
    z = np.linalg.norm(np.concatenate([true.x.high, true.multipliers.high], 1), axis=1)
    missed = (np.linalg.cond(K)[:, None] * largest * z)[:, None]
    unborne = np.abs(case.projection).sum(axis=2)[..., None] * missed
    A = np.concatenate([unborne / true.size_of_b, np.broadcast_to(missed, true.size_of_c.shape) / true.size_of_c], 1)
    return A if len(quantity.axes) > 1 else A[..., 0]


def explained_by_differences(case: Case, loaded: Loaded, quantity: Quantity, declared: Collection[str], bar: float) -> str | None:
    """Why errors above the bar are those of declared finite differences, in words with the largest; None if they are not."""
    if quantity.name not in declared:
        return None
    try:
        compared = compared_at(case, loaded, quantity)
    except (Unsupported, Failure):
        return None
    with np.errstate(all="ignore"):
        precision = case.mechanism.precision
        size = (compared.magnitude + size_of_base(case, quantity)) / precision.coarseness
        allowed = bar * np.sqrt(precision.epsilon) * size
        largest = np.nan_to_num(np.abs(compared.error) / allowed, nan=np.inf)[compared.error != 0].max(initial=0.0)
    if not largest <= 1:
        return None
    return f"{DECLARED}: it is off by {largest:.2g} of what differences may be off by"


def arguments_of_base(quantity: Quantity, states: States) -> dict[str, Array]:
    """What the base is given, by name. What the quantity does not take is zero: the derivative does not depend on it."""
    base = base_of(quantity)
    assert base is not None
    given = zip(base.arguments, states.arguments(base.arguments), strict=True)
    return {name: x if name in quantity.arguments else np.zeros_like(x) for name, x in given}


def size_of_base(case: Case, quantity: Quantity) -> Array:
    """The size of what is differenced, shaped as the answer or with ones for its last axes.

    It counts as zero if its components do not correspond to those of the answer.
    """
    base = base_of(quantity)
    if base is None or base.needs_independent_rows or base.axes != quantity.axes[: len(base.axes)]:
        return np.zeros(1)
    q, v, a = case.states.arguments(("q", "v", "a"))
    if base.name == "forward_dynamics":
        force = case.scale.shared_force(q, v, a)
        size = np.einsum("bij,bj->bi", np.abs(case.mass_matrix.inverse(q)), force)
    else:
        size = case.scale.size(base.name, *arguments_of_base(quantity, case.states).values())
    return size.reshape(*size.shape, *[1] * (1 + len(quantity.axes) - size.ndim))
