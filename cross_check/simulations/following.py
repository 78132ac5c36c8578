"""Which scheme the rows of a run follow, and which rows do not.

Each row and the next are a step whose scheme is named as any other's (:mod:`cross_check.steps.naming`). Numbers of few digits may
be off by δ. So a step may miss its equations by what follows to first order:

    |M| (δv + δv⁺ + |q̈| δh) / h + |∂τ/∂q| δq + |∂τ/∂v| δv + δτ        of forces,
    δq + δq⁺ + h δv + |v| δh                                          of positions
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array
from cross_check.simulations.run import Run
from cross_check.steps.alterations import OfLength
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart
from cross_check.steps.naming import Candidate, Named, Naming
from cross_check.steps.residual import Equations, Residual
from cross_check.steps.schemes import Scheme
from cross_check.steps.taken import Step
from mechanisms import Mechanism

ASKED = 24
"""Rows from which a scheme is named. The others are then compared with it."""

BLOCK = 500

DIGITS = 6
"""A factor has so many decimals at most, where rows are rounded, if it may."""

MOST_STRAY = 0.5
"""The share of rows that may stray from a scheme that the others follow."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Following:
    """The scheme of a run, and by how much each row misses it."""

    named: Named
    is_named: bool
    """Whether most rows follow the first candidate of ``named``, with its alteration if it has one."""
    units: Array
    """The largest miss of each step (n − 1,), in ε-units, or in sixteenths of what the digits allow."""
    off: Array
    """The misses of q⁺ and v⁺ as shares of how far the run moves in the step (n − 1, nq + nv)."""
    run: Run
    """With the forces as they act."""

    @property
    def candidate(self) -> Candidate:
        return self.named.candidates[0]

    @property
    def strays(self) -> Array:
        """The numbers of the steps that do not follow the scheme."""
        return np.flatnonzero(~(self.units <= BAR))


def follow(mechanism: Mechanism, truth: Truth, scale: ErrorScale, run: Run, progress: Progress) -> Following:
    """Name the scheme. A force may act from its row on, or on the way to it. A length that the times allow is no fault."""
    found = _follow(mechanism, truth, scale, run, progress)
    if not found.is_named and run.tau.any():
        later = _follow(mechanism, truth, scale, run.with_later_forces(), progress)
        found = later if later.is_named else found
    other = found.candidate.alteration
    if isinstance(other, OfLength) and not other.of_positions and abs(other.value - 1) <= run.doubt:
        again = _follow(mechanism, truth, scale, found.run.with_length(other.value), progress)
        found = again if again.is_named and again.candidate.alteration is None else found
    return found


def _follow(mechanism: Mechanism, truth: Truth, scale: ErrorScale, run: Run, progress: Progress) -> Following:
    steps = run.steps
    chosen = np.unique(np.linspace(0, len(steps.h) - 1, ASKED).round().astype(int))
    # The first ones tell most candidates apart, so they have to move.
    chosen = chosen[np.argsort(-np.abs(steps.v[chosen]).max(axis=1), kind="stable")]
    naming = NamingOfRun(truth, scale, run, chosen, lambda done, total: progress("schemes tried", done, total))
    named = naming.named()
    one = naming.simpler(named.candidates[0]) if run.is_rounded else named.candidates[0]
    named = replace(named, candidates=(one, *named.candidates[1:]))
    units, off = [], []
    for start in range(0, len(steps.h), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(steps.h)))
        units.append(naming.of_rows(one, rows))
        off.append(naming.off_of_rows(one, rows))
        progress("rows compared", start, len(steps.h))
    every = np.concatenate(units)
    return Following(named, bool((every <= BAR).mean() > MOST_STRAY), every, np.concatenate(off), run)


class NamingOfRun(Naming):
    """Names the scheme of some rows of a run, whose numbers may have few digits."""

    def __init__(self, truth: Truth, scale: ErrorScale, run: Run, rows: Array, progress: Callable[[int, int], None]) -> None:
        self._run = run
        super().__init__(truth, scale, run.steps.pick(rows), progress)
        if run.is_rounded or run.slack["h"].any():
            self._right = Rounded(self._right.motion, scale, run)

    def of_rows(self, one: Candidate, rows: Array) -> Array:
        """The largest miss of each of these rows."""
        return self._residual(one, self._run.steps.pick(rows)).by_state

    def off_of_rows(self, one: Candidate, rows: Array) -> Array:
        """The misses of q⁺ and v⁺ there, as shares."""
        return self._off(one, self._run.steps.pick(rows))

    def simpler(self, one: Candidate) -> Candidate:
        """The candidate with the shortest factor of its alteration that the digits of the rows do not tell from the one found."""
        if one.alteration is None:
            return one
        for digits in range(DIGITS):
            altered = replace(one.alteration, value=round(one.alteration.value, digits))
            if self._residual(shorter := replace(one, alteration=altered), self._step).worst <= BAR:
                return shorter
        return one


class Rounded(Equations):
    """Equations of steps whose numbers are rounded to their digits."""

    def __init__(self, motion: Motion, scale: ErrorScale, run: Run) -> None:
        super().__init__(motion, scale)
        # Of every row the largest, so that a step needs not to know which rows it lies between.
        self._slack = {name: x.max(axis=0, initial=0.0) for name, x in run.slack.items()}

    def residual(self, scheme: Scheme, chart: Chart, step: Step) -> Residual:
        found = super().residual(scheme, chart, step)
        return Residual(found.misses, found.sizes + self._allowed(step) / (BAR * EPSILON))

    def _allowed(self, step: Step) -> Array:
        q, v, tau, dh = (self._slack[name] for name in ("q", "v", "tau", "h"))
        tangent = np.full(self.mechanism.nv, q.max(initial=0.0))
        rate = np.abs(step.next_v - step.v) / step.h
        M = np.abs(self.motion.mass_matrix(step.q))
        by_q, by_v = (
            np.abs(self.motion.truth.high_low(f"inverse_dynamics_{by}", *state)[0])
            for by, state in (("dq", (step.q, step.v, rate)), ("dv", (step.q, step.v)))
        )
        forces = (M @ ((2 * v + rate * dh) / step.h)[..., None])[..., 0] + by_q @ tangent + by_v @ v + tau
        speed = np.abs(step.v).max(axis=1, keepdims=True) + np.abs(step.next_v).max(axis=1, keepdims=True)
        positions = 2 * q + step.h * v.max(initial=0.0) + speed * dh
        return np.concatenate([2 * positions, 2 * forces], axis=1)
