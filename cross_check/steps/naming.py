"""The name of a step's scheme: the simplest one whose equations the step satisfies to the last digits at every state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product

import numpy as np

from cross_check.exchange.results.objects import BAR
from cross_check.judge.comparison.judgements import nearest_position
from cross_check.judge.comparison.truth import Truth
from cross_check.judge.error_scale.sizes import EPSILON, ErrorScale
from cross_check.memory import Array
from cross_check.steps.alterations import (
    Alteration,
    alterations_held,
    alterations_of,
    alterations_of_all,
    alterations_of_joints,
    simple,
)
from cross_check.steps.divided import how_many_parts
from cross_check.steps.families import Family, families
from cross_check.steps.fitting import MOST_LEFT, solved
from cross_check.steps.motion import Motion
from cross_check.steps.moves import Chart, Fault, charts_of
from cross_check.steps.residual import Equations, Residual
from cross_check.steps.schemes import EULER, SCHEMES, Scheme, divisible_steps, iterated_steps, whole_steps
from cross_check.steps.taken import Step

FEW = 3
"""At so many states every candidate is tried. Those that miss one of them are out."""

OF_FAMILIES = 9
"""At so many states the numbers of families are solved for."""

LARGER = 1000.0
"""Alterations with forces so many times as large as the largest one are no names."""

NEAREST = 4
"""So many of the nearest candidates are tried with other parts of a step, and with alterations of single joints."""

ALIKE = 2.0
"""A candidate that misses at most so many times as much as the nearest one says as much of the code."""

LEFT = 1e-3
"""The largest share of the miss that a named alteration leaves. Any part mends a miss that is hardly above the bar."""


@dataclass(frozen=True)
class Candidate:
    """A scheme in a chart, perhaps with an alteration."""

    scheme: Scheme
    chart: Chart
    alteration: Alteration | None = None

    def with_number(self, numbers: Iterable[float]) -> Candidate:
        """The candidate, whose alteration has this number."""
        (x,) = numbers
        return replace(self, alteration=replace(self.alteration, value=float(x))) if self.alteration else self


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
    """The schemes of one mechanism's steps. ``progress`` is called with how many candidates of how many were tried.

    ``fault`` is a known one of the engine.
    """

    def __init__(
        self,
        truth: Truth,
        scale: ErrorScale,
        step: Step,
        progress: Callable[[int, int], None] = lambda done, total: None,
        fault: Fault | None = None,
    ) -> None:
        self._truth, self._scale, self._step, self._progress = truth, scale, step, progress
        self.mechanism, self._few = truth.mechanism, step.pick(_telling(step))
        self._right = Equations(Motion(truth), scale)
        self._charts = [replace(one, fault=fault) for one in charts_of(self.mechanism)]
        self._known: dict[Candidate, Residual] = {}

    def named(self) -> Named:
        """Name the scheme."""
        tried = self._pairs(whole_steps(), self._charts)
        if agreeing := self._agreeing(tried):
            return self._result(agreeing)
        nearest = sorted(tried, key=self._missed)[:NEAREST]
        charts = [*dict.fromkeys(one.chart for one in nearest)]
        usual = [one for one in self._pairs(SCHEMES, charts) if not one.scheme.needs_answer]
        for rarer in (
            lambda: self._agreeing([*self._divided(charts), *self._pairs(iterated_steps(), charts)]),
            lambda: self._of_families(charts),
            lambda: self._altered(nearest, usual),
        ):
            if found := next(iter(rarer()), None):
                return self._result([found])
        return self._result([self._simplest(tried, nearest[0])])

    def confirmed(self, named: Named, further: Step) -> Named:
        """The name, if further steps of the code follow it, too; else what is known of these."""
        followed = [one for one in named.candidates if self._residual(one, further).worst <= BAR]
        first = named.candidates[0]
        if followed:
            return self._result(followed)
        return Named((first,), self._residual(first, further), further, self._off(first, further))

    @staticmethod
    def _pairs(schemes: Iterable[Scheme], charts: Iterable[Chart]) -> list[Candidate]:
        return [Candidate(*pair) for pair in product(schemes, charts) if pair[1].suits(pair[0].by_stages)]

    def _divided(self, charts: Sequence[Chart]) -> Iterator[Candidate]:
        """Schemes that are taken several times in a step, as often as the answers say."""
        for one in self._pairs(divisible_steps(), charts):
            for parts in how_many_parts(self._right, one.scheme, one.chart, self._step):
                yield replace(one, scheme=replace(one.scheme, parts=parts))

    def _agreeing(self, tried: Sequence[Candidate]) -> list[Candidate]:
        """Those of the candidates that agree at all states."""
        near = []
        for k, one in enumerate(tried):
            self._progress(k, len(tried))
            if self._at_few(one).worst <= BAR:
                near.append(one)
        return [one for one in near if self._residual(one, self._step).worst <= BAR]

    def _result(self, found: Sequence[Candidate]) -> Named:
        first = found[0]
        return Named(tuple(found), self._residual(first, self._step), self._step, self._off(first, self._step))

    def _equations(self, alteration: Alteration | None) -> Equations:
        return self._right.altered(alteration) if alteration else self._right

    def _residual(self, one: Candidate, step: Step) -> Residual:
        return self._equations(one.alteration).residual(one.scheme, one.chart, step)

    def _off(self, one: Candidate, step: Step) -> Array:
        """The misses of q⁺ and v⁺ as shares of how far the code moves each at the state."""
        with np.errstate(all="ignore"):
            made = self._equations(one.alteration).followed(one.scheme, one.chart, step, with_sizes=False)
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

    def _simplest(self, tried: Sequence[Candidate], nearest: Candidate) -> Candidate:
        """The first candidate that is nearly as near. Where a fault hides how candidates differ, the nearest is one of chance."""
        numbers, share = self._missed(nearest)
        return next(one for one in tried if self._missed(one) <= (numbers, ALIKE * share))

    def _altered(self, nearest: list[Candidate], usual: list[Candidate]) -> Iterator[Candidate]:
        """The candidates that agree at all states with one alteration."""
        simplest = [*dict.fromkeys([*usual[: len(EULER)], *nearest])]
        others = [one for one in usual if one not in simplest]
        of_all, held = [*alterations_of_all(self.mechanism)], [*alterations_held(self.mechanism)]
        for one, altered in chain(
            product(simplest, [*of_all, *alterations_of_joints(self.mechanism)]),
            ((other, altered) for other in simplest for altered in alterations_of(other.scheme)),
            product(simplest, held),
            ((other, altered) for other in others for altered in (*of_all, *alterations_of(other.scheme), *held)),
        ):
            candidate = replace(one, alteration=altered)
            numbers = self._solved(candidate.with_number, (altered.value,), self._few, self._at_few(one))
            for number in simple(float(numbers[0])) if numbers is not None else ():
                found = candidate.with_number([number])
                if found.alteration and found.alteration.is_possible and self._mends(found):
                    yield found

    def _of_families(self, charts: Sequence[Chart]) -> Iterator[Candidate]:
        """The schemes of families that agree at all states."""
        some = self._step.pick(_telling(self._step, OF_FAMILIES))
        for family, chart in product(families(), charts):

            def made(numbers: Iterable[float], family: Family = family, chart: Chart = chart) -> Candidate:
                return Candidate(family.scheme(*map(float, numbers)), chart)

            first = made(family.start)
            if not chart.suits(first.scheme.by_stages):
                continue
            numbers = self._solved(made, family.start, some, self._residual(first, some), np.inf)
            for fitted in ([next(simple(float(x))) for x in numbers], numbers) if numbers is not None else ():
                if (found := made(fitted)).scheme.name and self._residual(found, self._step).worst <= BAR:
                    yield found

    def _mends(self, one: Candidate) -> bool:
        """Whether the alteration leaves little of the miss. Forces that are much larger hide misses by their roundings."""
        if self._residual(one, self._few).worst > BAR:
            return False
        plain, altered = (self._residual(each, self._step) for each in (replace(one, alteration=None), one))
        is_large = bool((altered.sizes > LARGER * plain.sizes.max(axis=1, keepdims=True)).any())
        return not is_large and altered.worst <= min(BAR, LEFT * plain.worst)

    def _solved(
        self,
        made: Callable[[Iterable[float]], Candidate],
        start: Sequence[float],
        step: Step,
        plain: Residual,
        most_left: float = MOST_LEFT,
    ) -> Array | None:
        """The numbers with which the candidate misses least; None if none make it miss much less. It starts with ``plain``."""

        def miss(numbers: Array) -> Array:
            one = made(numbers)
            return _scaled(self._equations(one.alteration).misses(one.scheme, one.chart, step), plain.sizes)

        return solved(miss, np.array(start), _scaled(plain.misses, plain.sizes), most_left)

    def _at_few(self, one: Candidate) -> Residual:
        """The misses at the few states at which every candidate is tried."""
        if one not in self._known:
            self._known[one] = self._residual(one, self._few)
        return self._known[one]


def _scaled(misses: Array, sizes: Array) -> Array:
    """All misses in ε-units, with their signs."""
    return np.divide(misses, sizes * EPSILON, out=np.zeros_like(sizes), where=sizes > 0).ravel()


def _telling(step: Step, count: int = FEW) -> Array:
    """The states whose candidates differ most: those with the longest steps."""
    return np.argsort(-step.h[:, 0], kind="stable")[:count]
