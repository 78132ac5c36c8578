"""Families of schemes, whose numbers are solved for, and then read.

    at two points    v⁺ = v + h (b₁ k₁ + b₂ k₂),    q⁺ = q ⊕ h (v + h (b̄₁ k₁ + b̄₂ k₂)),    k₁ at q and v, k₂ at the share λ of the step

has Newmark's methods (N. Newmark, J. Eng. Mech. Div. 85, 1959): λ = 1, b₂ = γ, b̄₂ = β, Σ b = 1, Σ b̄ = ½; the generalized-α method
(J. Chung, G. Hulbert, J. Appl. Mech. 60, 1993) that starts with the acceleration at q and v: λ = 1 − α_f, b₂ = γ / (1 − α_m),
b̄₂ = β / (1 − α_m); and the θ-methods: b̄ = θ b with b₂ = θ, or with b₂ = 1 and λ = θ.

An explicit method of Runge and Kutta is read by the conditions of its order (J. Butcher, J. Austral. Math. Soc. 3, 1963).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from cross_check.memory import Array
from cross_check.steps.alterations import OfEntry, alterations_of, number
from cross_check.steps.schemes import RUNGE_KUTTA, SCHEMES, TRAPEZOIDAL, Scheme

EQUAL = 1e-7
"""Numbers that are read as equal differ by less."""

LEAST_ORDER = 2
"""Of a method with numbers of its own. One of first order is as well another one with a fault."""


@dataclass(frozen=True)
class Family:
    """A scheme of which some numbers are free."""

    scheme: Scheme
    free: tuple[OfEntry, ...]
    read: Callable[[Scheme], str]
    """The name of the scheme with its numbers; empty if it is none."""


def _near(x: float, y: float) -> bool:
    return abs(x - y) < EQUAL * max(1.0, abs(y))


def _at_two_points(scheme: Scheme) -> str:
    b, moved, share = map(float, scheme.answer.gained), map(float, scheme.answer.moved), float(scheme.stages[1].gaining)
    (_, gamma), (_, beta) = (first, second), (one, other) = tuple(b), tuple(moved)
    if not _near(first + second, 1):
        return ""
    if _near(one, gamma * first) and _near(other, gamma * second) and _near(share, 1):
        return f"θ-method, θ = {number(gamma)}"
    if _near(first, 0) and _near(one, 0) and _near(other, share):
        return f"θ-method at one point, θ = {number(share)}"
    if not _near(one + other, 0.5):
        return ""
    if _near(share, 1):
        return f"Newmark with β = {number(beta)}, γ = {number(gamma)}"
    late = 1 - share
    if _near(gamma, 0.5 + late) and _near(beta, (1 + late) ** 2 / 4):
        return f"Hilber–Hughes–Taylor with α = {number(-late)}"
    radius = late / share
    mean = (2 * radius - 1) / (radius + 1)
    if _near(gamma * (1 - mean), 0.5 - mean + late) and _near(beta * (1 - mean), (1 - mean + late) ** 2 / 4):
        return f"generalized-α with ρ∞ = {number(radius)}"
    return f"generalized-α with α_f = {number(late)}, γ / (1 − α_m) = {number(gamma)}, β / (1 − α_m) = {number(beta)}"


def _explicit(scheme: Scheme) -> str:
    A, b = np.array([row.gained for row in scheme.stages], dtype=float), np.array(scheme.answer.gained, dtype=float)
    order = order_of_tableau(A, b)
    if order < LEAST_ORDER:
        return ""
    rows = [f"a{chr(ord('₂') + i)} = ({_listed(row[: i + 1])})" for i, row in enumerate(A[1:])]
    return f"Runge–Kutta of order {order} with {', '.join(rows)}, b = ({_listed(b)})"


def _listed(row: Array) -> str:
    return ", ".join(map(number, map(float, row)))


def order_of_tableau(A: Array, b: Array) -> int:
    """The order of an explicit method, four at most: how many lines of conditions hold."""
    c = A.sum(axis=1)
    conditions = (
        [(b.sum(), 1)],
        [(b @ c, 1 / 2)],
        [(b @ c**2, 1 / 3), (b @ A @ c, 1 / 6)],
        [(b @ c**3, 1 / 4), (b * c @ A @ c, 1 / 8), (b @ A @ c**2, 1 / 12), (b @ A @ A @ c, 1 / 24)],
    )
    holds = [all(_near(float(x), y) for x, y in line) for line in conditions]
    return [*holds, False].index(False)


def _free(scheme: Scheme) -> tuple[OfEntry, ...]:
    return tuple(one for one in alterations_of(scheme) if isinstance(one, OfEntry))


def implicit_families() -> Iterator[Family]:
    """Those at two points: with the second one at the answer, then at a share of the way."""
    weights = tuple(one for one in _free(TRAPEZOIDAL) if one.row == -1 and one.place in ("moved", "gained"))
    (share,) = (one for one in _free(TRAPEZOIDAL) if one.place == "share")
    yield Family(TRAPEZOIDAL, weights, _at_two_points)
    for start in (1.0, 0.5):
        free = (*weights, replace(share, value=start))
        yield Family(TRAPEZOIDAL, free, _at_two_points)


def explicit_families() -> Iterator[Family]:
    """Those of Runge and Kutta with two, three and four stages."""
    for name in ("Heun", "Kutta's third order", RUNGE_KUTTA.name):
        scheme = next(one for one in SCHEMES if one.name == name)
        yield Family(scheme, tuple(one for one in _free(scheme) if one.place == "both"), _explicit)
