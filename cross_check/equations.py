"""The equations that define quantities: an answer is right if both sides are equal, over any field.

    by value       x = the true value
    by forces      M a + h = τ
    by solution    M X = −F                       ∂q̈/∂q, ∂q̈/∂v: F = ∂ID/∂q, ∂ID/∂v at the acceleration a;  M⁻¹: M X = 1
    by Coriolis    C + Cᵀ = Ṁ,  C v = h − g − D v
    constrained    M x = b + Jᵀ μ,  J x = c       acceleration: b = τ − h, c = −J̇ v;  impact: b = M v⁻, c = −r J v⁻;
                                                  ∂a/∂τ: b = 1, c = 0;  J M⁻¹ Jᵀ: M X = Jᵀ

The table of quantities declares which one. A proof compares the two sides; a check measures their difference
(:mod:`cross_check.judge.comparison.judgements`).

D v is odd in v and C v is even, so that 2 C v = h(v) + h(−v) − 2 g as well. Equations with constraints are solved by elimination
(:mod:`oracle.multipliers`), where M is regular and the rows of J are independent; checks judge them in another way
(:mod:`cross_check.judge.comparison.judgements`). Derivatives of constrained motion have no equation here: they are one
function only along motions that the constraints allow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import (
    QUANTITIES,
    ByConstrainedMotion,
    ByCoriolis,
    ByDelassus,
    ByForces,
    BySolution,
    ByValue,
    Quantity,
)
from oracle.multipliers import gauss_jordan, solve

TrueValues = Callable[..., Any]
"""Called with a quantity's name and its arguments; returns the true value, batch first, over any field."""

State = Mapping[str, Array]
"""q, v, a, tau, f and v_minus, batch first over any field. ``tau`` = M a + h."""


class Equation(Protocol):
    """One way to define a quantity."""

    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        """Two arrays (batch, …) over any field that are equal where the answer is right, and only there."""

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        """The indices of the answer's component that the k-th number of a side belongs to."""


def equation(quantity: Quantity) -> Equation:
    """The equation that the quantity declares."""
    return _EQUATIONS[type(quantity.judged)]


class Value:
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        return answer, true(quantity.name, *(state[name] for name in quantity.arguments))

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        return [int(i) for i in np.unravel_index(k, quantity.dimensions(mechanism))]


class Forces(Value):
    """Where M is regular, as it has to be for q̈ to exist, every τ is the inverse dynamics of one q̈: a proof may start from q̈."""

    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        return answer, state["a"]


class Solution(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        one = np.broadcast_to(np.eye(answer.shape[1], dtype=int), answer.shape)
        return product(true("mass_matrix", state["q"]), answer), right_side(quantity, true, state, one)


class Coriolis(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        """The two equations side by side: (batch, nv, nv + 1)."""
        q, v = state["q"], state["v"]
        twice = true("nonlinear_effects", q, v) + true("nonlinear_effects", q, -v) - 2 * true("gravity", q)
        left = (answer + answer.swapaxes(1, 2), product(answer, v[..., None]))
        right = (true("mass_matrix_rate", q, v), twice[..., None] / 2)
        return np.concatenate(left, axis=2), np.concatenate(right, axis=2)

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        """For the second equation only a row is known, because it is stored as one extra column."""
        i, j = divmod(k, mechanism.nv + 1)
        return [i, j] if j < mechanism.nv else [i]


class ConstrainedMotion(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        judged, q = quantity.judged, state["q"]
        assert isinstance(judged, ByConstrainedMotion)
        M, J = true("mass_matrix", q), true("constraint_jacobian", q)
        match judged.problem:
            case "acceleration":
                b = (state["tau"] - true("nonlinear_effects", q, state["v"]))[..., None]
                c = -true("constraint_drift", q, state["v"])[..., None]
            case "impact":
                before = state["v_minus"][..., None]
                b, c = product(M, before), -judged.restitution * product(J, before)
            case "unit forces":
                b, c = np.broadcast_to(np.eye(M.shape[1], dtype=int), M.shape), 0 * J
            case _:
                raise AssertionError(quantity.name)
        x, μ = solve(M, J, b, c)
        solution = {"motion": x, "multipliers": μ, "forces": product(J.swapaxes(1, 2), μ)}[judged.answer]
        return answer, solution.reshape(answer.shape)


class Delassus(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        M, J = true("mass_matrix", state["q"]), true("constraint_jacobian", state["q"])
        return answer, product(J, gauss_jordan(np.concatenate([M, J.swapaxes(1, 2)], 2)))


_EQUATIONS: dict[type, Equation] = {
    ByValue: Value(),
    ByForces: Forces(),
    BySolution: Solution(),
    ByCoriolis: Coriolis(),
    ByConstrainedMotion: ConstrainedMotion(),
    ByDelassus: Delassus(),
}


def right_side(quantity: Quantity, values: TrueValues, state: State, one: Array) -> Array:
    """−F, or ``one``; ``values`` gives true values, or magnitudes, of the quantity F that the table names."""
    assert isinstance(quantity.judged, BySolution)
    if quantity.judged.negated is None:
        return one
    arguments = QUANTITIES[quantity.judged.negated].arguments
    return -values(quantity.judged.negated, *(state[name] for name in arguments))


def product(A: Array, X: Array) -> Array:
    """The matrix product of every state."""
    return np.einsum("bij,bjk->bik", A, X)
