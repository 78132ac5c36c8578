"""How answers are compared with the truth: an error, and the magnitude that it is measured by, for every equation that defines
a quantity (:mod:`cross_check.equations`, and :mod:`cross_check.comparison.constrained_judgements` for constrained motion).

X in M X = −F differs from the true solution by M⁻¹ times the residual of M X. Code that solves the equation, or multiplies by a
computed M⁻¹, is off by a few ε |M⁻¹| |M| |M⁻¹| |F| at most (N. Higham, "Accuracy and Stability of Numerical Algorithms",
2nd ed. 2002, §§7.2, 14.1). So an ill-conditioned M does not count as an error of the code. With magnitudes for F and for M,
|M|_ij = √(J_i J_j), that is

    sensitivity_i Σ_j sensitivity_j |F|_jk        sensitivity = |M⁻¹| √J
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.constrained_judgements import of_delassus, of_motion
from cross_check.comparison.residual import Comparison, Residual
from cross_check.equations import equation, product, right_side
from cross_check.error_scale.sizes import in_epsilons
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import ByConstrainedMotion, ByCoriolis, ByDelassus, ByForces, ByPosition, BySolution, ByValue, Quantity

TURN = 2 * np.pi


def compare(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """The error of ``answer``, which has one entry for every state of ``case``, and its magnitude."""
    with np.errstate(over="ignore", invalid="ignore"):
        residual = _RESIDUALS[type(quantity.judged)](case, quantity, answer)
        return Comparison(*residual, in_epsilons(residual.error, residual.magnitude))


def of_value(case: Case, quantity: Quantity, answer: Array) -> Residual:
    arguments = case.states.arguments(quantity.arguments)
    expected, remainder = case.truth.high_low(quantity.name, *arguments)
    return Residual(answer, expected, answer - expected - remainder, case.scale.size(quantity.name, *arguments))


def of_position(case: Case, quantity: Quantity, answer: Array) -> Residual:
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


def of_forces(case: Case, quantity: Quantity, answer: Array) -> Residual:
    q, v, tau = case.states.arguments(("q", "v", "tau"))
    reached, remainder = case.truth.forces(q, v, answer)
    return Residual(reached, tau, reached - tau + remainder, case.scale.shared_force(q, v, answer))


def of_solution(case: Case, quantity: Quantity, answer: Array) -> Residual:
    state = case.states.columns
    left, right = equation(quantity).sides(case.truth.values, quantity, state, answer)
    inverse = case.mass_matrix.inverse(state["q"])
    error = product(inverse, (left - right).astype(np.float64))
    sensitivity = product(np.abs(inverse), np.sqrt(case.scale.subtree_inertias(state["q"]))[..., None])
    size = np.abs(right_side(quantity, case.scale.size, state, np.eye(answer.shape[1])))
    return Residual(answer, answer - error, error, sensitivity * (sensitivity * size).sum(axis=1, keepdims=True))


def of_coriolis(case: Case, quantity: Quantity, answer: Array) -> Residual:
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
    return Residual(answer, answer - error, error, np.where(by_rate, rates, forces) / np.abs(share))


_RESIDUALS: dict[type, Callable[[Case, Quantity, Array], Residual]] = {
    ByValue: of_value,
    ByPosition: of_position,
    ByForces: of_forces,
    BySolution: of_solution,
    ByCoriolis: of_coriolis,
    ByConstrainedMotion: of_motion,
    ByDelassus: of_delassus,
}
