"""The true motion for a while, by the oracle's equations in float64.

    q̇ = G(q) v        v̇ = M⁻¹ (τ − h(q, v)),        τ is held

Steps of Dormand and Prince's method of fifth order are halved until halving changes nothing that matters. What it still changes
says how exact the motion is; in chaotic motion this grows as any other error does.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from cross_check.memory import Array
from cross_check.steps.schemes import DORMAND_PRINCE
from cross_check.trajectories.motion import by_oracle
from machine.recording.recorded_function import record
from machine.recording.values import Values
from mechanisms import Mechanism
from mechanisms.position_rates import position_rate
from mechanisms.states import of_length_one

ROWS = [np.array([float(Fraction(x)) for x in row]) for row in DORMAND_PRINCE]
"""The rows of A, and last the weights. The seventh stage serves an error estimate alone, and is left out."""

MOST_HALVINGS = 8


class Flow:
    """The motion of one mechanism. States are (batch, nq) and (batch, nv), and h is (batch, 1)."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

        def rates(recording: object, q: Values, v: Values, tau: Values) -> Values:
            a = by_oracle(mechanism, (), recording, q, v, tau)  # type: ignore[arg-type]
            made: Values = np.concatenate([np.stack(position_rate(mechanism, q, v)), a])  # type: ignore[assignment]
            return made

        self._rates = record(rates, [(mechanism.nq,), (mechanism.nv,), (mechanism.nv,)])

    def over(self, q: Array, v: Array, tau: Array, h: Array, parts: int = 1) -> tuple[Array, Array]:
        """The position and the velocity after h, in so many equal steps."""
        n, y, part = self.mechanism.nq, np.hstack([q, v]), h / parts
        for _ in range(parts):
            ks: list[Array] = []
            for row in ROWS:
                at = y + part * sum((a * k for a, k in zip(row, ks, strict=False)), np.zeros_like(y))
                if len(ks) == len(ROWS) - 1:
                    y = at
                else:
                    ks.append(self._rates(at[:, :n], at[:, n:], tau, precision="float64")[0])
        return of_length_one(self.mechanism, y[:, :n]), y[:, n:]

    def along(
        self,
        q: Array,
        v: Array,
        tau: Array,
        h: Array,
        enough: Callable[[Array], Array],
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> tuple[Array, Array]:
        """The motion from one state q (nq,), v (nv,) through intervals h (n, 1) with forces τ (n, nv).

        States y = [q, v] (n + 1, nq + nv), the start first, and by how much they may be off (n + 1,). ``enough``(y) is what is
        exact enough at each time; the motion is so exact if halved steps lead there at all.
        """
        parts, before, last = 1, self._through(q, v, tau, h, 1, progress), np.inf
        while True:
            parts *= 2
            after = self._through(q, v, tau, h, parts, progress)
            with np.errstate(all="ignore"):
                off = np.abs(after - before).max(axis=1)
                too_far = off > enough(after)
            largest = float(off[too_far].max(initial=0.0))
            if not too_far.any() or parts >= 2**MOST_HALVINGS or not largest < last / 2:
                return after, off
            before, last = after, largest

    def _through(self, q: Array, v: Array, tau: Array, h: Array, parts: int, progress: Callable[[int, int], None]) -> Array:
        rows = [np.concatenate([q, v])]
        for k in range(len(h)):
            q, v = (x[0] for x in self.over(q[None], v[None], tau[k : k + 1], h[k : k + 1], parts))
            rows.append(np.concatenate([q, v]))
            progress(k, len(h))
        return np.array(rows)
