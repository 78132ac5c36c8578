"""The search for the faults that explain what an implementation answers about one mechanism.

Symptoms are taken in order, from those that few terms enter. An explanation of the symptoms so far must explain the next one
too, or a further fault is added to it. A fault counts only if code with it would answer as the implementation does, at every
state, within the bar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cross_check.diagnosis.fit import fit, flat
from cross_check.diagnosis.laboratory import Progress
from cross_check.diagnosis.pairs import pairs
from cross_check.diagnosis.symptoms import ORDER, Symptom
from cross_check.faults import families
from cross_check.faults.fault import NO_FAULT, Fault, both
from cross_check.faults.scaled import TERMS, scaled
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

BEAM = 12
"""So many explanations of the symptoms so far are kept."""

MOST_FAULTS = 4
"""More faults than these are not combined."""

MOST_BODIES = 12
"""The inertial parameters of all bodies at once are fitted for mechanisms of so many bodies."""

FEW = 3
"""Every fault is tried at so many states first: those at which the code is furthest off."""


@dataclass(frozen=True)
class Explanation:
    """Faults that the code under test may have, all at once."""

    faults: tuple[Fault, ...]
    explained: tuple[Symptom, ...] = ()
    """Symptoms of a wrong answer that it predicts."""
    contradicted: tuple[Symptom, ...] = ()
    """Right answers that it takes for wrong."""

    @property
    def fault(self) -> Fault:
        whole = NO_FAULT
        for fault in self.faults:
            whole = both(whole, fault)
        return whole

    @property
    def rank(self) -> tuple[int, int, int]:
        """The smaller, the better: few right answers contradicted, few faults, few places."""
        return len(self.contradicted), len(self.faults), sum(len(fault.where) for fault in self.faults)


@dataclass(frozen=True)
class Found:
    """What a search found: explanations of one group of symptoms, the best first, and symptoms that none explains."""

    explanations: tuple[Explanation, ...]
    unexplained: tuple[Symptom, ...]


class Search:
    """``candidates`` are the faults to try, the most usual first. ``bar`` is the largest error that agrees, in ε-units."""

    def __init__(
        self,
        mechanism: Mechanism,
        candidates: Sequence[Fault],
        bar: float,
        progress: Progress = lambda activity: None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self.mechanism, self.bar, self._progress, self._is_over = mechanism, bar, progress, is_over
        self._candidates = [fault for fault in candidates if fault.changes(mechanism)]
        self.tried: list[str] = []
        """What was tried and does not explain the symptom that was taken last."""

    def run(self, symptoms: Sequence[Symptom]) -> list[Found]:
        """Groups of symptoms with their explanations; every group has causes of its own."""
        groups: list[list[Explanation]] = []
        unexplained: list[Symptom] = []
        for symptom in symptoms:
            if symptom.quantity in {other.quantity for other in unexplained}:
                unexplained += [] if self._agrees(symptom, NO_FAULT) else [symptom]
                continue
            if self._agrees(symptom, NO_FAULT):
                groups = [self._judged(symptom, beam) for beam in groups]
                continue
            for k, beam in enumerate(groups):
                if kept := [self._with(e, symptom) for e in beam if self._agrees(symptom, e.fault)]:
                    groups[k] = kept
                    break
            else:
                self._progress(f"explaining {symptom.quantity} {symptom.asked}".rstrip())
                for k, beam in enumerate(groups):
                    if self._acts(beam[0].fault, symptom) and (extended := self._extended(symptom, beam)):
                        groups[k] = extended
                        break
                else:
                    if alone := self._explanations(symptom, Explanation(())):
                        groups.append(alone)
                    else:
                        unexplained.append(symptom)
        found = [Found(tuple(sorted(beam, key=lambda e: e.rank)), ()) for beam in groups]
        return [*found, Found((), tuple(unexplained))] if unexplained else found

    def _agrees(self, symptom: Symptom, fault: Fault) -> bool:
        return bool(np.abs(symptom.residual(fault)).max(initial=0.0) <= self.bar)

    def _acts(self, fault: Fault, symptom: Symptom) -> bool:
        """Whether code with the fault answers differently from right code."""
        return bool(np.abs(symptom.residual(fault) - symptom.residual()).max(initial=0.0) > self.bar)

    def _judged(self, symptom: Symptom, beam: list[Explanation]) -> list[Explanation]:
        """The explanations, with the right answer that they contradict, if they do."""
        return [e if self._agrees(symptom, e.fault) else replace(e, contradicted=(*e.contradicted, symptom)) for e in beam]

    def _with(self, explanation: Explanation, symptom: Symptom) -> Explanation:
        return replace(explanation, explained=(*explanation.explained, symptom))

    def _extended(self, symptom: Symptom, beam: list[Explanation]) -> list[Explanation]:
        """Explanations of the symptoms so far and of this one, by one more fault."""
        for explanation in beam[:3]:
            if len(explanation.faults) < MOST_FAULTS and (more := self._explanations(symptom, explanation)):
                return more
        return []

    def _explanations(self, symptom: Symptom, given: Explanation) -> list[Explanation]:
        """All explanations by one fault beside those of ``given``: of the candidates, else of fitted numbers."""
        fitted = (self._numbers, self._several_numbers) if QUANTITIES[symptom.quantity].family in ORDER else ()
        for stage in (self._listed, self._answers, *fitted):
            if found := [self._more(given, symptom, fault) for fault in stage(symptom, given.fault)]:
                return found[:BEAM]
        if fitted and len(given.faults) + 2 <= MOST_FAULTS:
            few, numbers = self._few(symptom, given.fault), list(self._families())
            two = pairs(symptom, few, given.fault, self._candidates, numbers, self.bar, self._is_over)
            return [self._more(given, symptom, *faults) for faults in two]
        return []

    def _more(self, given: Explanation, symptom: Symptom, *faults: Fault) -> Explanation:
        return replace(given, faults=(*given.faults, *faults), explained=(*given.explained, symptom))

    def _listed(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        few = self._few(symptom, given)
        for fault in self._candidates:
            if self._is_over():
                return
            if self._agrees(few, whole := both(given, fault)) and self._agrees(symptom, whole):
                yield fault

    def _numbers(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Faults with one number."""
        few = self._few(symptom, given)
        r = flat(few, given)
        for family in self._families():
            if self._is_over():
                return
            d = flat(few, both(given, family.at(family.right + family.step))) - r
            if abs(r @ d) > 0.3 * np.linalg.norm(r) * np.linalg.norm(d) and (fitted := fit(symptom, [family], self.bar, given)):
                yield fitted[0]

    def _several_numbers(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Faults with several numbers: of one body, of one joint's placement, of one term at several joints, of all bodies."""
        groups = [*families.of_bodies(self.mechanism), *families.of_placements(self.mechanism)]
        if len(self.mechanism.bodies) <= MOST_BODIES:
            groups.append(tuple(family for body in families.of_bodies(self.mechanism) for family in body))
        for fault in (*self._at_joints(symptom, given), *self._of(groups, symptom, given)):
            yield fault
            return

    def _of(self, groups: Sequence[tuple[families.Family, ...]], symptom: Symptom, given: Fault) -> Iterator[Fault]:
        for group in groups:
            if not self._is_over() and (fitted := fit(symptom, group, self.bar, given, similar=0.8)):
                yield fitted[0]
                return

    def _at_joints(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """A term with one wrong factor at several joints."""
        for term in TERMS:
            group = families.of_term(term, self.mechanism)
            if self._is_over() or len(group) < 2 or not (fitted := fit(symptom, group, self.bar, given, similar=0.8)):
                continue
            wrong = {family.where[0]: k for family, k in zip(group, fitted[1], strict=True) if k != family.right}
            factors = set(wrong.values())
            yield scaled(term, factors.pop(), tuple(wrong)) if len(factors) == 1 else fitted[0]

    def _answers(self, symptom: Symptom, given: Fault) -> Iterator[Fault]:
        """Answers that are all multiplied or shifted."""
        for family in families.of_answers(symptom.quantity):
            if fitted := fit(symptom, [family], self.bar, given):
                yield fitted[0]

    def _families(self) -> Iterator[families.Family]:
        yield from families.everywhere()
        for group in families.of_bodies(self.mechanism):
            yield from group
        yield from families.of_joints(self.mechanism)
        for group in families.of_placements(self.mechanism):
            yield from group

    def _few(self, symptom: Symptom, given: Fault) -> Symptom:
        """The symptom at the states at which the code is furthest off."""
        r = np.abs(symptom.residual(given))
        worst: Array = np.argsort(-r.reshape(len(r), -1).max(axis=1, initial=0.0), kind="stable")[:FEW]
        return replace(symptom, trial=symptom.trial.pick(np.sort(worst)))
