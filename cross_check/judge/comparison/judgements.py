"""How answers are compared with the truth: an error, and the magnitude that it is measured by, for every equation that defines
a quantity (:mod:`cross_check.equations`).

Derivatives of forward dynamics and M⁻¹ solve an equation M X = −F. An answer X differs from the true one by M⁻¹ times its
residual. Code that solves the equation, or multiplies by a computed M⁻¹, is off by a few ε |M⁻¹| |M| |M⁻¹| |F| at most
(N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed. 2002, §§7.2, 14.1). So an ill-conditioned M does not count
as an error of the code. |M|_ij is at most √(I_i I_j), with the inertias I of the subtrees (docs/notes/error-scale.md, eqs. 12,
13, where they are J). So the magnitude is

    sensitivity_i Σ_j sensitivity_j |F|_jk        sensitivity = |M⁻¹| √I

Answers about constrained motion are judged by the equations M x = b + Jᵀ μ, J x = c. An answer may be far from the true one
where J or M is ill-conditioned, and still be as good as float64 allows. So what is measured is by how much it misses the
equations. With the true x* and Jᵀ μ*, an answer's error in forces is

    e = M x − b − Jᵀ μ*  for x,        e = f − Jᵀ μ*  for f = Jᵀ μ

The constraints bear a part of e, and that part is no error. The rest, P e with P = M ∂x/∂b, is the error of the first equation
(docs/notes/constraints.md, eqs. 7–9). Its magnitude is what is summed there. The error of the second equation is J x − c for x
and J M⁻¹ e for forces. Its magnitude is what is summed there, with x rounded as solving with M rounds it. Multipliers are judged
by the forces Jᵀ μ, because μ is not unique where rows of J follow from others.

Derivatives are multiplied by the motions that the constraints allow (:mod:`cross_check.judge.comparison.constrained_equations`)
before they are compared. Their sizes contain what good code loses in a and λ (docs/notes/error-scale.md, eq. 64), which may be
much. So their distance from the true derivatives is compared, too: 2 √ε of the largest entry counts as the bar. That is half of
the digits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from cross_check.equations import equation, product, right_side
from cross_check.exchange.results.objects import BAR, INFINITE
from cross_check.judge.comparison.case import Case
from cross_check.judge.error_scale.sizes import EPSILON, in_epsilons
from cross_check.memory import Array
from implementations.processes.subject import Loaded
from mechanisms import Mechanism
from mechanisms.numbers.precision import Precision
from mechanisms.quantities import ByConstrainedMotion, ByCoriolis, ByDelassus, ByForces, ByPosition, BySolution, ByValue, Quantity

TURN = 2 * np.pi

TINY = float(np.finfo(float).tiny)


class Comparison(NamedTuple):
    """What is compared with what, their difference, and the magnitude that it is measured by: float64 (batch, …)."""

    value: Array
    expected: Array
    error: Array
    magnitude: Array

    @property
    def units(self) -> Array:
        """The error in ε-units."""
        return in_epsilons(self.error, self.magnitude)

    def size(self, precision: Precision) -> Array:
        """The size of what is summed, in the unit of the answers. The magnitude is as many times larger as this precision is
        coarser than float64."""
        return self.magnitude / precision.coarseness

    @property
    def signed(self) -> Array:
        """The error in ε-units, with its sign."""
        return np.sign(self.error) * self.units


def compare(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """The error of ``answer``, which has one entry for every state of ``case``, and its magnitude."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _COMPARISONS[type(quantity.judged)](case, quantity, answer)


def compared_at(case: Case, loaded: Loaded, quantity: Quantity) -> Comparison:
    """Ask for a quantity at the states of the case, and compare the answer. Raises what asking raises."""
    return compare(case, quantity, loaded.ask(quantity.name, *case.states.arguments(quantity.arguments)).value)


