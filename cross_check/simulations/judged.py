"""One run, judged: which scheme its steps follow, how far off it is, what of that is the scheme, and its energy and momenta."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.judgements import nearest_position
from cross_check.judge.comparison.measure import finite
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array
from cross_check.simulations import balances, results
from cross_check.simulations.along import at_time
from cross_check.simulations.balances import States
from cross_check.simulations.executed import Executed
from cross_check.simulations.flow import Flow
from cross_check.simulations.following import Following, Progress, follow
from cross_check.simulations.results import Simulation, Stray
from cross_check.simulations.run import Run
from cross_check.simulations.structure import FARTHEST, LONGEST, structure_of
from cross_check.steps.order import order_of
from cross_check.steps.taken import Step
from cross_check.trajectories.document import Trajectory
from mechanisms import Mechanism
from mechanisms.quantities.quantity import entries
from mechanisms.quantities.steps import STEP
from mechanisms.states import of_length_one

POINTS = 400
"""Times of the results. A run of more rows keeps every k-th."""

FIRST_STRAYS = 20

MOST_EXECUTED = 2000
"""So many steps of a scheme are carried out one after the other."""

BLOCK = 500

EXACT, OF_LARGEST, FINEST = 1e-2, 1e-5, 1e-13
"""The true motion may be off by these shares of the run's error there, of its largest error, and by so much in any case."""

ROWS_OF_STRUCTURE = 3

LEAST_ORDER = 0.5
"""Below it a step has no order, as where friction reverses."""

SAME_TIME = 1e-9
"""Times are the same if they differ by no more than this share."""


class Judge:
    """The runs of one mechanism."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.truth, self.scale = Truth(mechanism), ErrorScale(mechanism)
        self.flow = Flow(self.truth.mechanism)

    def judge(
        self,
        spec: str,
        name: str,
        run: Run,
        kept: Trajectory | None,
        progress: Progress,
        shorter: Sequence[Run] = (),
    ) -> tuple[Simulation, Following]:
        """What is known of the run; ``name`` is that of the step, or empty.

        ``kept`` is a certified trajectory from its start. ``shorter`` are runs from there with half as long steps, and again.
        """
        found = follow(self.mechanism, self.truth, self.scale, run, progress)
        run, one = found.run, replace(found.candidate, alteration=None)
        executed = Executed(self.truth, one)
        shown = np.unique(np.linspace(0, len(run.h), min(len(run.times), POINTS)).round().astype(int))
        # Without forces the true motion may pass rows by.
        rows = np.arange(len(run.times)) if run.tau.any() else shown
        motion, truth_off = (
            states[np.searchsorted(rows, shown)]
            for states in self.flow.along(
                *(run.q[0], run.v[0], run.tau[rows], np.add.reduceat(run.h, rows[:-1])),
                partial(self._enough, run.states[rows]),
                partial(progress, "the true motion"),
            )
        )
        off, names = np.abs(self._errors(run.states[shown], motion)), entries(self.mechanism, STEP.axes[0])
        is_own = found.is_named and not found.candidate.alteration and not len(found.strays)
        # A run whose every step satisfies the equations of a scheme is the scheme's own.
        own = (run.states if is_own else self._own_run(executed, run, progress))[shown]
        scheme_off = np.abs(self._errors(own, motion)).max(axis=1)
        all_balances = list(self._balances(executed, run, progress))
        simulation = Simulation(
            spec,
            name,
            len(run.times),
            float(run.h.max()),
            tuple(dict.fromkeys(each.scheme.words for each in found.named.candidates)),
            one.chart.words(self.mechanism),
            found.candidate.alteration.words(self.mechanism) if found.candidate.alteration and found.is_named else "",
            found.is_named,
            self._structure(executed, run),
            float(found.units[found.units <= BAR].max(initial=0.0)),
            tuple(_strays(found, names)),
            len(found.strays),
            tuple(run.times[shown].tolist()),
            tuple(map(finite, off.max(axis=1))),
            tuple(_or_none(scheme_off)),
            tuple(map(finite, truth_off)),
            names[int(off[-1].argmax())],
            tuple(_written(each, shown, is_own) for each in all_balances),
            tuple(self._at_lengths((run, *shorter), motion[-1:])) if shorter else (),
            self._order(executed, run),
            run.is_rounded,
            tuple(self._certified((run, *shorter), kept, names)) if kept else (),
            run.notes,
        )
        return simulation, found

    def _certified(self, runs: Sequence[Run], kept: Trajectory, names: Sequence[str]) -> Iterator[results.AtTime]:
        """The errors at those times of a certified trajectory at which there are rows."""
        for text, *truth in zip(kept.times, kept.q, kept.v, strict=True):
            time, right = float(text), np.concatenate(numbers(self.mechanism, *truth))[None]
            rows = [int(np.abs(run.times - time).argmin()) for run in runs]
            if all(abs(run.times[k] - time) <= SAME_TIME * time for run, k in zip(runs, rows, strict=True)):
                states = np.stack([run.states[k] for run, k in zip(runs, rows, strict=True)])
                yield at_time(time, self._errors(states, np.repeat(right, len(runs), axis=0)), names)

    def _at_lengths(self, runs: Sequence[Run], motion: Array) -> Iterator[results.AtLength]:
        """The errors at the end."""
        for run in runs:
            yield results.AtLength(float(run.h.max()), finite(np.abs(self._errors(run.states[-1:], motion)).max()))

    def _enough(self, states: Array, motion: Array) -> Array:
        """How exact the true motion has to be at each of the states, where it is so far."""
        errors = np.abs(self._errors(states, motion)).max(axis=1)
        return np.asarray(EXACT * errors + OF_LARGEST * float(errors.max()) + FINEST)

    def _errors(self, rows: Array, motion: Array) -> Array:
        """By how much states y = [q, v] (n, …) are off."""
        n = self.mechanism.nq
        q = nearest_position(self.mechanism, rows[:, :n], motion[:, :n])
        return np.hstack([q, rows[:, n:]]) - motion

    def _own_run(self, executed: Executed, run: Run, progress: Progress) -> Array:
        """The scheme's own run from the same start (n, nq + nv); NaN beyond what is carried out."""
        q, v = run.q[:1], run.v[:1]
        rows = np.full_like(run.states, np.nan)
        rows[0] = run.states[0]
        for k in range(min(len(run.h), MOST_EXECUTED)):
            q, v = executed.step(q, v, run.tau[k : k + 1], run.h[k : k + 1])
            rows[k + 1] = np.hstack([q, v])
            progress("the scheme's own run", k, len(run.h))
            if not np.isfinite(rows[k + 1]).all():
                break
        return rows

    def _balances(self, executed: Executed, run: Run, progress: Progress) -> Iterator[balances.Balance]:
        steps, made, true = run.steps, list[tuple[Array, Array]](), list[tuple[Array, Array]]()
        for start in range(0, len(steps.h), BLOCK):
            part = steps.pick(np.arange(start, min(start + BLOCK, len(steps.h))))
            state = part.q, part.v, part.tau, part.h
            made.append(executed.step(*state))
            true.append(self.flow.over(*state, parts=PARTS))
            progress("energy and momenta", start, len(steps.h))
        scheme, flow = (States(*(np.concatenate(x) for x in zip(*both, strict=True))) for both in (made, true))
        rows, after = States(steps.q, steps.v), States(steps.next_q, steps.next_v)
        yield from balances.balances(self.truth, rows, after, flow, scheme, run.slack)

    def _structure(self, executed: Executed, run: Run) -> str:
        if self.mechanism.arrays.resistance(np.ones((1, self.mechanism.nv))).any():
            return ""
        some, h = _some(run)

        def move(q: Array, v: Array) -> tuple[Array, Array]:
            return executed.step(q, v, np.zeros_like(v), np.full((len(q), 1), h))

        return structure_of(self.truth, move, some.q, some.v).words

    def _order(self, executed: Executed, run: Run) -> float | None:
        some, h = _some(run)
        order = order_of(executed.step, some.q, some.v, some.tau, h / 2, EPSILON)
        return order if order and order > LEAST_ORDER else None


