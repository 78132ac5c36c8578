"""The diagnosis: why an implementation disagrees, as causes.

On the smallest mechanism on which it disagrees, :mod:`cross_check.diagnosis.search` looks for faults that predict its answers.
:mod:`cross_check.diagnosis.probes` tells those apart that fit equally well. What was found is then tried on the other
mechanisms of the run, and what it does not explain there is searched again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from time import process_time

import numpy as np

from cross_check.comparison.sampling import States
from cross_check.diagnosis.arithmetic import Arithmetic
from cross_check.diagnosis.evidence import USUAL, observations
from cross_check.diagnosis.example import example
from cross_check.diagnosis.follows import follows
from cross_check.diagnosis.laboratory import Laboratory, NoAnswer, Progress, Trial, try_sampled, try_states
from cross_check.diagnosis.probes import distinguished
from cross_check.diagnosis.search import Explanation, Search
from cross_check.diagnosis.shrink import shrink
from cross_check.diagnosis.stages import LOOSE
from cross_check.diagnosis.symptoms import Symptom, symptoms
from cross_check.diagnosis.words import identifier, kind_of, places, restricted, sentence, unknown
from cross_check.faults.conventions import CONVENTIONS
from cross_check.faults.derivatives import DERIVATIVES
from cross_check.faults.fault import NO_FAULT, Fault, both
from cross_check.faults.misreadings import misreadings
from cross_check.faults.single_joints import of_single_joints
from cross_check.faults.typical import FAULTS
from cross_check.faults.wrong_terms import usual
from cross_check.results.causes import Cause, Example
from cross_check.results.objects import Cell, Item, Verdict
from cross_check.results.plain_text import listing
from cross_check.settings import Settings
from implementations.processes.subject import Subject
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

STATES = 18
"""At so many states of every mechanism; every kind occurs."""

LONGEST = 60.0
"""Seconds of computing for one implementation. What is not explained by then has no cause."""

SECONDS = 4.0
"""Seconds of computing for one mechanism, and one more for every coordinate."""

PLAIN = 100.0
"""An example is off by so many times the bar at least, so that it shows a fault and not rounding."""

LARGEST = 64
"""Mechanisms with more coordinates are not searched; what was found on smaller ones is tried on them."""


@dataclass
class Tried:
    """One cause while more mechanisms are tried: its fault, and the cells and experiments that it predicts."""

    explanation: Explanation
    cells: dict[str, None]
    tried: int
    trial: Trial
    quantity: str
    alternatives: tuple[str, ...] = ()


class Diagnosis:
    """One implementation, and what it answered in a run."""

    def __init__(
        self,
        subject: Subject,
        name: str,
        spec: str,
        items: Sequence[Item],
        settings: Settings,
        progress: Progress = lambda activity: None,
        verdicts: tuple[Verdict, ...] = ("discrepancy",),
    ) -> None:
        self.laboratory = Laboratory(subject, name)
        self._spec, self._version = spec, subject.version
        self.name, self.settings, self._progress = name, settings, progress
        own = [item for item in items if item.implementation == name and isinstance(item, Cell)]
        self.wrong: dict[str, dict[str, str]] = {}
        """By mechanism, then by quantity: the ids of cells that disagree."""
        self.right: dict[str, set[str]] = {}
        for cell in own:
            if cell.verdict in verdicts:
                self.wrong.setdefault(cell.mechanism, {})[cell.quantity] = cell.id
            elif cell.verdict == "agrees":
                self.right.setdefault(cell.mechanism, set()).add(cell.quantity)
        self._last = self._deadline = process_time() + LONGEST
        self.found: list[Tried] = []
        self.arithmetic: list[tuple[Symptom, str, Arithmetic]] = []
        """What explains a cell by arithmetic."""
        self.digits: dict[str, Arithmetic] = {}
        """By the name of a fault: the arithmetic that it is."""
        self.conditions: dict[str, str] = {}
        """By quantity: the states in which it is wrong."""
        self.unexplained: dict[str, Symptom] = {}
        """By the ids of cells: symptoms that nothing explains."""

    def is_over(self) -> bool:
        return process_time() > self._deadline

    def run(self, mechanisms: Sequence[Mechanism]) -> list[Cause]:
        """The causes, those that explain most first."""
        concerned = [m for m in mechanisms if m.name in self.wrong]
        for mechanism in sorted(concerned, key=lambda m: m.nv):
            if process_time() > self._last:
                break
            self._progress(f"diagnosing {self.name} on {mechanism.name}")
            self._deadline = min(self._last, process_time() + SECONDS + mechanism.nv)
            self._explain(mechanism)
        return list(self._causes())

    def _explain(self, mechanism: Mechanism) -> None:
        wrong = dict(self.wrong[mechanism.name])
        trial = try_sampled(self.laboratory, mechanism, self.settings.seed, STATES)
        for one in self.found:
            for quantity in [name for name in wrong if self._predicts(one, trial, name)]:
                one.cells[wrong.pop(quantity)] = None
                one.tried += STATES
        if not wrong or mechanism.nv > LARGEST:
            return
        quantities = [*wrong, *self.right.get(mechanism.name, ())]
        shown = list(symptoms(trial, quantities))
        search = Search(mechanism, candidates(mechanism), self.settings.bar, self._progress, self.is_over)

        def otherwise(symptom: Symptom) -> bool:
            found = None if self.is_over() else search.stages.arithmetic_of(symptom)
            if found and not found.fault:
                self.arithmetic.append((symptom, wrong[symptom.quantity], found))
                return True
            return False

        relevant = [symptom for symptom in shown if symptom.quantity in wrong or self._agrees(symptom)]
        for group in search.run(relevant, otherwise):
            self.conditions |= search.stages.conditions
            self.digits |= {found.fault.name: found for found in search.stages.arithmetic.values() if found and found.fault}
            for symptom in group.unexplained:
                if cell := wrong.get(symptom.quantity):
                    self.unexplained.setdefault(cell, symptom)
            if any(not symptom.asked for e in group.explanations for symptom in e.explained):
                self._keep(mechanism, trial, group.explanations, wrong)
            else:
                # What explains an answer at rest, but not in motion, explains nothing.
                for symptom in (s for e in group.explanations for s in e.explained if s.quantity in wrong):
                    self.unexplained.setdefault(wrong[symptom.quantity], symptom)

        self._take_derivatives(trial, set(wrong.values()))

    def _predicts(self, one: Tried, trial: Trial, quantity: str) -> bool:
        fault, bar = one.explanation.fault, self.settings.bar
        return _agrees(trial, quantity, fault, bar) or follows(trial, quantity, fault, bar)

    def _take_derivatives(self, trial: Trial, cells: set[str]) -> None:
        """Give cells that nothing explains to the fault of whose τ and q̈ they are the derivatives."""
        for cell, symptom in [(cell, symptom) for cell, symptom in self.unexplained.items() if cell in cells]:
            for one in self.found:
                if follows(trial, symptom.quantity, one.explanation.fault, self.settings.bar):
                    one.cells[cell] = None
                    one.tried += STATES
                    break

    def _keep(self, mechanism: Mechanism, trial: Trial, fitting: Sequence[Explanation], wrong: Mapping[str, str]) -> None:
        best = [e for e in fitting if len(e.contradicted) == len(fitting[0].contradicted)]
        decided = distinguished(self.laboratory, mechanism, best, self.settings.bar, self.is_over)
        chosen, passed = decided.chosen, decided.passed
        cells = dict.fromkeys(wrong[s.quantity] for s in chosen.explained if s.quantity in wrong and not s.asked)
        states = sum(len(s.trial.states) for s in (*chosen.explained, *passed))
        shown = max(chosen.explained, key=lambda s: len(QUANTITIES[s.quantity].arguments) - len(QUANTITIES[s.quantity].axes))
        same = next((one for one in self.found if one.explanation.fault.name == chosen.fault.name), None)
        if same:
            same.cells |= cells
            same.tried += states
        else:
            self.found.append(Tried(chosen, dict.fromkeys(cells), states, trial, shown.quantity, tuple(decided.alternatives)))

    def _agrees(self, symptom: Symptom) -> bool:
        return bool(np.abs(symptom.residual()).max(initial=0) <= self.settings.bar)

    def _causes(self) -> Iterator[Cause]:
        for one in sorted(self.found, key=lambda one: -len(one.cells)):
            for k, fault in enumerate(one.explanation.faults):
                digits = self.digits.get(fault.name)
                evidence = digits.observations if digits else observations(one.trial, one.quantity, self.settings.bar)
                if cells := self._acted_on(one, k):
                    said = sentence(self.name, fault, restricted(one.explanation))
                    self._progress(f"making the smallest example: {fault.name}")
                    yield Cause(
                        identifier(self.name, fault.name),
                        self.name,
                        "arithmetic" if digits else kind_of(fault),
                        said,
                        tuple(cells),
                        fault.group,
                        places(fault, one.trial.mechanism),
                        one.tried,
                        evidence,
                        one.alternatives,
                        wrapper=fault.inverse,
                        example=self._example(one.trial, self._shown(one, fault), said, one.explanation.fault, fault),
                    )
        for _, several in groupby(sorted(self.arithmetic, key=_without_quantity), _without_quantity):
            (symptom, _, found), *_ = members = list(several)
            names = listing(list(dict.fromkeys(QUANTITIES[one.quantity].title for one, _, _ in members)))
            said = found.sentence.replace(symptom.quantity, names)
            yield Cause(
                identifier(self.name, _without_quantity(members[0])),
                self.name,
                found.kind,
                f"In {self.name}, {said}",
                tuple(dict.fromkeys(cell for _, cell, _ in members)),
                "arithmetic",
                tried=sum(one.tried for _, _, one in members),
                evidence=found.observations,
                alternatives=found.alternatives,
                example=self._example(symptom.trial, symptom.quantity, f"In {self.name}, {said}"),
            )
        for quantity, cells in self._left().items():
            symptom = self.unexplained[cells[0]]
            yield Cause(
                identifier(self.name, f"unknown-{quantity}"),
                self.name,
                "unknown",
                unknown(self.name, quantity, self.conditions.get(quantity, "")),
                tuple(cells),
                evidence=observations(symptom.trial, quantity, self.settings.bar),
                example=self._example(symptom.trial, quantity, unknown(self.name, quantity, "")),
            )

    def _shown(self, one: Tried, fault: Fault) -> str:
        """The quantity with the fewest numbers that shows the fault and has an answer of its own, rather than an equation."""
        by_id = {cell: quantity for cells in self.wrong.values() for quantity, cell in cells.items()}
        shown = [by_id[cell] for cell in one.cells] or [one.quantity]
        return min(shown, key=lambda name: (not QUANTITIES[name].has_value, len(QUANTITIES[name].axes)))

    def _example(
        self, trial: Trial, quantity: str, said: str, predicted: Fault | None = None, fault: Fault = NO_FAULT
    ) -> Example | None:
        """The smallest example of a fault: its answer is wrong, and is the predicted one; None if the code does not answer."""

        def shows(mechanism: Mechanism, state: States) -> bool:
            tried = try_states(self.laboratory, mechanism, state)
            if tried.errors(quantity)[0] <= PLAIN * self.settings.bar:
                return False
            return predicted is None or bool(tried.errors(quantity, fault)[0] <= LOOSE * self.settings.bar)

        try:
            errors = trial.errors(quantity)
            usual = [k for k, kind in enumerate(trial.states.kinds) if kind == USUAL and errors[k] > self.settings.bar]
            k = usual[0] if usual else int(errors.argmax())
            state = trial.states.pick(np.array([k]))
            mechanism, state = shrink(trial.mechanism, state, shows, self._progress)
            return example(self.laboratory, mechanism, state, quantity, self._spec, self._version, said)
        except NoAnswer:
            return None

    def _acted_on(self, one: Tried, k: int) -> list[str]:
        """The cells that the k-th fault of an explanation acts on: without it they are not explained."""
        faults = one.explanation.faults
        if len(faults) == 1:
            return list(one.cells)
        rest = NO_FAULT
        for j, fault in enumerate(faults):
            rest = rest if j == k else both(rest, fault)
        by_id = {cell: quantity for cells in self.wrong.values() for quantity, cell in cells.items()}
        return [cell for cell in one.cells if not _agrees(one.trial, by_id[cell], rest, self.settings.bar)]

    def _left(self) -> dict[str, list[str]]:
        """By quantity: the cells that nothing explains."""
        explained = {cell for one in self.found for cell in one.cells} | {cell for _, cell, _ in self.arithmetic}
        left: dict[str, list[str]] = {}
        for cell, symptom in self.unexplained.items():
            if cell not in explained:
                left.setdefault(symptom.quantity, []).append(cell)
        return left


def _without_quantity(one: tuple[Symptom, str, Arithmetic]) -> str:
    """The sentence about arithmetic, without the name of the quantity and without numbers: many quantities share one cause."""
    symptom, _, found = one
    return re.sub(r"[-+\d.e]{3,}", "", found.sentence.replace(symptom.quantity, ""))


def _agrees(trial: Trial, quantity: str, fault: Fault, bar: float) -> bool:
    try:
        return bool(trial.errors(quantity, fault).max(initial=0) <= LOOSE * bar)
    except NoAnswer:
        return False


def candidates(mechanism: Mechanism) -> list[Fault]:
    """The faults that are tried, the most usual first."""
    typical = (fault for fault in FAULTS if fault.group != "each quantity")
    return [*typical, *DERIVATIVES, *CONVENTIONS, *usual(mechanism), *misreadings(mechanism), *of_single_joints(mechanism)]
