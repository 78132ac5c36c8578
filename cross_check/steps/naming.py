"""The name of a step's scheme: the simplest one whose equations the step satisfies to the last digits at every state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, product

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.judgements import nearest_position
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array
from cross_check.steps.alterations import Alteration, alterations_of_all, alterations_of_joints, alterations_of_stages, simple
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart, charts_of
from cross_check.steps.residual import Equations, Residual, Step
from cross_check.steps.schemes import EULER, SCHEMES, Scheme, rarer_steps, whole_steps

FEW = 3
"""At so many states every candidate is tried. Those that miss one of them are out."""

NEAREST = 4
"""So many of the nearest candidates are tried with other parts of a step, and with alterations of single joints."""

SECANTS = 8

TINY = float(np.finfo(float).tiny)

NUDGE = 2.0**-8
"""By how much a factor is changed to see what follows."""

MOST_LEFT = 0.3
"""The share of the misses that a factor may leave if they are linear in it. Where it leaves more, another part is wrong."""

LEFT = 1e-3
"""The largest share of the miss that a named alteration leaves. Any part mends a miss that is hardly above the bar."""


@dataclass(frozen=True)
class Candidate:
    """A scheme in a chart, perhaps with an alteration."""

    scheme: Scheme
    chart: Chart
    alteration: Alteration | None = None


@dataclass(frozen=True)
class Named:
    """What is known of the steps of one mechanism."""

    candidates: tuple[Candidate, ...]
    """Those that all states agree with, the simplest first. If none does, the nearest one."""
    residual: Residual
    """The misses of the first candidate."""
    step: Step
    off: Array
    """The misses of q⁺ and v⁺ as shares of how far the code moves q, and v, at the state (batch, nq + nv)."""

    @property
    def agrees(self) -> bool:
        """Whether the step satisfies the equations of the first candidate, without alteration."""
        return self.residual.worst <= BAR and self.candidates[0].alteration is None

    @property
    def is_explained(self) -> bool:
        """Whether it satisfies them with the alteration."""
        return self.residual.worst <= BAR


class Naming:
    """The schemes of one mechanism's steps. ``progress`` is called with how many candidates of how many were tried."""

    def __init__(
        self, truth: Truth, scale: ErrorScale, step: Step, progress: Callable[[int, int], None] = lambda done, total: None
    ) -> None:
        self._truth, self._scale, self._step, self._progress = truth, scale, step, progress
        self.mechanism, self._few = truth.mechanism, step.pick(_telling(step))
        self._right = Equations(Motion(truth), scale)
        self._known: dict[Candidate, Residual] = {}

    def named(self) -> Named:
        """Name the scheme."""
        pairs = product(whole_steps(), charts_of(self.mechanism))
        tried = [Candidate(*pair) for pair in pairs if pair[1].suits(pair[0].by_stages)]
        if agreeing := self._agreeing(tried):
            return self._result(agreeing)
        nearest = sorted(tried, key=self._missed)[:NEAREST]
        charts = dict.fromkeys(one.chart for one in nearest)
        if rarer := self._agreeing([Candidate(*pair) for pair in product(rarer_steps(), charts)]):
            return self._result(rarer)
        usual = [
            Candidate(*pair) for pair in product(SCHEMES, charts) if not pair[0].needs_answer and pair[1].suits(pair[0].by_stages)
        ]
        return self._result([next(self._altered(nearest, usual), nearest[0])])

    def _agreeing(self, tried: list[Candidate]) -> list[Candidate]:
        """Those of the candidates that agree at all states."""
        near = []
        for k, one in enumerate(tried):
            self._progress(k, len(tried))
            if self._at_few(one).worst <= BAR:
                near.append(one)
        return [one for one in near if self._residual(one, self._step).worst <= BAR]

    def _result(self, found: list[Candidate]) -> Named:
        first = found[0]
        return Named(tuple(found), self._residual(first, self._step), self._step, self._off(first, self._step))

    def _equations(self, alteration: Alteration | None) -> Equations:
        if alteration is None:
            return self._right
        return Equations(Motion(self._truth, alteration), self._scale)

    def _residual(self, one: Candidate, step: Step) -> Residual:
        return self._equations(one.alteration).residual(one.scheme, one.chart, step)

    def _off(self, one: Candidate, step: Step) -> Array:
        """The misses of q⁺ and v⁺ as shares of how far the code moves each at the state."""
        with np.errstate(all="ignore"):
            made = self._equations(one.alteration).followed(one.scheme, one.chart, step)
        shares = []
        for answer, other, start in ((step.next_q, made.q, step.q), (step.next_v, made.v, step.v)):
            near = nearest_position(self.mechanism, answer, other) if answer is step.next_q else answer
            change = np.abs(answer - start).max(axis=1, keepdims=True)
            shares.append((near - other) / np.where(change == 0, 1.0, change))
        return np.nan_to_num(np.concatenate(shares, axis=1), nan=np.inf)

    def _missed(self, one: Candidate) -> tuple[float, float]:
        """How near the candidate is: how many numbers of q⁺ and v⁺ it misses, then the largest share; medians of the states.

        A number that agrees to the last digits says more of the scheme than one that is nearly right.
        """
        missed = (self._at_few(one).units > BAR).sum(axis=1)
        return float(np.median(missed)), float(np.median(np.abs(self._off(one, self._few)).max(axis=1)))

    def _altered(self, nearest: list[Candidate], usual: list[Candidate]) -> Iterator[Candidate]:
        """The candidates that agree at all states with one alteration."""
        every = [*dict.fromkeys([*nearest, *usual])]
        simplest = [*dict.fromkeys([*usual[: len(EULER)], *nearest])]
        for one, altered in chain(
            product(every, alterations_of_all()),
            product(simplest, alterations_of_joints(self.mechanism)),
            ((other, altered) for other in every for altered in alterations_of_stages(len(other.scheme.gains))),
        ):
            found = self._solved(one, altered)
            if found is None:
                continue
            bound = min(BAR, LEFT * self._residual(one, self._step).worst)
            for factor in simple(found):
                candidate = replace(one, alteration=replace(altered, factor=factor))
                if self._residual(candidate, self._step).worst <= bound:
                    yield candidate

    def _solved(self, one: Candidate, altered: Alteration) -> float | None:
        """The factor of the alteration with which the candidate misses least; None if no factor makes it miss much less."""
        right = self._at_few(one)

        def miss(factor: float) -> Array:
            found = self._residual(replace(one, alteration=replace(altered, factor=factor)), self._few)
            return _scaled(found.misses, right.sizes)

        before, here = altered.right, altered.right + NUDGE
        r, r_here = _scaled(right.misses, right.sizes), miss(here)
        least = None
        for _ in range(SECANTS):
            slope = (r_here - r) / (here - before)
            following = here - float(slope @ r_here) / max(float(slope @ slope), TINY)
            left = r_here + (following - here) * slope
            if not np.isfinite(following) or (least is None and np.linalg.norm(left) > MOST_LEFT * np.linalg.norm(r)):
                return None
            least = following
            if abs(following - here) <= 1e-13 * max(1.0, abs(following)):
                break
            before, r, here, r_here = here, r_here, following, miss(following)
        return least

    def _at_few(self, one: Candidate) -> Residual:
        """The misses at the few states at which every candidate is tried."""
        if one not in self._known:
            self._known[one] = self._residual(one, self._few)
        return self._known[one]


def _scaled(misses: Array, sizes: Array) -> Array:
    """All misses in ε-units, with their signs."""
    return np.divide(misses, sizes * EPSILON, out=np.zeros_like(sizes), where=sizes > 0).ravel()


def _telling(step: Step) -> Array:
    """The states whose candidates differ most: those with the longest steps."""
    return np.argsort(-step.h[:, 0], kind="stable")[:FEW]
