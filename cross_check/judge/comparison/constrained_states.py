"""States that satisfy the constraints of a mechanism on position and on velocity.

A drawn position is moved until the frames coincide: first in float64 by Levenberg and Marquardt's method, then in double-double
by Newton's, until |φ| is below 2⁻⁸⁰ of J's largest entry. There the rank of J is decided, with a gap
(:mod:`oracle.multipliers`). A drawn velocity loses what J v = 0 does not allow. What the code under test gets is this state,
rounded to float64. The rounding is no error of the code, because answers are judged by equations at the rounded state
(docs/loops.md).

At first, Newton's method leaves quaternions, cosines and sines as they are, so that their lengths in float64 stay. Where the
other coordinates do not suffice, as between two ball joints, all move. The lengths are then one in double-double, and off by at
most a spacing once rounded. Neighbours of a better length would be too far away: engines take the frames for coincident.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from cross_check.judge.comparison.kinds import unit
from cross_check.judge.comparison.sampling import States
from cross_check.judge.comparison.truth import Truth
from machine.double_doubles import DoubleDoubles
from mechanisms import Mechanism
from mechanisms.errors import Unsupported
from mechanisms.states import difference, integrate
from oracle.multipliers import independent_rows
from oracle.recorded import BY_JETS, RecordedQuantities

Array = np.ndarray[Any, Any]

SATISFIED = 2.0**-80
"""The largest |φ|, relative to the largest entry of J."""

REGULAR = 2.0**-12
"""The least pivot of J at a drawn position, relative to its largest entry, if there are such positions. Solvers that square the
condition of J lose digits nearer to a singular position, for good reason."""

STEPS, POLISHING = 80, 6
"""Steps in float64, and in double-double."""

ATTEMPTS = 12
"""So many positions are tried for a state."""

TRUNCATED = 1e-7
"""Singular values of J below this, relative to the largest, belong to rows that follow from others."""


class _Found(NamedTuple):
    """One position that satisfies the constraints, the rank of J there, and its rows, the independent ones first."""

    q: DoubleDoubles
    rank: int
    rows: Array


class Search:
    """Finds states of one mechanism."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._programs = RecordedQuantities(mechanism, BY_JETS)
        self._directions: list[slice] = []
        """The quaternions, cosines and sines among the coordinates."""
        self._turning = np.zeros(mechanism.nv, bool)
        """Whether they belong to this velocity."""
        for body, q_own, v_own in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
            for slot in body.joint.slots:
                if slot.form in ("quaternion", "circle"):
                    self._directions.append(slice(q_own.start + slot.q.start, q_own.start + slot.q.stop))
                    self._turning[v_own.start + slot.v.start : v_own.start + slot.v.stop] = True

    def satisfying(self, states: States) -> States:
        """As many states as were drawn, of the same kinds and near them.

        Raises :class:`Unsupported` if no position is found that satisfies the constraints.
        """
        q, rank, rows = self._positions(states)
        v = _allowed(_rows(self.jacobian(q), rows[:, :rank]), states.v, POLISHING)
        moving = (states.kinds, q.high, v, states.a, states.tau, states.f)
        return States(*moving, v_minus=states.v, rows=rows[:, :rank], precision=states.precision)

    def jacobian(self, q: Any) -> DoubleDoubles:
        """J (batch, directions, nv) at float64 positions or double-doubles."""
        return self._value("constraint_jacobian", q)

    def _value(self, name: str, *arguments: Any) -> DoubleDoubles:
        given = ((x.high, x.low) if isinstance(x, DoubleDoubles) else x for x in arguments)
        return DoubleDoubles(*self._programs.function(name)(*given))

    def _positions(self, states: States) -> tuple[DoubleDoubles, int, Array]:
        """Positions in double-double, the rank of J there, and its rows, the independent ones first."""
        rng = np.random.default_rng(len(states))
        found: dict[int, _Found] = {}
        nearly_singular: dict[int, _Found] = {}
        left, tried = np.arange(len(states)), self._wrapped(states.q)
        for _ in range(ATTEMPTS):
            q = self._polished(self._closed(tried), rng)
            rank, rows, least = independent_rows(self.jacobian(q))
            for i in np.flatnonzero(self._is_satisfied(q) & (rank >= 0)):
                chosen = found if least[i] >= REGULAR else nearly_singular
                if (k := int(left[i])) not in chosen or rank[i] > chosen[k].rank:
                    chosen[k] = _Found(q[i], int(rank[i]), rows[i])
            # Where links fold onto each other, fewer rows are independent: that is another motion than elsewhere.
            generic = max((one.rank for one in found.values()), default=0)
            left = np.array([k for k in range(len(states)) if k not in found or found[k].rank < generic], int)
            if not len(left):
                break
            tried = integrate(self.mechanism, self._wrapped(states.q[left]), rng.normal(size=(len(left), self.mechanism.nv)))
        found = found or nearly_singular
        if not found:
            names = ", ".join(repr(constraint.name) for constraint in self.mechanism.constraints)
            raise Unsupported(f"no position was found that satisfies the constraints {names}; they may contradict each other")
        generic = max(one.rank for one in found.values())
        regular = {k: one for k, one in found.items() if one.rank == generic}
        # A state that was not found has the position of another one.
        others = list(regular.values())
        every = [regular.get(k, others[k % len(others)]) for k in range(len(states))]
        q = DoubleDoubles(np.stack([one.q.high for one in every]), np.stack([one.q.low for one in every]))
        return q, generic, np.stack([one.rows for one in every])

    def _wrapped(self, q: Array) -> Array:
        """The positions with angles between −π and π, where whole turns change nothing."""
        q = q.copy()
        for joint, slot in self.mechanism.slots("angle"):
            if not self.mechanism.has_mimics and not any(one.advances for one in joint.slots):
                q[:, slot] = np.remainder(q[:, slot] + np.pi, 2 * np.pi) - np.pi
        return q

    def _closed(self, q: Array) -> Array:
        """Levenberg and Marquardt's method, in float64."""
        m, n = self.mechanism, self.mechanism.nv
        gap = self._value("constraint_residual", q).high
        damping = np.full(len(q), 1e-2)
        for _ in range(STEPS):
            J = self.jacobian(q).high
            JJ = np.einsum("bij,bik->bjk", J, J)
            weight = damping * np.trace(JJ, axis1=1, axis2=2) / n
            A = JJ + weight[:, None, None] * np.eye(n) + np.finfo(float).tiny * np.eye(n)
            tried = integrate(m, q, -np.linalg.solve(A, np.einsum("bij,bi->bj", J, gap)[..., None])[..., 0])
            new = self._value("constraint_residual", tried).high
            better = np.linalg.norm(new, axis=1) < np.linalg.norm(gap, axis=1)
            q, gap = np.where(better[:, None], tried, q), np.where(better[:, None], new, gap)
            damping = np.clip(np.where(better, damping / 8, damping * 4), 1e-12, 1e6)
        return self._wrapped(q)

    def _polished(self, closed: Array, rng: np.random.Generator) -> DoubleDoubles:
        """Newton's method by angles and distances alone, and by all coordinates where that does not suffice."""
        q = closed.copy()
        for own in self._directions:
            q[:, own] = [unit(x, rng) for x in q[:, own]]
        precise = self._newton(q, self._turning)
        missed = ~self._is_satisfied(precise)
        if self._directions and missed.any():
            moved = self._newton(closed[missed], np.zeros_like(self._turning))
            precise.high[missed], precise.low[missed] = moved.high, moved.low
        return precise

    def _newton(self, q: Array, stays: Array) -> DoubleDoubles:
        """Newton's method in double-double; the velocities that ``stays`` (nv,) marks are zero."""
        inverse = np.linalg.pinv(np.where(stays, 0, self.jacobian(q).high), rcond=TRUNCATED)
        precise: Any = DoubleDoubles(q, np.zeros_like(q))
        for _ in range(POLISHING):
            gap = self._value("constraint_residual", precise).high
            step = np.where(stays, 0, -np.einsum("bij,bj->bi", inverse, gap))
            # Where the search has failed, numbers may have grown without bound.
            step = np.where(np.isfinite(step), step, 0)
            precise = precise + _direction(self.mechanism, q, step)
            for own in [] if stays.any() else self._directions:
                part = _normalised(precise[:, own])
                precise.high[:, own], precise.low[:, own] = part.high, part.low
        return precise

    def _is_satisfied(self, q: DoubleDoubles) -> Array:
        gap, J = self._value("constraint_residual", q).high, self.jacobian(q).high
        aligned = (self._value("constraint_alignment", q).high > 0.5).all(axis=1)
        return aligned & (np.abs(gap).max(axis=1) <= SATISFIED * np.abs(J).max(axis=(1, 2)))