def bounded(units: Array) -> Array:
    """Errors in ε-units: infinity and NaN become :data:`INFINITE`."""
    return np.nan_to_num(np.minimum(units, INFINITE), nan=INFINITE)


def largest(units: Array) -> float:
    """The largest error in ε-units, at most :data:`INFINITE`."""
    return float(bounded(units).max(initial=0.0))


def rounded(units: float) -> float:
    """Three significant digits: all that an error deserves, and the same on every machine that computes alike."""
    return float(f"{float(units):.3g}")


def of_value(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    arguments = case.states.arguments(quantity.arguments)
    expected, remainder = case.truth.high_low(quantity.name, *arguments)
    return Comparison(answer, expected, answer - expected - remainder, case.scale.size(quantity.name, *arguments))


def of_position(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """By the position of the same pose that is nearest to the true one."""
    expected, _ = case.truth.high_low(quantity.name, *case.states.arguments(quantity.arguments))
    return of_value(case, quantity, nearest_position(case.mechanism, answer, expected))


def nearest_position(mechanism: Mechanism, answer: Array, expected: Array) -> Array:
    """The same positions (batch, nq). Each quaternion has the sign, and each angle of a planar joint the turns, with which it is
    nearer to what is ``expected``."""
    answer = answer.copy()
    for _, slot in mechanism.slots("quaternion"):
        is_opposite = (answer[:, slot] * expected[:, slot]).sum(axis=1) < 0
        answer[is_opposite, slot] *= -1
    for joint, slot in mechanism.slots("angle"):
        if joint.velocity_is_body_twist:
            answer[:, slot] -= TURN * np.round((answer[:, slot] - expected[:, slot]) / TURN)
    return answer


def of_forces(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    reached, remainder = case.truth.forces(q, v, answer)
    return Comparison(reached, tau, reached - tau + remainder, case.scale.shared_force(q, v, answer))


def of_solution(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """In fixed point, small forces and accelerations on the way are rounded to the step (docs/notes/error-scale.md, eq. 73)."""
    state = case.states.columns
    left, right = equation(quantity).sides(case.truth.values, quantity, state, answer)
    inverse = case.mass_matrix.inverse(state["q"])
    error = product(inverse, (left - right).astype(np.float64))
    root, coarseness = np.sqrt(case.scale.subtree_inertias(state["q"]))[..., None], case.scale.precision.coarseness
    sensitivity = product(np.abs(inverse), root)
    size = np.abs(right_side(quantity, case.scale.size, state, coarseness * np.eye(answer.shape[1])))
    magnitude = sensitivity * (sensitivity * size).sum(axis=1, keepdims=True)
    if case.scale.precision.is_fixed:
        own = np.sqrt(np.abs(np.diagonal(inverse, axis1=1, axis2=2)))[..., None]
        magnitude = magnitude + coarseness * (sensitivity + own * root.sum(axis=1, keepdims=True))
    return Comparison(answer, answer - error, error, magnitude)


def of_coriolis(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """Each entry gets the larger of its errors in the two equations, with the other entries taken as right.

    The diagonal occurs twice in the first equation. An entry whose velocity is zero does not occur in the second.
    """
    state = case.states.columns
    left, right = equation(quantity).sides(case.truth.values, quantity, state, answer)
    residual = (left - right).astype(np.float64)
    size = case.scale.size("coriolis_matrix", state["q"], state["v"])
    forces = case.scale.size("nonlinear_effects", state["q"], state["v"])[..., None] + product(
        size, np.abs(state["v"])[..., None]
    )
    rates = size + size.swapaxes(1, 2)
    n, v = answer.shape[1], state["v"][:, None, :]
    by_rate = (v == 0) | (in_epsilons(residual[..., :n], rates) >= in_epsilons(residual[..., n:], forces))
    share = np.where(by_rate, 1 + np.eye(n), v)
    error = np.where(by_rate, residual[..., :n], residual[..., n:]) / share
    return Comparison(answer, answer - error, error, np.where(by_rate, rates, forces) / np.abs(share))


def of_motion(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """The errors of both equations, one below the other: (batch, nv + directions, …)."""
    judged = quantity.judged
    assert isinstance(judged, ByConstrainedMotion)
    true = case.equations(judged)
    given: Any = answer if answer.ndim == 3 else answer[..., None]
    if true.along is not None:
        given = np.einsum("bij,bjk->bik", given, true.along)
    size_of_b, forces = true.size_of_b, true.forces
    if judged.answer == "motion":
        apart, expected = given - true.x, true.x
        e = np.einsum("bij,bjk->bik", true.M, apart)
        missed = (np.einsum("bij,bjk->bik", true.J, given) - true.c).high
    else:
        if judged.answer == "multipliers":
            size_of_J = case.scale.size("constraint_jacobian", case.states.q)
            size_of_b = size_of_b + size_of_J.swapaxes(1, 2) @ np.abs(np.asarray(given.high if true.along is not None else given))
            given, forces = np.einsum("bji,bjk->bik", true.J, given), true.pull
        e = apart = given - forces
        expected = forces
        missed = true.J.high @ (case.mass_matrix.inverse(case.states.q) @ e.high)
    unborne = case.projection @ e.high
    sides = np.concatenate([true.M.high @ true.x.high, true.c.high], 1)
    error = np.concatenate([unborne, missed], 1)
    magnitude = np.concatenate([size_of_b, true.size_of_c], 1)
    if true.along is not None:
        lost = 2 * case.scale.precision.epsilon**0.5
        magnitude = _with_distance(magnitude, error, apart.high, expected.high, lost)
    residual = Comparison(sides + error, sides, error, magnitude)
    return residual if answer.ndim == 3 else Comparison(*(x[..., 0] for x in residual))


def _with_distance(magnitude: Array, error: Array, apart: Array, expected: Array, lost: float) -> Array:
    """The magnitude (batch, rows, columns), made smaller in columns whose distance ``apart`` is more units than their ``error``.

    The share ``lost`` of the largest expected entry at any state counts as the bar: one for columns of q, and one for those of v.
    """
    blocks = np.array_split(np.abs(expected), 2 if expected.shape[2] == 2 * expected.shape[1] else 1, axis=2)
    top = np.concatenate([np.full(block.shape[2], block.max(initial=0.0)) for block in blocks])
    far = BAR * np.abs(apart).max(axis=1) / np.maximum(lost * top, TINY)
    units = in_epsilons(error, magnitude).max(axis=1)
    share = np.where((units > 0) & (far > units), units / np.maximum(far, TINY), 1.0)
    return magnitude * share[:, None]


def of_delassus(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """The distance from J M⁻¹ Jᵀ. Its magnitude is |J| |M⁻¹| |M| |M⁻¹| |Jᵀ|, and what is rounded in J."""
    expected: Any = case.constrained.delassus_matrix
    q, J = case.states.q, np.abs(case.constrained.jacobian.high)
    size, inverse = case.scale.size("constraint_jacobian", q), np.abs(case.mass_matrix.inverse(q))
    of_jacobian = size @ inverse @ J.swapaxes(1, 2)
    solved = J @ inverse @ case.scale.size("mass_matrix", q) @ inverse @ J.swapaxes(1, 2)
    # Rows that are zero in exact arithmetic are rounding errors of both factors.
    twice = EPSILON * size @ inverse @ size.swapaxes(1, 2)
    return Comparison(answer, expected.high, (answer - expected).high, of_jacobian + of_jacobian.swapaxes(1, 2) + solved + twice)


_COMPARISONS: dict[type, Callable[[Case, Quantity, Array], Comparison]] = {
    ByValue: of_value,
    ByPosition: of_position,
    ByForces: of_forces,
    BySolution: of_solution,
    ByCoriolis: of_coriolis,
    ByConstrainedMotion: of_motion,
    ByDelassus: of_delassus,
}
