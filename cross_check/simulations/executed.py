"""A scheme carried out without faults: with the true accelerations, from any states.

The equations of a scheme take its answer (:mod:`cross_check.steps.residual`). So they are iterated until the answer satisfies
them: an explicit scheme has it after two rounds, whose accelerations are computed once.
"""

from __future__ import annotations

import numpy as np

from cross_check.judge.comparison.truth import Truth
from cross_check.memory import Array
from cross_check.steps.following import followed
from cross_check.steps.motion import Motion
from cross_check.steps.naming import Candidate
from cross_check.steps.taken import Step

MOST_ITERATIONS = 100

SAME = 4e-15
"""An iteration has ended where nothing changes by more than this share."""


NUDGE = 2.0**-26
"""By what share a velocity is changed to see what follows."""


class Executed:
    """One candidate for a scheme. No sizes are computed, as nothing is judged."""

    def __init__(self, truth: Truth, candidate: Candidate) -> None:
        self.truth, self.candidate = truth, candidate

    def step(self, q: Array, v: Array, tau: Array, h: Array) -> tuple[Array, Array]:
        """q⁺ and v⁺ of states (batch, …); NaN where an iteration does not end."""
        motion = Motion(self.truth)  # It keeps its accelerations, and these states come once.
        step = Step(q, v, tau, h, tau, q, v)
        moves, lost = np.full(len(q), True), np.full(len(q), False)
        for _ in range(MOST_ITERATIONS):
            made_q, made_v = self._made(motion, step)
            lost |= ~np.isfinite(made_q).all(axis=1) | ~np.isfinite(made_v).all(axis=1)
            pairs = ((made_q, step.next_q), (made_v, step.next_v))
            moves = ~lost & np.any([(np.abs(new - old) > SAME * (1 + np.abs(new))).any(axis=1) for new, old in pairs], axis=0)
            if self.candidate.scheme.needs_answer and moves.any():
                made_v = step.next_v + self._newton(motion, step, made_v)
            usable = (~lost & np.isfinite(made_v).all(axis=1))[:, None]
            step = step._replace(next_q=np.where(usable, made_q, q), next_v=np.where(usable, made_v, v))
            if not moves.any():
                break
        off = (lost | moves)[:, None]
        return np.where(off, np.nan, step.next_q), np.where(off, np.nan, step.next_v)

    def _made(self, motion: Motion, step: Step) -> tuple[Array, Array]:
        with np.errstate(all="ignore"):
            made = followed(motion, None, self.candidate.scheme, self.candidate.chart, step)
        return made.q, made.v

    def _newton(self, motion: Motion, step: Step, made: Array) -> Array:
        """By what v⁺ has to change: the equations v⁺ = v̂(v⁺) may be stiff, as with large damping, so that no iteration ends."""
        n = step.v.shape[1]
        many = Step(*(np.repeat(column, n, axis=0) for column in step))
        nudges = np.tile(np.eye(n), (len(made), 1)) * NUDGE * (1 + np.abs(many.next_v))
        slopes = (self._made(motion, many._replace(next_v=many.next_v + nudges))[1] - np.repeat(made, n, axis=0)).reshape(
            -1, n, n
        )
        slopes = (slopes / nudges.sum(axis=1).reshape(-1, n)[..., None]).swapaxes(1, 2)
        with np.errstate(all="ignore"):
            change: Array = np.linalg.solve(np.nan_to_num(np.eye(n) - slopes), (made - step.next_v)[..., None])[..., 0]
        return change
