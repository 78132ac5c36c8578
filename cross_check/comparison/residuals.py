"""Quantities that are held against an equation, for want of a value.

    ∂q̈/∂q, ∂q̈/∂v, M⁻¹     M X = −∂ID/∂q, −∂ID/∂v, 1         ∂ID/∂q at the acceleration q̈
    C                     C + Cᵀ = Ṁ,  C v = h − g − D v      which leave C some freedom: there is no true one

D v is odd in v and C v even, so that 2 C v = h(v) + h(−v) − 2 g as well.

X is off by M⁻¹ times what M X misses. Whoever solves the equation, or multiplies by a computed M⁻¹, is off by no more than
a few ε |M⁻¹| |M| |M⁻¹| |right side| (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed. 2002, §§7.2, 14.1):
an ill-conditioned M is not held against anyone. With sizes for |M| and |right side|, and |M|_ij = √(J_i J_j), that is

    reach_i Σ_j reach_j size_jk        reach = |M⁻¹| √J
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from cross_check.comparison.sampling import Array, States
from cross_check.comparison.truth import Truth, in_epsilons

Truths = Callable[..., Any]
"""The true value, batch first over any field, of a quantity that is named, at arguments that follow."""


def forward_dynamics_dq(true: Truths, q: Array, v: Array, a: Array, X: Array) -> tuple[Array, Array]:
    return product(true("mass_matrix", q), X), -true("inverse_dynamics_dq", q, v, a)


def forward_dynamics_dv(true: Truths, q: Array, v: Array, a: Array, X: Array) -> tuple[Array, Array]:
    return product(true("mass_matrix", q), X), -true("inverse_dynamics_dv", q, v)


def forward_dynamics_dtau(true: Truths, q: Array, v: Array, a: Array, X: Array) -> tuple[Array, Array]:
    return product(true("mass_matrix", q), X), np.broadcast_to(np.eye(X.shape[1], dtype=int), X.shape)


def coriolis_matrix(true: Truths, q: Array, v: Array, a: Array, C: Array) -> tuple[Array, Array]:
    """The two equations side by side: (batch, nv, nv + 1)."""
    twice = true("nonlinear_effects", q, v) + true("nonlinear_effects", q, -v) - 2 * true("gravity", q)
    left = (C + C.swapaxes(1, 2), product(C, v[..., None]))
    right = (true("mass_matrix_rate", q, v), twice[..., None] / 2)
    return np.concatenate(left, axis=2), np.concatenate(right, axis=2)


EQUATIONS: dict[str, Callable[..., tuple[Array, Array]]] = {
    "forward_dynamics_dq": forward_dynamics_dq,
    "forward_dynamics_dv": forward_dynamics_dv,
    "forward_dynamics_dtau": forward_dynamics_dtau,
    "coriolis_matrix": coriolis_matrix,
}
"""By the names of quantities: the left and the right side (batch, …) with an answer put in, at q, v and the acceleration a."""


def held_against_equation(truth: Truth, quantity: str, states: States, got: Array) -> tuple[Array, Array, Array, Array]:
    """The answer, what it would have to be, its error, and the magnitude of that: (batch, nv, nv) in float64.

    The forces of the states have to be those that their accelerations take.
    """
    left, right = EQUATIONS[quantity](truth.values, states.q, states.v, states.a, got)
    if quantity == "coriolis_matrix":
        error, magnitude = _of_coriolis_matrix(truth, states, (left - right).astype(np.float64))
    else:
        error = product(truth.inverse_mass_matrix(states.q), left - right).astype(np.float64)
        magnitude = _of_solution(truth, quantity, states)
    return got, got - error, error, magnitude


def _of_solution(truth: Truth, quantity: str, s: States) -> Array:
    """The magnitude of what is solved for."""
    size = {
        "forward_dynamics_dq": lambda: truth.magnitudes("inverse_dynamics_dq", s.q, s.v, s.a),
        "forward_dynamics_dv": lambda: truth.magnitudes("inverse_dynamics_dv", s.q, s.v),
        "forward_dynamics_dtau": lambda: np.eye(s.v.shape[1]),
    }[quantity]()
    reach = product(np.abs(truth.inverse_mass_matrix(s.q)), np.sqrt(truth.inertias(s.q))[..., None])
    return reach * (reach * size).sum(axis=1, keepdims=True)


def _of_coriolis_matrix(truth: Truth, s: States, missed: Array) -> tuple[Array, Array]:
    """Error and magnitude of every entry in the equation that it misses by more, if the other entries are right.

    The diagonal is in the first equation twice, an entry whose velocity is zero is not in the second.
    """
    size = truth.magnitudes("coriolis_matrix", s.q, s.v)
    forces = truth.magnitudes("nonlinear_effects", s.q, s.v)[..., None] + product(size, np.abs(s.v)[..., None])
    rates = size + size.swapaxes(1, 2)
    n, v = s.v.shape[1], s.v[:, None, :]
    by_rate = (v == 0) | (in_epsilons(missed[..., :n], rates) >= in_epsilons(missed[..., n:], forces))
    share = np.where(by_rate, 1 + np.eye(n), v)
    return np.where(by_rate, missed[..., :n], missed[..., n:]) / share, np.where(by_rate, rates, forces) / np.abs(share)


def product(A: Array, X: Array) -> Array:
    return np.einsum("bij,bjk->bik", A, X)