def nearby_satisfying(mechanism: Mechanism, truth: Truth, states: States, nearby: States) -> States:
    """The neighbours ``nearby`` of ``states``, a few roundings away, moved so that they satisfy the constraints as well.

    Code may continue J and the drift otherwise than the oracle where a constraint is violated. So a neighbour must not violate it
    by more than rounding does. Its position is reached along a motion that the constraints allow: what remains of φ is of the
    square of the step. Its velocity loses what J v = 0 does not allow there.
    """

    def rows(q: Array) -> DoubleDoubles:
        return _rows(DoubleDoubles(*truth.afresh().high_low("constraint_jacobian", q)), states.rows)

    J, step = rows(states.q).high, difference(mechanism, states.q, nearby.q)
    q = integrate(mechanism, states.q, step - np.einsum("bij,bjk,bk->bi", np.linalg.pinv(J), J, step))
    return replace(nearby, q=q, v=_allowed(rows(q), nearby.v, 2))


def _rows(J: Any, rows: Array) -> Any:
    """These rows of J (batch, rank, nv)."""
    return J[np.arange(len(rows))[:, None], rows]


def _allowed(J: Any, v: Array, steps: int) -> Array:
    """The velocities nearest to v with J v = 0, rounded, after so many steps of Newton's method."""
    inverse = np.linalg.pinv(J.high)
    precise: Any = DoubleDoubles(v, np.zeros_like(v))
    for _ in range(steps):
        precise = precise - np.einsum("bij,bj->bi", inverse, np.einsum("bij,bj->bi", J, precise).high)
    # Adding zero turns −0 into 0.
    return np.asarray(precise.high + 0.0)


def _normalised(x: DoubleDoubles) -> DoubleDoubles:
    """The vectors x (batch, n) with the length one."""
    length: Any = np.sqrt(np.einsum("bi,bi->b", x, x))
    return x / length[:, None]


def _direction(mechanism: Mechanism, q: Array, step: Array) -> Array:
    """The change of q (batch, nq) along a small step (batch, nv), to first order: a longer step, which rounding leaves intact."""
    length = np.abs(step).max(axis=1, keepdims=True)
    stretch = np.where(length > 0, 1e-5 / np.where(length > 0, length, 1), 1)
    return (integrate(mechanism, q, stretch * step) - q) / stretch
