"""How answers are compared with the truth: one way for every judgement that the table of quantities declares.

    by value       x = the true value
    by forces      M a + h = τ
    by solution    M X = −F                       ∂q̈/∂q, ∂q̈/∂v: F = ∂ID/∂q, ∂ID/∂v at the acceleration a;  M⁻¹: M X = 1
    by Coriolis    C + Cᵀ = Ṁ,  C v = h − g − D v

A proof needs the two sides of the equation, over any field. A check needs an error and the magnitude that it is measured by.

D v is odd in v and C v is even, so that 2 C v = h(v) + h(−v) − 2 g as well.

X differs from the true solution by M⁻¹ times the residual of M X. Code that solves the equation, or multiplies by a computed
M⁻¹, is off by a few ε |M⁻¹| |M| |M⁻¹| |F| at most (N. Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed. 2002,
§§7.2, 14.1). So an ill-conditioned M does not count as an error of the code. With magnitudes for F and for M, |M|_ij = √(J_i
J_j), that is

    sensitivity_i Σ_j sensitivity_j |F|_jk        sensitivity = |M⁻¹| √J
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np

from cross_check.comparison.case import Case
from cross_check.error_scale.sizes import in_epsilons
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, ByCoriolis, ByForces, BySolution, ByValue, Quantity

TrueValues = Callable[..., Any]
"""Called with a quantity's name and its arguments; returns the true value, batch first, over any field."""

State = Mapping[str, Array]
"""q, v, a, tau and f, batch first over any field. ``tau`` = M a + h."""


class Residual(NamedTuple):
    """What is compared with what, their difference, and the magnitude that it is measured by: float64 (batch, …)."""

    value: Array
    expected: Array
    error: Array
    magnitude: Array


class Comparison(NamedTuple):
    """A :class:`Residual`, and its error in ε-units."""

    value: Array
    expected: Array
    error: Array
    magnitude: Array
    units: Array


class Judge(Protocol):
    """One way of comparing answers with the truth."""

    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        """Two arrays (batch, …) over any field that are equal where the answer is right, and only there."""

    def residual(self, case: Case, quantity: Quantity, answer: Array) -> Residual:
        """The error of an answer at the states of ``case``."""

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        """The indices of the answer's component that the k-th number of a side belongs to."""


def compare(case: Case, quantity: Quantity, answer: Array) -> Comparison:
    """The error of ``answer``, which has one entry for every state of ``case``, and its magnitude."""
    with np.errstate(over="ignore", invalid="ignore"):
        residual = judge(quantity).residual(case, quantity, answer)
        return Comparison(*residual, in_epsilons(residual.error, residual.magnitude))


def judge(quantity: Quantity) -> Judge:
    """The judge that the quantity declares."""
    return _JUDGES[type(quantity.judged)]


class Value:
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        return answer, true(quantity.name, *(state[name] for name in quantity.arguments))

    def residual(self, case: Case, quantity: Quantity, answer: Array) -> Residual:
        arguments = case.states.arguments(quantity.arguments)
        expected, remainder = case.truth.high_low(quantity.name, *arguments)
        return Residual(answer, expected, answer - expected - remainder, case.scale.size(quantity.name, *arguments))

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        return [int(i) for i in np.unravel_index(k, quantity.dimensions(mechanism))]


class Forces(Value):
    """Where M is regular, as it has to be for q̈ to exist, every τ is the inverse dynamics of one q̈: a proof may start from q̈."""

    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        return answer, state["a"]

    def residual(self, case: Case, quantity: Quantity, answer: Array) -> Residual:
        q, v, tau = case.states.arguments(("q", "v", "tau"))
        reached, remainder = case.truth.forces(q, v, answer)
        return Residual(reached, tau, reached - tau + remainder, case.scale.shared_force(q, v, answer))


class Solution(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        one = np.broadcast_to(np.eye(answer.shape[1], dtype=int), answer.shape)
        return product(true("mass_matrix", state["q"]), answer), _right_side(quantity, true, state, one)

    def residual(self, case: Case, quantity: Quantity, answer: Array) -> Residual:
        state = case.states.columns
        left, right = self.sides(case.truth.values, quantity, state, answer)
        inverse = case.mass_matrix.inverse(state["q"])
        error = product(inverse, (left - right).astype(np.float64))
        sensitivity = product(np.abs(inverse), np.sqrt(case.scale.subtree_inertias(state["q"]))[..., None])
        size = np.abs(_right_side(quantity, case.scale.size, state, np.eye(answer.shape[1])))
        return Residual(answer, answer - error, error, sensitivity * (sensitivity * size).sum(axis=1, keepdims=True))


class Coriolis(Value):
    def sides(self, true: TrueValues, quantity: Quantity, state: State, answer: Array) -> tuple[Array, Array]:
        """The two equations side by side: (batch, nv, nv + 1)."""
        q, v = state["q"], state["v"]
        twice = true("nonlinear_effects", q, v) + true("nonlinear_effects", q, -v) - 2 * true("gravity", q)
        left = (answer + answer.swapaxes(1, 2), product(answer, v[..., None]))
        right = (true("mass_matrix_rate", q, v), twice[..., None] / 2)
        return np.concatenate(left, axis=2), np.concatenate(right, axis=2)

    def residual(self, case: Case, quantity: Quantity, answer: Array) -> Residual:
        """Each entry gets the larger of its errors in the two equations, with the other entries taken as right.

        The diagonal occurs twice in the first equation. An entry whose velocity is zero does not occur in the second.
        """
        state = case.states.columns
        left, right = self.sides(case.truth.values, quantity, state, answer)
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

    def component(self, mechanism: Mechanism, quantity: Quantity, k: int) -> list[int]:
        """For the second equation only a row is known, because it is stored as one extra column."""
        i, j = divmod(k, mechanism.nv + 1)
        return [i, j] if j < mechanism.nv else [i]


_JUDGES: dict[type, Judge] = {ByValue: Value(), ByForces: Forces(), BySolution: Solution(), ByCoriolis: Coriolis()}


def _right_side(quantity: Quantity, values: TrueValues, state: State, one: Array) -> Array:
    """−F, or ``one``; ``values`` gives true values, or magnitudes, of the quantity F that the table names."""
    assert isinstance(quantity.judged, BySolution)
    if quantity.judged.negated is None:
        return one
    arguments = QUANTITIES[quantity.judged.negated].arguments
    return -values(quantity.judged.negated, *(state[name] for name in arguments))


def product(A: Array, X: Array) -> Array:
    """The matrix product of every state."""
    return np.einsum("bij,bjk->bik", A, X)
