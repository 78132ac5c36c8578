"""Families of schemes, whose numbers are solved for, and then read.

    v⁺ = v + h (b₁ k₁ + b₂ k₂),    q⁺ = q ⊕ h (v + h (b̄₁ k₁ + b̄₂ k₂)),    with k₁ at q and v, and k₂ at the share λ of the step

has Newmark's methods (N. Newmark, J. Eng. Mech. Div. 85, 1959): λ = 1, b₂ = γ, b̄₂ = β, Σ b = 1, Σ b̄ = ½; the generalized-α method
(J. Chung, G. Hulbert, J. Appl. Mech. 60, 1993) that starts with the acceleration at q and v: λ = 1 − α_f, b₂ = γ / (1 − α_m),
b̄₂ = β / (1 − α_m); and the θ-methods: b̄ = θ b with b₂ = θ, or with b₂ = 1 and λ = θ.

An explicit method of Runge and Kutta with two, three or four stages, and of as high an order, is known by c₂, or by c₂ and c₃,
where these differ (W. Kutta, Z. Math. Phys. 46, 1901).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from cross_check.steps.alterations import number
from cross_check.steps.schemes import TRAPEZOIDAL, Scheme, runge_kutta

EQUAL = 1e-7
"""Numbers that are read as equal differ by less."""


@dataclass(frozen=True)
class Family:
    """Schemes with numbers. The name of one is empty where it is none, such as where its weights have another sum than one."""

    scheme: Callable[..., Scheme]
    start: tuple[float, ...]


def families() -> Iterator[Family]:
    """Those at two points, with the second one at the answer, and then at a share of the way; then explicit ones."""
    weights = (0.25, 0.25, 0.5, 0.5)
    yield Family(_at_two_points, weights)
    yield from (Family(_at_two_points, (*weights, share)) for share in (1.0, 0.5))
    yield from (Family(_of_second_order, (start,)) for start in (0.4, 0.8))
    yield from (Family(made, start) for made in (_of_third_order, _of_fourth_order) for start in ((0.4, 0.7), (0.7, 0.4)))


def _near(x: float, y: float) -> bool:
    return abs(x - y) < EQUAL * max(1.0, abs(y))


def _at_two_points(one: float, other: float, first: float, second: float, share: float = 1.0) -> Scheme:
    here, there = TRAPEZOIDAL.stages
    answer = replace(TRAPEZOIDAL.answer, moved=(one, other), gained=(first, second))
    name = _name_at_two_points(one, other, first, second, share)
    return Scheme(name, (here, replace(there, along=share, gaining=share)), answer)


def _name_at_two_points(one: float, beta: float, first: float, gamma: float, share: float) -> str:
    if not _near(first + gamma, 1):
        return ""
    if _near(one, gamma * first) and _near(beta, gamma * gamma) and _near(share, 1):
        return f"θ-method, θ = {number(gamma)}"
    if _near(first, 0) and _near(one, 0) and _near(beta, share):
        return f"θ-method at one point, θ = {number(share)}"
    if not _near(one + beta, 0.5):
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


def _of_second_order(c: float) -> Scheme:
    return runge_kutta(f"Runge–Kutta of second order with c₂ = {number(c)}", [[], [c]], [1 - 1 / (2 * c), 1 / (2 * c)])


def _of_third_order(c: float, d: float) -> Scheme:
    last = d * (d - c) / (c * (2 - 3 * c))
    b = [(3 * d - 2) / (6 * c * (d - c)), (2 - 3 * c) / (6 * d * (d - c))]
    return _explicit("third", [[], [c], [d - last, last]], b)


def _of_fourth_order(c: float, d: float) -> Scheme:
    common = 6 * c * d - 4 * (c + d) + 3
    last = d * (d - c) / (2 * c * (1 - 2 * c))
    second = (1 - c) * (c + d - 1 - (2 * d - 1) ** 2) / (2 * c * (d - c) * common)
    third = (1 - 2 * c) * (1 - c) * (1 - d) / (d * (d - c) * common)
    b = [(2 * d - 1) / (c * (d - c) * (1 - c)), (1 - 2 * c) / (d * (d - c) * (1 - d)), common / ((1 - c) * (1 - d))]
    return _explicit("fourth", [[], [c], [d - last, last], [1 - second - third, second, third]], [x / 12 for x in b])


def _explicit(order: str, A: Sequence[Sequence[float]], later: Sequence[float]) -> Scheme:
    """The method with these weights of the later stages."""
    c, d = sum(A[1]), sum(A[2])
    return runge_kutta(f"Runge–Kutta of {order} order with c₂ = {number(c)}, c₃ = {number(d)}", A, [1 - sum(later), *later])
