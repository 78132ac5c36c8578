"""The state at which a trajectory starts, in balls: what is given, moved so that every condition on states holds.

Cosine and sine are divided by their length. Under constraints, as many coordinates as J has rank depend on the others: those of
elimination at a nearby position in float64, the last coordinates first. The independent ones stay as given. For the others,
Newton's method finds a position q̃, and Krawczyk's operator proves that a position within r of q̃ satisfies the constraints that
are kept:

    q̃ − C φ(q̃) + (1 − C J(Q)) (Q − q̃) lies within Q = q̃ ± r,        C ≈ J(q̃)⁻¹

(R. Krawczyk, 1969; S. Rump, "Verification methods", Acta Numerica 19, 2010, §13). The dependent velocities solve J v = 0.

Where rows of J follow from others, as many are kept as J has rank. A choice that is good at the start may be singular later. So
the motion is computed in float64, with the least multipliers. One row after the other is left out, such that the least singular
value of the others on the way stays largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

import oracle
from cross_check.trajectories.enclose import NotEnclosed
from cross_check.trajectories.straight_line import Ball
from mechanisms import Mechanism

Force = Callable[[Any, Any], Any]
"""τ (nv,) from q and v."""

NOT_ZERO = 1e-6
"""Pivots above this part of the largest entry of J are not zero."""

STEPS = 100
"""Of Newton's method in float64; each doubling of digits takes one more."""

PARTS = 50
"""Of the time, at whose ends rows of J are compared."""


class Start(NamedTuple):
    """The rows of J that are kept, and functions with the precision of ``flint.ctx``."""

    rows: tuple[int, ...]
    state: Callable[[], list[Ball]]
    """(q, v) in balls."""
    holds: Callable[[Sequence[Ball]], bool] = lambda q: True
    """Whether all constraints may hold at positions in balls, also those that are not kept."""


def start_of(
    mechanism: Mechanism, q: Sequence[Fraction], v: Sequence[Fraction], time: Fraction, force: Force | None = None
) -> Start:
    """The start near q (nq,) and v (nv,) of a motion for a time under ``force``.

    Raises :class:`NotEnclosed` if no position near q satisfies the constraints.
    """
    if not mechanism.constraints:
        return Start((), lambda: [*_of_unit_length(mechanism, q), *map(_ball, v)])
    if mechanism.nq != mechanism.nv:
        raise NotEnclosed("quaternions, and cosines and sines, are not moved to satisfy constraints; use joints with angles")
    of = oracle.EulerLagrange(mechanism)
    near = _nearby(of, np.array(q, float))
    J = _jacobian(of, near)
    dependent = _dependent(J)
    rows = tuple(range(len(J)))
    if len(dependent) < len(J):
        moving = np.array(v, float)
        moving[dependent] -= np.linalg.lstsq(J[:, dependent], J @ moving, rcond=NOT_ZERO)[0]
        on_the_way = _jacobians(of, near, moving, float(time) / PARTS, force)
        while len(rows) > len(dependent):
            rest = combinations(rows, len(rows) - 1)
            rows = max(rest, key=lambda kept: np.linalg.svd(on_the_way[:, kept])[1][:, len(dependent) - 1].min())
    guess = [Fraction(near[k]) if k in dependent else x for k, x in enumerate(q)]

    def in_balls() -> Any:
        return oracle.EulerLagrange(mechanism, oracle.Balls())

    return Start(
        rows,
        lambda: _constrained(in_balls(), list(rows), dependent, guess, v),
        lambda q: all(x.contains(0) for x in in_balls().constraint_residual(np.array([q], object))[0]),
    )


def _ball(x: Fraction) -> Ball:
    return arb(fmpq(x.numerator, x.denominator))


def _of_unit_length(mechanism: Mechanism, q: Sequence[Fraction]) -> list[Ball]:
    balls = [_ball(x) for x in q]
    for _, circle in mechanism.slots("circle"):
        c, s = balls[circle]
        length = (c * c + s * s).sqrt()
        balls[circle] = [c / length, s / length]
    return balls


def _jacobian(of: Any, q: Any) -> Any:
    return of.constraint_jacobian(q[None])[0]


