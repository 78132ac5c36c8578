"""A tube around a polynomial that contains the solutions of dy/dt = f(y): one step, proven in balls.

Let P be a polynomial on [0, h], e = y − P the error of a solution y, and, component by component,

    δ ≥ |P' − f(P)|  on [0, h],        J(t) ∋ ∂f/∂y  within ``RADIUS`` of P(t) in every component,        L ≥ |J|

As long as |e| stays below RADIUS, the mean value theorem gives e' = J̃ e + d with a matrix J̃ in J and |d| ≤ δ. Therefore

    |e(t)| ≤ exp(L t) (|e(0)| + t δ)                                                                                     eq. 1
    e(h) = Φ e(0) + ε,   |ε| ≤ exp(L h) h δ,        |Φ − Ψ| ≤ exp(L h) h |Ψ' − J Ψ|                                      eq. 2

with the flow Φ of e' = J̃ e, and any matrix polynomial Ψ with Ψ(0) = 1 (differential inequalities: W. Walter, "Differential and
integral inequalities", 1970, §12; with one Lipschitz constant, E. Hairer, S. Nørsett, G. Wanner, "Solving ordinary differential
equations I", 1993, thm. I.10.2). The right side of eq. 1 grows with t. **If it is below RADIUS at t = h, it is so before**: the
solution exists up to h, because by Picard and Lindelöf it goes on wherever f is smooth, and it cannot leave the tube. This is the
inclusion test.

Errors are kept as e = A r, |r| ≤ ρ, with A from eq. 2, made orthogonal after each step (R. Lohner, "Enclosing the solutions of
ordinary initial and boundary value problems", 1987): boxes around boxes that turn would grow without need.

P and Ψ may be any polynomials, and A any regular matrix; where they are bad, the bounds are large. P comes from
:mod:`cross_check.trajectories.taylor`. δ is the remainder. :mod:`cross_check.trajectories.series` bounds it and J for all times
of the step at once; J with few coefficients and coarse numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, arb_poly, ctx

from cross_check.trajectories.series import COARSE, Series, TooWide, along, size
from cross_check.trajectories.straight_line import Ball, Code
from cross_check.trajectories.taylor import Scale, Whole

RADIUS = arb(2) ** -32
"""Of the tube."""

SMALLEST = 2.0**-500
"""A unit of a component that has no error."""

MOST = 4
"""Ψ has at most so many times as many coefficients as J."""


class Equation(NamedTuple):
    """dy/dt = f(y): a program of f (n outputs), and one of f and, row after row, ∂f/∂y (n + n² outputs)."""

    rate: Code
    slope: Code


class Errors(NamedTuple):
    """All A r with |r| ≤ ρ: A (n, n) and ρ (n, 1), exact numbers."""

    A: arb_mat
    ρ: arb_mat

    @property
    def size(self) -> arb_mat:
        """Upper bounds of the components (n, 1)."""
        return upper(absolute(self.A) * self.ρ)


class Step(NamedTuple):
    """What one step proves: the solution at its end is ``value``, whole numbers, plus one of the ``errors``."""

    value: Whole
    errors: Errors


def advance(equation: Equation, coefficients: Sequence[Whole], scale: Scale, h: Ball, errors: Errors) -> Step | None:
    """A step of length h, or None if it is too long to be proven.

    ``coefficients`` are those of P. Every solution is enclosed that starts at the start of P plus one of the ``errors``.
    """
    n, order = len(coefficients), len(coefficients[0])
    P = [scale.polynomial(x, h) for x in coefficients]
    try:
        f = along(equation.rate, [Series(p, arb(0), order) for p in P])
        reached = [p(arb(1)) for p in P]
        value = [scale.whole(x) for x in reached]
        rounding = arb_mat(n, 1, [(x - scale.ball(y)).abs_upper() for x, y in zip(reached, value, strict=True)])
        remainder = arb_mat(n, 1, defects(f, P, h))
        with ctx.workprec(COARSE):
            J = slopes(equation.slope, P, h)
            growth = upper(bound(J).exp())
            if not all(x < RADIUS for x in (growth * (errors.size + remainder)).entries()):  # eq. 1
                return None
            return Step(value, turned(flow(J, growth) * errors.A, errors.ρ, upper(growth * remainder + rounding)))
    except TooWide:
        return None


def defects(f: Sequence[Series], P: Sequence[arb_poly], h: Ball) -> list[Ball]:
    """h δ: bounds of |dP/ds − h f(P)| for s = t / h in [0, 1]."""
    return [(size(p.derivative() - x.poly * h) + x.rest * h).upper() for p, x in zip(P, f, strict=True)]


def slopes(code: Code, P: Sequence[arb_poly], h: Ball) -> list[Series]:
    """h J (n²), row after row, as functions of s, with as many coefficients as bring P into the tube."""
    few = max(map(needed, P))
    tube = [Series(p.truncate(few), (size(p.right_shift(few)) + RADIUS).upper(), few) for p in P]
    return [Series(x.poly * h, (x.rest * h).upper(), few) for x in along(code, tube)[len(P) :]]


def needed(p: arb_poly) -> int:
    """The number of coefficients of p without which it would leave the tube."""
    coefficients, left = p.coeffs(), RADIUS
    while coefficients and (left := (left - coefficients[-1].abs_upper()).lower()) > 0:
        coefficients.pop()
    return max(2, len(coefficients))


def bound(J: Sequence[Series]) -> arb_mat:
    """h L (n, n)."""
    n = round(len(J) ** 0.5)
    return arb_mat(n, n, [(x.size + x.rest).upper() for x in J])


def flow(J: Sequence[Series], growth: arb_mat) -> arb_mat:
    """Φ (n, n) over the step; ``growth`` is exp(h L). The coefficients of Ψ solve Ψ' = J Ψ until they are small."""
    n, few = growth.nrows(), J[0].n
    slope = [arb_mat(n, n, [x.poly[k] for x in J]) for k in range(few)]
    Ψ = [arb_mat(n, n, [int(not k % (n + 1)) for k in range(n * n)])]
    missing, whole, sizes = arb_mat(n, n), Ψ[0], Ψ[0]
    k, end = 0, MOST * few
    while k < end + few - 1:
        total = arb_mat(n, n)
        for i in range(max(0, k - len(Ψ) + 1), min(k + 1, few)):
            total += slope[i] * Ψ[k - i]
        if k + 1 < end:
            Ψ.append((total / (k + 1)).mid())
            total -= Ψ[-1] * (k + 1)
            whole, sizes = whole + Ψ[-1], sizes + absolute(Ψ[-1])
            if k > few and max(absolute(Ψ[-1]).entries()) < RADIUS:
                end = k + 2
        missing += absolute(total)
        k += 1
    missing += arb_mat(n, n, [x.rest for x in J]) * sizes
    return whole + arb_mat(n, n, [arb(0, x.upper()) for x in (growth * missing).entries()])  # eq. 2


