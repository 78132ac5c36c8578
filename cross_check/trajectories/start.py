"""The state at which a trajectory starts, in balls: what is given, moved so that every condition on states holds.

Cosine and sine are divided by their length. Under constraints, the rows of J that are kept, and as many coordinates that depend
on the others, come from elimination at a nearby position in float64; the last coordinates depend first. The independent ones
stay as given. For the others, Newton's method finds a position q̃, and Krawczyk's operator proves that a position within r of q̃
satisfies the constraints that are kept:

    q̃ − C φ(q̃) + (1 − C J(Q)) (Q − q̃) lies within Q = q̃ ± r,        C ≈ J(q̃)⁻¹

(R. Krawczyk, 1969; S. Rump, "Verification methods", Acta Numerica 19, 2010, §13). The dependent velocities solve J v = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

import oracle
from cross_check.trajectories.enclose import NotEnclosed
from cross_check.trajectories.straight_line import Ball
from mechanisms import Mechanism

NOT_ZERO = 1e-6
"""Pivots above this part of the largest entry of J are not zero."""

STEPS = 100
"""Of Newton's method in float64; each doubling of digits takes one more."""


class Start(NamedTuple):
    """The rows of J that are kept, and a function that gives (q, v) in balls with the precision of ``flint.ctx``."""

    rows: tuple[int, ...]
    state: Callable[[], list[Ball]]


def start_of(mechanism: Mechanism, q: Sequence[Fraction], v: Sequence[Fraction]) -> Start:
    """The start near q (nq,) and v (nv,). Raises :class:`NotEnclosed` if no position near q satisfies the constraints."""
    if not mechanism.constraints:
        return Start((), lambda: [*_of_unit_length(mechanism, q), *map(_ball, v)])
    if mechanism.nq != mechanism.nv:
        raise NotEnclosed("quaternions, and cosines and sines, are not moved to satisfy constraints; use joints with angles")
    near = _nearby(mechanism, np.array(q, float))
    rows, dependent = _independent(_jacobian(oracle.EulerLagrange(mechanism), near))
    guess = [Fraction(near[k]) if k in dependent else x for k, x in enumerate(q)]
    return Start(tuple(rows), lambda: _constrained(mechanism, rows, dependent, guess, v))


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


def _nearby(mechanism: Mechanism, q: Any) -> Any:
    """A position in float64, by Newton's method with the smallest steps that do not move the first coordinates if others can."""
    of = oracle.EulerLagrange(mechanism)
    for _ in range(STEPS):
        J, φ = _jacobian(of, q), of.constraint_residual(q[None])[0]
        if np.abs(φ).max() < 1e-13:
            return q
        _, dependent = _independent(J)
        step = np.linalg.lstsq(J[:, dependent], φ, rcond=NOT_ZERO)[0]
        q = q.copy()
        q[dependent] -= step / max(1, np.abs(step).max())
    raise NotEnclosed("no position near q satisfies the constraints; give another q")


def _independent(J: Any) -> tuple[list[int], list[int]]:
    """The rows of J that do not follow from others, and as many coordinates, by elimination from the last coordinate on."""
    rest, rows, columns = J.copy(), list[int](), list[int]()
    for k in reversed(range(J.shape[1])):
        i = int(np.abs(rest[:, k]).argmax())
        if abs(rest[i, k]) > NOT_ZERO * np.abs(J).max():
            rows.append(i)
            columns.append(k)
            rest = rest - np.outer(rest[:, k], rest[i] / rest[i, k])
    return sorted(rows), sorted(columns)


def _constrained(
    mechanism: Mechanism, rows: list[int], dependent: list[int], guess: Sequence[Fraction], v: Sequence[Fraction]
) -> list[Ball]:
    """(q, v) in balls."""
    of = oracle.EulerLagrange(mechanism, oracle.Balls())
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
    given = [k for k in range(mechanism.nv) if k not in dependent]
    if given:
        known = arb_mat(len(given), 1, [velocity[k] for k in given])
        for k, x in zip(dependent, J(q, dependent).solve(-(J(q, given) * known)).entries(), strict=True):
            velocity[k] = x
    return [*q, *velocity]