PARTS = 4
"""In so many parts the flow of one step is computed."""


def numbers(mechanism: Mechanism, q: Sequence[str], v: Sequence[str]) -> tuple[Array, Array]:
    """The decimal numbers of a state, as float64."""
    position, velocity = ([float(Fraction(x)) for x in texts] for texts in (q, v))
    return of_length_one(mechanism, np.array([position]))[0], np.array(velocity)


def _some(run: Run) -> tuple[Step, float]:
    """Some steps of the run, and a length for steps from these states that hide no defect."""
    steps = run.steps
    some = steps.pick(np.linspace(0, len(steps.h) - 1, ROWS_OF_STRUCTURE).astype(int))
    return some, min(LONGEST, FARTHEST / max(float(np.abs(some.v).max(initial=0.0)), 1.0))


def _strays(found: Following, names: Sequence[str]) -> Iterator[Stray]:
    for k in found.strays[:FIRST_STRAYS]:
        worst = int(np.abs(found.off[k]).argmax())
        yield Stray(float(found.run.times[k + 1]), names[worst].replace(" ", "⁺ ", 1), finite(np.abs(found.off[k, worst])))


def _written(one: balances.Balance, shown: Array, is_own: bool) -> results.Balance:
    drift, scheme = (np.append(0.0, x)[shown] for x in (one.drift, one.scheme))
    return results.Balance(one.name, one.unit, tuple(map(finite, drift)), tuple(_or_none(scheme)), is_own or one.is_the_schemes)


def _or_none(numbers: Array) -> list[float | None]:
    return [float(x) if np.isfinite(x) else None for x in numbers]