def turned(image: arb_mat, ρ: arb_mat, added: arb_mat) -> Errors:
    """Errors that contain all B r + ε with B in ``image``, |r| ≤ ρ, |ε| ≤ ``added``: A⁻¹ B r + A⁻¹ ε with a new A.

    A is orthogonal but for the units of the components. Its first column lies along the longest edge of the image.
    """
    longest = max([*ρ.entries(), *added.entries()])
    lengths, grown = (np.array([float(x / longest) if longest > 0 else 1.0 for x in part.entries()]) for part in (ρ, added))
    edges = np.array([[float(x.mid()) for x in row] for row in image.tolist()]) * lengths
    # Powers of two, so that A and its inverse follow from the orthogonal matrix without roundings.
    units = 2.0 ** np.round(np.log2(np.maximum(np.abs(edges).max(axis=1) + grown, SMALLEST)))
    edges = edges / units[:, None]
    order = np.argsort(-np.linalg.norm(edges, axis=0))
    Q: Any = np.linalg.qr(edges[:, order])[0]
    A, turn = (arb_mat(len(Q), len(Q), [arb(float(x)) for x in part.ravel()]) for part in (units[:, None] * Q, Q))
    scale = arb_mat(len(Q), len(Q), [arb(float(x)) for x in np.diag(1 / units).ravel()])
    inverse = turn.inv() * scale
    return Errors(A, upper(absolute(inverse * image) * ρ + absolute(inverse) * added))


def absolute(x: arb_mat) -> arb_mat:
    """Upper bounds of the entries' magnitudes."""
    return arb_mat(x.nrows(), x.ncols(), [entry.abs_upper() for entry in x.entries()])


def upper(x: arb_mat) -> arb_mat:
    """Upper bounds of the entries, without radius."""
    return arb_mat(x.nrows(), x.ncols(), [entry.upper() for entry in x.entries()])
