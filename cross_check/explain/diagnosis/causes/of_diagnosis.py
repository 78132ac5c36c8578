"""What a diagnosis has found, as causes: with sentences, evidence and the smallest examples."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import groupby

import numpy as np

from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results.causes import Cause, Example, Observation
from cross_check.exchange.results.failures import severity
from cross_check.explain.diagnosis.causes.evidence import PLAIN, observations, plain_state
from cross_check.explain.diagnosis.conditions.conditions import Condition
from cross_check.explain.diagnosis.diagnose import Diagnosis, Tried
from cross_check.explain.diagnosis.digits import Arithmetic
from cross_check.explain.diagnosis.examples.example import example
from cross_check.explain.diagnosis.examples.shrink import MOVES, OF_STATES, Shrinking
from cross_check.explain.diagnosis.follows import follows_from
from cross_check.explain.diagnosis.laboratory import NoAnswer, Trial, try_states
from cross_check.explain.diagnosis.search import Search
from cross_check.explain.diagnosis.symptoms import Symptom, rank
from cross_check.explain.diagnosis.words import (
    about,
    by_batch,
    changed_joints,
    declared,
    identifier,
    kind_of,
    places,
    restricted,
    sentence,
    unknown,
)
from cross_check.explain.faults.fault import NO_FAULT, Fault, both
from cross_check.judge.comparison.recorded_digits import IN_SINGLE
from cross_check.judge.comparison.sampling import States
from implementations.conventions.declared import acting
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

IN_FLOAT32 = "computed in float32"

LIKE = "other arithmetic that loses as many digits, such as single precision, or an iteration that stops early"
"""What else explains answers that are known to be inexact by the size and the look of their errors only."""

WRAP = "change the convention in the code, or convert at its border: the report and the results have a wrapper that does"
"""What to do about a convention."""

DECLARE = "correct what the code declares of its conventions; the sentence is about the answers after their conversion"
"""What to do about a convention where the code declares some."""

MOST_RULED_OUT = 8
"""So many refuted explanations are listed."""


class AsCauses:
    """``with_examples`` is False for a diagnosis that was interrupted: then the code is not asked again."""

    def __init__(self, diagnosis: Diagnosis, with_examples: bool = True) -> None:
        self._diagnosis, self._with_examples = diagnosis, with_examples
        self._name, self._left = diagnosis.name, diagnosis.left()

    def all(self) -> Iterator[Cause]:
        """The causes, those that explain most first. What is said twice, each time of other cells, is one cause."""
        said: dict[tuple[str, str], Cause] = {}
        for cause in self._each():
            key = cause.kind, cause.sentence
            if same := said.get(key):
                cells = tuple(dict.fromkeys((*same.cells, *cause.cells)))
                said[key] = replace(same, cells=cells, tried=same.tried + cause.tried)
            else:
                said[key] = cause
        yield from said.values()

    def _each(self) -> Iterator[Cause]:
        if self._with_examples:
            self._give_what_follows()
        for one in sorted(self._diagnosis.found, key=lambda one: -len(one.cells)):
            yield from self._of_faults(one)
        yield from self._of_arithmetic()
        yield from self._unknown()

    def _of_faults(self, one: Tried) -> Iterator[Cause]:
        faults = one.explanation.faults
        for k, fault in enumerate(faults):
            rest = reduce(both, (other for j, other in enumerate(faults) if j != k), NO_FAULT)
            acted = [cell for cell in one.cells if len(faults) == 1 or self._acts(cell, one, rest)]
            if not acted:
                continue
            shown = self._plainest([self._diagnosis.cells[cell].quantity for cell in acted])
            said = sentence(self._name, fault, restricted(one.explanation) if len(faults) == 1 else "")
            digits = self._diagnosis.digits.get(fault.name)
            kind = "arithmetic" if digits else kind_of(fault)
            declares = self._declares(fault, acted, one) if kind == "convention" else ""
            if declares:
                said = declared(self._name, declares, fault)
            alike = self._taken(fault)
            seen = digits.observations if digits else self._observations(one.trial, shown, rest)
            yield Cause(
                identifier(self._name, fault.name),
                self._name,
                kind,
                said,
                tuple(dict.fromkeys((*acted, *(cell for cell, _ in alike)))),
                fault.group,
                places(fault, one.trial.mechanism),
                one.tried + sum(found.tried for _, found in alike),
                tuple(dict.fromkeys((*seen, *(also for _, found in alike[:1] for also in found.observations)))),
                one.decided.alternatives,
                one.decided.refuted[:MOST_RULED_OUT],
                elsewhere=one.decided.elsewhere,
                remedy=DECLARE if declares else WRAP if fault.inverse else "",
                wrapper="" if declares else fault.inverse,
                example=self._example(one.trial, self._shown(acted, one), said, one.explanation.fault, rest),
            )

    def _acts(self, cell: str, one: Tried, rest: Fault) -> bool:
        """Whether all faults together account for a cell better than ``rest``, which leaves one of them out.

        What follows in the code's own equations from answers that they account for is theirs as well.
        """
        trial, quantity, whole = self._trial_of(cell, one), self._diagnosis.cells[cell].quantity, one.explanation.fault
        return not trial.claims(quantity, whole) or trial.is_nearer(quantity, whole, rest)

    def _declares(self, fault: Fault, acted: Sequence[str], one: Tried) -> str:
        """The declared conventions that act where the fault does, in words: the others cannot be wrong there."""
        words = self._diagnosis.laboratory.declares
        for cell in acted if words else ():
            mechanism = self._trial_of(cell, one).mechanism
            joints = changed_joints(fault, mechanism) if fault.state else None
            if found := acting(words, mechanism, [self._diagnosis.cells[cell].quantity], joints):
                return found
        return ""

    def _taken(self, fault: Fault) -> list[tuple[str, Arithmetic]]:
        """Cells that arithmetic explains which is this fault; they are taken from those that are left."""
        own = [one for one in self._diagnosis.arithmetic if one[2].sentence == fault.name]
        self._diagnosis.arithmetic = [one for one in self._diagnosis.arithmetic if one not in own]
        return [(cell, found) for _, cell, found in own]

    def _of_arithmetic(self) -> Iterator[Cause]:
        found = sorted(self._diagnosis.arithmetic, key=_without_quantity)
        is_recorded = isinstance(self._diagnosis.entry.subject, Recorded) and not self._diagnosis.entry.subject.precision
        for _, several in groupby(found, _without_quantity):
            (symptom, _, first), *_ = members = list(several)
            titles = list(dict.fromkeys(QUANTITIES[one.quantity].title for one, _, _ in members))
            said = f"In {self._name}, {about(first.sentence, symptom.quantity, titles)}"
            yield Cause(
                identifier(self._name, _without_quantity(members[0])),
                self._name,
                "arithmetic",
                said,
                tuple(dict.fromkeys(cell for _, cell, _ in members)),
                "arithmetic",
                tried=sum(one.tried for _, _, one in members),
                evidence=first.observations,
                alternatives=() if first.is_exact else (LIKE,),
                remedy=IN_SINGLE if is_recorded and IN_FLOAT32 in first.sentence else "",
                example=self._example(symptom.trial, symptom.quantity, said),
            )

    def _unknown(self) -> Iterator[Cause]:
        """One cause for all that is not known: one fault may be the reason. The quantity that fewest terms enter stands for it.

        Answers that depend on the batch in a known way are causes of their own.
        """
        together = self._together(list(self._left))
        conditions = self._diagnosis.conditions
        of_batch = [name for name in together if name in conditions and conditions[name].is_of_batch]
        for quantity in of_batch:
            said = by_batch(self._name, quantity, conditions[quantity].text, together[quantity])
            yield self._not_known(quantity, (quantity, *together[quantity]), said, conditions[quantity])
        # What is grossly wrong stands for the rest.
        grave = {name: severity(self._diagnosis.cells[cell].error for cell in self._left[name]) for name in together}
        if left := sorted((name for name in together if name not in of_batch), key=lambda name: -grave[name]):
            first, *rest = left
            more = [name for root in rest for name in (root, *together[root])]
            text = conditions[first].text if first in conditions else ""
            said = unknown(self._name, first, text, together[first], more)
            yield self._not_known(first, (first, *together[first], *more), said)

    def _not_known(self, quantity: str, names: Sequence[str], said: str, condition: Condition | None = None) -> Cause:
        cells = [cell for name in names for cell in self._left[name]]
        symptom = self._diagnosis.unexplained[cells[0]]
        mechanism = symptom.trial.mechanism.name
        trial = self._diagnosis.trials.get(mechanism, symptom.trial)
        search = self._diagnosis.searches.get(mechanism)
        return Cause(
            identifier(self._name, f"unknown-{quantity}"),
            self._name,
            "condition" if condition else "unknown",
            said,
            tuple(cells),
            tried=condition.tested if condition else 0,
            evidence=self._observations(trial, quantity, NO_FAULT),
            ruled_out=tuple(search.finished[quantity]) if search and quantity in search.finished else (),
            untried=_untried(search, quantity),
            example=self._example(trial, quantity, said),
        )

    def _give_what_follows(self) -> None:
        """Give cells to the faults of other quantities from which they follow in the code's own equations."""
        for quantity in sorted(self._left, key=rank):
            for cell in list(self._left[quantity]):
                ids = self._diagnosis.wrong[self._diagnosis.cells[cell].mechanism]
                for sources in self._sources(quantity, self._diagnosis.cells[cell].mechanism):
                    wrong = [ids[name] for name in sources if name in ids]
                    causes = [one for one in self._diagnosis.found if any(source in one.cells for source in wrong)]
                    if wrong and all(any(source in one.cells for one in causes) for source in wrong):
                        for one in causes:
                            one.cells[cell] = None
                        self._left[quantity].remove(cell)
                        break
            if not self._left[quantity]:
                del self._left[quantity]

    def _together(self, quantities: list[str]) -> dict[str, list[str]]:
        """The quantities that follow from no simpler one of them, each with those that follow from it."""
        roots: dict[str, list[str]] = {}
        for quantity in sorted(quantities, key=rank):
            mechanism = next(name for name, cells in self._diagnosis.wrong.items() if quantity in cells)
            sources = {name for several in self._sources(quantity, mechanism) for name in several}
            # What follows from another one, and the other from it, are one group.
            linked = [
                root
                for root, others in roots.items()
                if sources & {root, *others}
                or any(quantity in several for name in (root, *others) for several in self._sources(name, mechanism))
            ]
            if linked:
                roots[linked[0]].append(quantity)
            else:
                roots[quantity] = []
        return roots

    def _sources(self, quantity: str, mechanism: str) -> tuple[tuple[str, ...], ...]:
        trial = self._diagnosis.trials.get(mechanism)
        return follows_from(trial, quantity) if trial and self._with_examples else ()

    def _observations(self, trial: Trial, quantity: str, rest: Fault) -> tuple[Observation, ...]:
        return observations(trial, quantity, rest) if self._with_examples else ()

    def _trial_of(self, cell: str, one: Tried) -> Trial:
        return self._diagnosis.trials.get(self._diagnosis.cells[cell].mechanism, one.trial)

    def _shown(self, cells: list[str], one: Tried) -> str:
        """The quantity that an example shows: of those that the cause explains on the mechanism of the trial."""
        own = self._diagnosis.wrong[one.trial.mechanism.name]
        names = [name for name, cell in own.items() if cell in cells]
        names = names or [self._plainest([symptom.quantity for symptom in one.explanation.explained])]
        return min(names, key=lambda name: (not QUANTITIES[name].has_value, len(QUANTITIES[name].axes)))

    def _plainest(self, names: list[str]) -> str:
        """The quantity with which experiments show most: that of the most arguments."""
        return max(names, key=lambda name: len(QUANTITIES[name].arguments) - len(QUANTITIES[name].axes))

    def _example(
        self, trial: Trial, quantity: str, said: str, predicted: Fault | None = None, rest: Fault = NO_FAULT
    ) -> Example | None:
        """The smallest example: the answer is wrong beyond ``rest``, and is the predicted one; None if there is no answer."""
        if not self._with_examples:
            return None
        laboratory = self._diagnosis.laboratory
        plain = PLAIN * laboratory.bar
        self._diagnosis.progress(f"making the smallest example of {QUANTITIES[quantity].title}")

        def shows(mechanism: Mechanism, state: States) -> bool:
            tried = try_states(laboratory, mechanism, state)
            if tried.errors(quantity, rest)[0] <= plain or tried.errors(quantity)[0] <= plain:
                return False
            return predicted is None or tried.explains(quantity, predicted)

        try:
            state = trial.states.pick(np.array([plain_state(trial, quantity)]))
            if try_states(laboratory, trial.mechanism, state).errors(quantity)[0] <= laboratory.bar:
                return None  # It is wrong in a batch only.
            moves = MOVES if laboratory.has_other_mechanisms else OF_STATES
            mechanism, state = Shrinking(trial.mechanism, state, shows, self._diagnosis.progress, moves=moves).run()
            entry = self._diagnosis.entry
            return example(laboratory, mechanism, state, quantity, entry.spec, entry.version, said)
        except NoAnswer:
            return None


def _untried(search: Search | None, quantity: str) -> tuple[str, ...]:
    """What the search for the cause of a quantity left out."""
    left = search.unfinished(quantity) if search else []
    return (f"{'; '.join(left)}: the experiments for one mechanism were used up",) if left else ()


def _without_quantity(one: tuple[Symptom, str, Arithmetic]) -> str:
    """The sentence about arithmetic, without the name of the quantity and without numbers: many quantities share one cause."""
    symptom, _, found = one
    return re.sub(r"[-+\d.e]{3,}", "", found.sentence.replace(symptom.quantity, ""))
