"""The search for the faults that explain what an implementation answers about one mechanism.

Symptoms are taken in order, from those that few terms enter. An explanation of the symptoms so far must explain the next one
too, or a further fault is added to it. A fault counts only if code with it would answer as the implementation does, at every
state, within the bar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import reduce
from itertools import islice

import numpy as np

from cross_check.explain.diagnosis.conditions.sometimes import is_at_ordinary_states
from cross_check.explain.diagnosis.laboratory import NoAnswer, Progress
from cross_check.explain.diagnosis.stages import Stage, Stages
from cross_check.explain.diagnosis.symptoms import Symptom
from cross_check.explain.faults.fault import NO_FAULT, Fault, both
from mechanisms.quantities import QUANTITIES

BEAM = 12
"""So many explanations of the symptoms so far are kept."""

MOST_PLACES = 1000
"""More than a mechanism has."""

MOST_LARGER = 1e4
"""The effect of one of several faults is larger than that of all of them by so much at most."""

MOST_FAULTS = 4
"""More faults than these are not combined."""


@dataclass(frozen=True)
class Explanation:
    """Faults that the code under test may have, all at once."""

    faults: tuple[Fault, ...]
    explained: tuple[Symptom, ...] = ()
    """Symptoms of a wrong answer that it predicts."""
    contradicted: tuple[Symptom, ...] = ()
    """Right answers that it takes for wrong."""
    before: tuple[Explanation, ...] = ()
    """The explanations of the symptoms without the last one for which a fault was added, the best first."""

    @property
    def fault(self) -> Fault:
        return reduce(both, self.faults, NO_FAULT)

    @property
    def is_fitted(self) -> bool:
        """Whether a number of a fault was fitted to the answers."""
        return any(fault.is_fitted for fault in self.faults)

    @property
    def rank(self) -> tuple[int, int, int]:
        """The smaller, the better: few right answers contradicted, few faults, few places.

        What joints have in common may be an accident, until a probe shows it. So their names come first.
        """
        places = sum(MOST_PLACES if fault.has_trait else len(fault.where) for fault in self.faults)
        return len(self.contradicted), len(self.faults), places


def predicts(fault: Fault, symptoms: Iterable[Symptom]) -> bool:
    """Whether code with the fault would answer as the code under test does, at all of these symptoms."""
    return all(symptom.trial.explains(symptom.quantity, fault) for symptom in symptoms)


@dataclass(frozen=True)
class Found:
    """What a search found: explanations of one group of symptoms, the best first, and symptoms that none explains."""

    explanations: tuple[Explanation, ...]
    unexplained: tuple[Symptom, ...]


class Search:
    """Looks for the faults that explain symptoms. ``stages`` propose them."""

    def __init__(self, stages: Stages, progress: Progress = lambda activity: None) -> None:
        self.stages, self._progress = stages, progress
        self._asked: set[tuple[str, ...]] = set()
        """What stages were asked already."""
        self.finished: dict[str, dict[str, None]] = {}
        """By quantity: what was tried to its end."""

    def run(
        self,
        symptoms: Sequence[Symptom],
        stages: Sequence[Stage] | None = None,
        otherwise: Callable[[Symptom, bool], bool] = lambda symptom, exactly: False,
    ) -> list[Found]:
        """Groups of symptoms with their explanations; every group has causes of its own.

        All symptoms are tried with the faults that are listed before numbers are fitted to any, and numbers before pairs.
        Quantities that ``otherwise`` explains are in no group. It is asked first about answers that are nearly right, and is then
        to explain them exactly; about all others it is asked before numbers are fitted.
        """
        right = [symptom for symptom in symptoms if self.stages.agrees(symptom, NO_FAULT)]
        left = [symptom for symptom in symptoms if symptom not in right]
        groups: list[list[Explanation]] = []
        near = {s.quantity for s in left if not s.asked and self.stages.is_nearly_right(s) and otherwise(s, True)}
        left = [symptom for symptom in left if symptom.quantity not in near]
        begun: list[Stage] = []
        for stage in stages or self.stages.all:
            begun.append(stage)
            if stage.fits and not any(before.fits for before in begun[:-1]):
                taken = {symptom.quantity for symptom in left if not symptom.asked and otherwise(symptom, False)}
                left = [symptom for symptom in left if symptom.quantity not in taken]
            left = [symptom for symptom in left if not self._is_explained(symptom, groups, begun)]
        groups = self._merged(groups)
        # A number that was fitted to some of the answers that it acts on, and fails others, explains nothing.
        failed = [beam for beam in groups if beam[0].is_fitted and any(self._acts(beam[0].fault, symptom) for symptom in left)]
        left += [symptom for beam in failed for symptom in beam[0].explained]
        groups = [[self._judged(explanation, right) for explanation in beam] for beam in groups if beam not in failed]
        found = [Found(tuple(sorted(beam, key=lambda e: (*e.rank[:2], _unseen(e), e.rank[2]))), ()) for beam in groups]
        return [*found, Found((), tuple(left))] if left else found

    def _merged(self, groups: list[list[Explanation]]) -> list[list[Explanation]]:
        """The groups without those whose symptoms are explained by another one, too. The latter may have been found later."""
        kept: list[list[Explanation]] = []
        for beam in sorted(groups, key=lambda beam: (len(beam[0].faults), -len(beam[0].explained))):
            for k, other in enumerate(kept):
                explained = beam[0].explained
                if better := [e for e in other if predicts(e.fault, explained)]:
                    kept[k] = [replace(e, explained=(*e.explained, *explained)) for e in better]
                    break
            else:
                kept.append(beam)
        return kept

    def _is_explained(self, symptom: Symptom, groups: list[list[Explanation]], stages: Sequence[Stage]) -> bool:
        """Whether a group explains the symptom, perhaps with one more fault; else whether it begins a group of its own."""
        for k, beam in enumerate(groups):
            if kept := [self._more(e, symptom) for e in beam if self.stages.agrees(symptom, e.fault)]:
                groups[k] = kept
                return True
        self._progress(f"explaining {QUANTITIES[symptom.quantity].title} {symptom.asked}".rstrip())
        parts = [k for k, beam in enumerate(groups) if self._may_be_part(beam[0].fault, symptom)]
        for stage in stages:
            for k in parts:
                for explanation in groups[k][:3]:
                    if more := self._explanations(stage, symptom, explanation):
                        before = tuple(groups[k])
                        groups[k] = [replace(e, before=before) for e in self._by_one_fault(symptom, explanation) or more]
                        return True
            if alone := self._explanations(stage, symptom, Explanation(())):
                groups.append(alone)
                return True
        return False

    def _by_one_fault(self, symptom: Symptom, before: Explanation) -> list[Explanation]:
        """Explanations by a single number of the symptom and of all those before, which two faults explain as well."""
        whole = (*before.explained, symptom)
        alone = self._explanations(self.stages.with_one_number, symptom, Explanation(()))
        return [replace(e, explained=whole) for e in alone if predicts(e.fault, before.explained)]

    def _acts(self, fault: Fault, symptom: Symptom) -> bool:
        """Whether code with the fault answers differently from right code."""
        return bool(np.abs(symptom.residual(fault) - symptom.residual()).max(initial=0.0) > self.stages.laboratory.bar)

    def _may_be_part(self, fault: Fault, symptom: Symptom) -> bool:
        """Whether the fault may explain the symptom with further ones: it acts, and leaves no right answer for them to mend."""
        if fault.condition or not self._acts(fault, symptom):
            return False
        spoilt = self.stages.wrong_states(symptom, fault) & ~self.stages.wrong_states(symptom)
        return not is_at_ordinary_states(symptom, spoilt)

    def _judged(self, explanation: Explanation, right: Sequence[Symptom]) -> Explanation:
        """The explanation, with the right answers that it contradicts."""
        before = sorted((self._judged(one, right) for one in explanation.before), key=lambda one: one.rank)
        contradicted = tuple(s for s in right if not self.stages.agrees(s, explanation.fault))
        return replace(explanation, contradicted=contradicted, before=tuple(before))

    def _more(self, given: Explanation, symptom: Symptom, *faults: Fault) -> Explanation:
        return replace(given, faults=(*given.faults, *faults), explained=(*given.explained, symptom))

    def _explanations(self, stage: Stage, symptom: Symptom, given: Explanation) -> list[Explanation]:
        """Explanations that add to those of ``given`` what one stage of the search finds. A stage is asked once."""
        # What explains a quantity explains it at restricted states, too: if that failed, there is nothing to ask again.
        key = (stage.tries, symptom.quantity, given.fault.name, symptom.asked if stage.looks_at_whole else "")
        if key in self._asked or self.stages.laboratory.is_over() or len(given.faults) == MOST_FAULTS:
            return []
        if (known := self.stages.conditions.get(symptom.quantity)) and known.is_of_batch:
            return []  # No fault that acts in any batch explains it.
        self._asked.add(key)
        found: list[Explanation] = []
        # The code may not answer what a stage asks.
        with suppress(NoAnswer, np.linalg.LinAlgError):
            for faults in islice(self.stages.found(stage, symptom, given.fault), BEAM):
                found.append(self._more(given, symptom, *faults))
            if given.faults:
                # A fault that makes a mechanism larger makes the scale larger, too. One that does no more explains nothing.
                found = [e for e in found if symptom.trial.is_nearer(symptom.quantity, e.fault, given.fault)]
        if not (self.stages.laboratory.is_over() or (stage.looks_at_whole and symptom.asked)):
            self.finished.setdefault(symptom.quantity, {})[stage.tries] = None
        return [one for one in found if len(one.faults) == 1 or not self._cancel(one.faults, symptom)]

    def _cancel(self, faults: Sequence[Fault], symptom: Symptom) -> bool:
        """Whether one of the faults alone changes answers by far more than all of them: two that cancel explain any third one."""
        residual = symptom.residual()
        seen = np.abs(residual).max(initial=0.0)
        return any(np.abs(symptom.residual(fault) - residual).max(initial=0.0) > MOST_LARGER * seen for fault in faults)

    def unfinished(self, quantity: str) -> list[str]:
        """What was not tried to its end, to explain a quantity, because the experiments were used up."""
        finished = self.finished.get(quantity, {})
        return [stage.tries for stage in self.stages.all if stage.tries not in finished]


def _unseen(explanation: Explanation) -> int:
    """How many columns of the state the faults change that no quantity takes which they explain."""
    seen = {name for symptom in explanation.explained for name in QUANTITIES[symptom.quantity].arguments}
    trial = explanation.explained[0].trial
    columns = trial.states.columns
    return sum(
        not np.array_equal(changed, columns[name])
        for fault in explanation.faults
        if fault.state and fault.changes(trial.mechanism)
        for name, changed in fault.state(trial.mechanism, dict(columns)).items()
        if name not in seen
    )
