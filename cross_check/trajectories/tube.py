"""A tube around a polynomial that contains the solutions of dy/dt = f(y): one step, proven in balls.

Let P be a polynomial on [0, h], and e(t) ≥ |y(t) − P(t)|, component by component, for the solutions y. With

    δ ≥ |P' − f(P)|  on [0, h],        L_ij ≥ |∂f_i/∂y_j|,  L_ii ≥ max(∂f_i/∂y_i, 0)  within ``RADIUS`` of P in every component

the mean value theorem gives, as long as e stays below RADIUS,

    D⁺ e_i ≤ Σ_j L_ij e_j + δ_i,        and so        e(t) ≤ exp(L t) (e(0) + t δ)

(differential inequalities with a matrix whose entries off the diagonal are not negative: W. Walter, "Differential and integral
inequalities", 1970, §12; with one Lipschitz constant, E. Hairer, S. Nørsett, G. Wanner, "Solving ordinary differential equations
I", 1993, thm. I.10.2). The right side grows with t. **If it is below RADIUS at t = h, it is so before**: the solution exists up to
h, because by Picard and Lindelöf it goes on wherever f is smooth, and it cannot leave the tube (the inclusion test).

P comes from :mod:`cross_check.trajectories.taylor`, and may be any polynomial. δ is the remainder; it is bounded by
:mod:`cross_check.trajectories.series` for all times of the step at once. L is evaluated on ``PARTS`` of the step, one after the
other, in boxes around P. e grows faster than the errors do, because signs are lost; more bits make up for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from flint import arb, arb_mat, arb_poly, ctx

from cross_check.trajectories.series import COARSE, Series, TooWide, along, size
from cross_check.trajectories.straight_line import Ball, Code, over_balls
from cross_check.trajectories.taylor import Scale, Whole

RADIUS = arb(2) ** -32
"""Of the tube."""

PARTS = 8
"""Parts of a step."""

EXACT = 12
"""Coefficients that a box around P is computed with; the bound of the others widens it."""


class Equation(NamedTuple):
    """dy/dt = f(y): the programs of f (n outputs) and of ∂f/∂y (n² outputs, row after row)."""

    rate: Code
    slope: Code


class Step(NamedTuple):
    """What one step proves: the solution at its end is ``value`` (whole numbers) within ``error`` (balls without radius)."""

    value: Whole
    error: list[Ball]


def advance(equation: Equation, values: Sequence[Whole], scale: Scale, h: Ball, error: Sequence[Ball]) -> Step | None:
    """A step of length h, or None if it is too long to be proven.

    ``values`` are Taylor coefficients of all values of f's program along P. All solutions that start within ``error`` of the
    start of P are enclosed.
    """
    n, order = equation.rate.inputs, len(values[0])
    P = [scale.polynomial(x, h) for x in values[:n]]
    try:
        f = along(equation.rate, lambda k: P[k] if k < n else scale.polynomial(values[k], h), order)
    except TooWide:
        return None
    rest = arb_mat(n, 1, defects(f, P, h)) / PARTS
    with ctx.workprec(COARSE):
        e = arb_mat(n, 1, list(error))
        for part in range(PARTS):
            slopes = over_balls(equation.slope, [box(p, part) for p in P])
            if not all(x.is_finite() for x in slopes):
                return None
            e = upper((growth(slopes, n) * h / PARTS).exp() * (e + rest))
            if not all(x < RADIUS for x in e.entries()):
                return None
    reached = [p(arb(1)) for p in P]
    value = [scale.whole(x) for x in reached]
    return Step(value, [(x + abs(y - scale.ball(z))).upper() for x, y, z in zip(e.entries(), reached, value, strict=True)])


def defects(f: Sequence[Series], P: Sequence[arb_poly], h: Ball) -> list[Ball]:
    """h δ: bounds of |dP/ds − h f(P)| for s = t / h in [0, 1]."""
    return [(size((p.derivative() - x.poly * h).coeffs()) + x.rest * h).upper() for p, x in zip(P, f, strict=True)]


def box(P: arb_poly, part: int) -> Ball:
    """A ball with all numbers within RADIUS of P on one of the PARTS of [0, 1]: P(m) + P'(s) (s − m)."""
    m, s = (2 * arb(part) + 1) / (2 * PARTS), (2 * arb(part) + arb(1, 1)) / (2 * PARTS)
    head, tail = P.truncate(EXACT), size(P.coeffs()[EXACT:])
    return head(m) + head.derivative()(s) * (s - m) + arb(0, (tail + RADIUS).upper())


def growth(slopes: Sequence[Ball], n: int) -> arb_mat:
    """L (n, n) from the slopes ∂f/∂y."""
    return arb_mat(n, n, [x.abs_upper() if k % (n + 1) else x.upper().max(arb(0)) for k, x in enumerate(slopes)])


def upper(x: arb_mat) -> arb_mat:
    """Upper bounds of the entries, without radius."""
    return arb_mat(x.nrows(), x.ncols(), [entry.upper() for entry in x.entries()])