def _nearby(of: Any, q: Any) -> Any:
    """A position in float64, by Newton's method with the smallest steps that do not move the first coordinates if others can."""
    for _ in range(STEPS):
        J, φ = _jacobian(of, q), of.constraint_residual(q[None])[0]
        if np.abs(φ).max() < 1e-13:
            return q
        dependent = _dependent(J)
        step = np.linalg.lstsq(J[:, dependent], φ, rcond=NOT_ZERO)[0]
        q = q.copy()
        q[dependent] -= step / max(1, np.abs(step).max())
    raise NotEnclosed("no position near q satisfies the constraints; give another q")


def _dependent(J: Any) -> list[int]:
    """As many coordinates as J (rows, nv) has rank, by elimination from the last coordinate on."""
    rest, columns = J.copy(), list[int]()
    for k in reversed(range(J.shape[1])):
        i = int(np.abs(rest[:, k]).argmax())
        if abs(rest[i, k]) > NOT_ZERO * np.abs(J).max():
            columns.append(k)
            rest = rest - np.outer(rest[:, k], rest[i] / rest[i, k])
    return sorted(columns)


def _jacobians(of: Any, q: Any, v: Any, h: float, force: Force | None) -> Any:
    """J (times, rows, nv) every h seconds by the classical method of Runge and Kutta, as far as the motion is finite."""

    def rate(y: Any) -> Any:
        q, v = y.reshape(2, 1, -1)
        M, J, τ = of.mass_matrix(q)[0], _jacobian(of, q[0]), force(q[0], v[0]) if force else 0
        pull, a = np.linalg.solve(M, J.T), np.linalg.solve(M, τ - of.nonlinear_effects(q, v)[0])
        λ = np.linalg.lstsq(J @ pull, J @ a + of.constraint_drift(q, v)[0], rcond=NOT_ZERO)[0]
        return np.concatenate([v[0], a - pull @ λ])

    y, found = np.concatenate([q, v]), [_jacobian(of, q)]
    with suppress(np.linalg.LinAlgError), np.errstate(all="ignore"):
        for _ in range(PARTS):
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + h / 2 * k2)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(y + h * k3))
            if not np.isfinite(y).all():
                break
            found.append(_jacobian(of, y[: len(q)]))
    return np.array(found)


def _constrained(of: Any, rows: list[int], dependent: list[int], guess: Sequence[Fraction], v: Sequence[Fraction]) -> list[Ball]:
    """(q, v) in balls."""
    q = np.array([_ball(x) for x in guess], object)

    def φ(at: Any) -> arb_mat:
        return arb_mat(len(rows), 1, of.constraint_residual(at[None])[0][rows].tolist())

    def J(at: Any, columns: Sequence[int]) -> arb_mat:
        return arb_mat(_jacobian(of, at)[np.ix_(rows, columns)].tolist())

    for _ in range(ctx.prec.bit_length() + 2):
        q[dependent] = [(x - step).mid() for x, step in zip(q[dependent], J(q, dependent).solve(φ(q)).entries(), strict=True)]
    C = J(q, dependent).mid().inv().mid()
    step, r = C * φ(q), arb(2) ** (16 - ctx.prec)
    Q = q.copy()
    Q[dependent] = [x + arb(0, r) for x in q[dependent]]
    spread = arb_mat(len(rows), 1, [arb(0, r)] * len(rows))
    moved = arb_mat(len(rows), len(rows), [int(i == j) for i in range(len(rows)) for j in range(len(rows))]) - C * J(Q, dependent)
    image = moved * spread - step
    if not all(abs(x) < r for x in image.entries()):
        raise NotEnclosed(
            "no position near q is proven to satisfy the constraints, perhaps because it is singular; give another q"
        )
    q[dependent] = [x + change for x, change in zip(q[dependent], image.entries(), strict=True)]
    velocity = [_ball(x) for x in v]
    given = [k for k in range(len(velocity)) if k not in dependent]
    if given:
        known = arb_mat(len(given), 1, [velocity[k] for k in given])
        for k, x in zip(dependent, J(q, dependent).solve(-(J(q, given) * known)).entries(), strict=True):
            velocity[k] = x
    return [*q, *velocity]
