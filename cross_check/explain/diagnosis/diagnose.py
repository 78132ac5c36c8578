"""The diagnosis: why an implementation disagrees.

On the smallest mechanism on which it disagrees, :mod:`cross_check.explain.diagnosis.search` looks for faults that predict its
answers. :mod:`cross_check.explain.diagnosis.probes` tells those apart that fit equally well. What was found is then tried on the
other mechanisms of the run, and what it does not explain there is searched again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product
from math import inf

import numpy as np

from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results.failures import severity
from cross_check.exchange.results.objects import Cell, Verdict
from cross_check.explain.diagnosis.conditions.of_batches import Condition
from cross_check.explain.diagnosis.conditions.sometimes import EARLIER
from cross_check.explain.diagnosis.digits import Arithmetic
from cross_check.explain.diagnosis.follows import DERIVED, follows, follows_from
from cross_check.explain.diagnosis.laboratory import FOUND, NoAnswer, Run, Trial, try_states
from cross_check.explain.diagnosis.probes import Decided, Doubt, distinguished, doubt, generalized
from cross_check.explain.diagnosis.search import Explanation, Found, Search, predicts
from cross_check.explain.diagnosis.stages import Stages
from cross_check.explain.diagnosis.symptoms import Symptom, rank, symptoms
from cross_check.explain.diagnosis.words import kind_of, sentence
from cross_check.explain.faults.answers.dynamics import wrong_rows
from cross_check.explain.faults.fault import NO_FAULT, Fault
from cross_check.explain.faults.readings.joints import of_single_joints
from cross_check.explain.faults.readings.mechanisms import misreadings
from cross_check.explain.faults.terms.factors import DERIVATIVES, usual
from cross_check.explain.faults.typical import ARGUMENTS, CONVENTIONS, FAULTS
from cross_check.judge.comparison.sampling import sample, spread
from cross_check.memory import Array
from mechanisms import Mechanism

STATES = 18
"""At so many states of every mechanism; every kind occurs."""

GIVEN = 36
"""The same of states that are given, spread evenly over those that have all answers."""

WORST = 2
"""Of a quantity that is right at these states, so many of the worst ones are added."""

MOST = 20_000
"""So many experiments explain one implementation (:attr:`Laboratory.experiments`). What is not explained by then has no cause."""

MOST_WITH_LINE = 3_000
"""So many experiments explain an implementation whose wrong line is known: the fault says what the line does."""

MOST_OF_ONE = 6_000
"""So many experiments explain what it answers about one mechanism, and :data:`MORE` for every quantity that is wrong there."""

MORE = 1_000
"""More than it takes to try every fault that is listed."""

APART = 3
"""Errors whose classes differ by so much have different causes, as far as one can guess: they are 10⁹ times apart."""

ROUNDS = 3
"""How often a search goes on after probes have refuted what it had found."""

LARGEST = 64
"""Mechanisms with more coordinates are not searched; what was found on smaller ones is tried on them."""


@dataclass
class Tried:
    """One cause while more mechanisms are tried: what probes left, and the cells and experiments that it predicts."""

    decided: Decided
    cells: dict[str, None]
    tried: int
    trial: Trial

    @property
    def explanation(self) -> Explanation:
        return self.decided.chosen


class Diagnosis:
    """One implementation, and what it answered in a run."""

    def __init__(
        self,
        run: Run,
        verdicts: tuple[Verdict, ...] = ("discrepancy",),
        remembers: bool = False,
        is_by_batch: bool = False,
        has_line: bool = False,
    ) -> None:
        """With ``remembers`` answers are known to depend on earlier calls: then only what code may keep is tried.

        With ``is_by_batch`` they are known to depend on the batch: then all states of the run are asked in one.
        """
        self.entry, self.name, self.settings, self.progress = run.entry, run.entry.name, run.settings, run.progress
        self.laboratory, self.remembers, self.is_by_batch = run.laboratory, remembers, is_by_batch
        self._verdicts = verdicts
        self.cells = {item.id: item for item in run.items if item.implementation == self.name and isinstance(item, Cell)}
        self.wrong: dict[str, dict[str, str]] = {}
        """By mechanism, then by quantity: the ids of cells that disagree."""
        for cell in self.cells.values():
            if cell.verdict in verdicts and not cell.sharpness:
                self.wrong.setdefault(cell.mechanism, {})[cell.quantity] = cell.id
        self._most = MOST_WITH_LINE if has_line else MOST
        self.found: list[Tried] = []
        self.arithmetic: list[tuple[Symptom, str, Arithmetic]] = []
        """What explains a cell by arithmetic."""
        self.digits: dict[str, Arithmetic] = {}
        """By the name of a fault: the arithmetic that it is."""
        self.conditions: dict[str, Condition] = {}
        """By quantity: the states in which it is wrong."""
        self.trials: dict[str, Trial] = {}
        """By mechanism: the states at which it was asked."""
        self.searches: dict[str, Search] = {}
        """By mechanism: what was tried on it."""
        self.unexplained: dict[str, Symptom] = {}
        """By the ids of cells: symptoms that nothing explains."""

    def run(self, mechanisms: Sequence[Mechanism]) -> None:
        """Search on every mechanism on which something disagrees, the smallest first. What is found so far is kept."""
        concerned = [m for m in mechanisms if m.name in self.wrong]
        for mechanism in sorted(concerned, key=lambda m: m.nv):
            self.progress(f"diagnosing {self.name} on {mechanism.name}")
            most = MOST_OF_ONE + MORE * len(self.wrong[mechanism.name])
            self.laboratory.most = min(self._most, self.laboratory.experiments + most)
            self._explain(mechanism)
        self._give_up_coincidences()
        self._take_systematic()

    def _take_systematic(self) -> None:
        """Give systematic errors within the bar to the fault with which they are less than half as large.

        Nothing is sought that explains them alone.
        """
        for cell in (cell for cell in self.cells.values() if cell.sharpness and cell.verdict in self._verdicts):
            if (trial := self.trials.get(cell.mechanism)) is None:
                continue
            with suppress(NoAnswer):
                nearer = (one for one in self.found if trial.is_nearer(cell.quantity, one.explanation.fault, NO_FAULT))
                if one := next(nearer, None):
                    one.cells[cell.id] = None

    def _give_up_coincidences(self) -> None:
        """Give up numbers that fit on some mechanisms, if nothing explains the same quantity on others that were searched.

        One mistake is likelier, and what it does to a simple mechanism is fitted by other numbers.
        """
        for one in [one for one in self.found if all(fault.is_fitted or fault.where for fault in one.explanation.faults)]:
            own, left = [cell for id_, cell in self.cells.items() if id_ in one.cells], self.left()
            elsewhere = [id_ for cell in own for id_ in left.get(cell.quantity, ()) if self.cells[id_].mechanism in self.searches]
            if elsewhere:
                self.found.remove(one)
                said = f"{'; '.join(fault.name for fault in one.explanation.faults)}: it explains nothing of {elsewhere[0]}"
                for cell in own:
                    self.unexplained[cell.id] = Symptom(self.trials[cell.mechanism], cell.quantity)
                    if search := self.searches.get(cell.mechanism):
                        search.finished.setdefault(cell.quantity, {})[said] = None

    def _explain(self, mechanism: Mechanism) -> None:
        wrong = dict(self.wrong[mechanism.name])
        trial = self.trials[mechanism.name] = self._trial(mechanism)
        self._take_predicted(trial, wrong, wrong)
        if not wrong or mechanism.nv > LARGEST:
            return
        if self.laboratory.experiments > self._most:
            self._leave([Symptom(trial, quantity) for quantity in wrong], wrong)
            return
        shown = list(symptoms(trial, [*wrong, *(cell.quantity for cell in self.of(mechanism.name, "agrees"))]))
        # What explains other mechanisms is likely here, too, perhaps with another fault beside it.
        known = self._shown
        tried = [*known.values(), *(fault for fault in candidates(mechanism) if fault.name not in known)]
        stages = Stages(self.laboratory, mechanism, tried, self.is_by_batch)
        search = Search(stages, self.progress)
        self.searches[mechanism.name] = search

        def otherwise(symptom: Symptom, exactly: bool) -> bool:
            found = stages.arithmetic_of(symptom)
            if found and not found.faults and (found.is_exact or not exactly):
                self.arithmetic.append((symptom, wrong[symptom.quantity], found))
                return True
            return False

        if self.remembers:
            stages.candidates = [fault for fault in stages.candidates if fault.group == EARLIER]
        following = self._following(trial, wrong)
        right = [symptom for symptom in shown if symptom.quantity not in wrong and stages.agrees(symptom, NO_FAULT)]
        tries = (stages.from_list,) if self.remembers else stages.all
        small = {s.quantity for s in shown if s.quantity in wrong and self._is_small(s, shown)}
        # Derivatives may follow from what is found for the rest, and are searched otherwise.
        for is_derived, is_small in product((False, True), repeat=2):
            if is_small:
                self._take_predicted(trial, wrong, small)
            elif is_derived:
                self._take_predicted(trial, wrong, DERIVED)
            searched = [s for s in shown if s.quantity in wrong and s.quantity not in following]
            part = [s for s in searched if (s.quantity in DERIVED, s.quantity in small) == (is_derived, is_small)]
            # What probes refute is searched further: a stage is asked once.
            for _ in range(ROUNDS if part else 0):
                part = self._record(search, search.run([*right, *part], tries, otherwise), trial, wrong)
                if not part:
                    break
        self._take_predicted(trial, wrong, following)
        left = [Symptom(trial, quantity) for quantity in following if quantity in wrong]
        self._leave([symptom for symptom in left if not otherwise(symptom, False)], wrong)

    def _is_small(self, symptom: Symptom, shown: Sequence[Symptom]) -> bool:
        """Whether its quantity is only slightly wrong, and others are grossly wrong. These are explained first."""
        largest = {s.quantity: -inf for s in shown}
        for s in shown:
            largest[s.quantity] = max(largest[s.quantity], severity([float(np.abs(s.residual()).max(initial=0))]))
        return largest[symptom.quantity] + APART <= max(largest.values())

    def _trial(self, mechanism: Mechanism) -> Trial:
        """The first states of the run, and those at which quantities are wrong that are right there. In a batch, all states."""
        if self.is_by_batch:
            return try_states(self.laboratory, mechanism, self.settings.sample(mechanism, self.settings.states))
        rare = self._rare(mechanism)[: STATES // 2]
        if given := self.settings.given:
            return try_states(self.laboratory, mechanism, given.pick(self._given_places(mechanism, rare)))
        states = sample(mechanism, self.settings.seed, max([STATES, *(k + 1 for k in rare)]))
        chosen = np.unique([*range(STATES), *rare])
        return try_states(self.laboratory, mechanism, states.pick(chosen))

    def _given_places(self, mechanism: Mechanism, rare: Sequence[int]) -> Array:
        """The places of the given states that are searched: some in which all cells have answers, the worst one of each cell that
        disagrees, and the rare ones."""
        given, subject, cells = self.settings.given, self.entry.subject, self.of(mechanism.name, *self._verdicts, "agrees")
        assert given is not None
        there = np.full(len(given), True)
        if isinstance(subject, Recorded):
            loaded = subject.load(mechanism)
            for cell in cells:
                answered = loaded.rows_of(cell.quantity, given.numbers) >= 0
                there = there & answered if (there & answered).any() else answered
        worst = [self.settings.place_of(cell.worst.state) for cell in cells if cell.worst and cell.verdict == "discrepancy"]
        return np.unique([*spread(np.flatnonzero(there), GIVEN), *(place for place in (*worst, *rare) if there[place])])

    def of(self, mechanism: str, *verdicts: Verdict) -> list[Cell]:
        """The cells of the mechanism with this name, with these verdicts, in the order of the run."""
        return [cell for cell in self.cells.values() if cell.mechanism == mechanism and cell.verdict in verdicts]

    def _rare(self, mechanism: Mechanism) -> list[int]:
        """The places of states of the run that are wrong where no state is that every diagnosis asks."""
        rare: dict[int, None] = {}
        for cell in self.of(mechanism.name, *self._verdicts):
            if max(cell.errors[:STATES], default=0) <= self.settings.bar:
                worst = sorted(range(len(cell.errors)), key=lambda k: -cell.errors[k])[:WORST]
                rare |= dict.fromkeys(self.settings.place_of(cell.states[k]) if cell.states else k for k in worst)
        return list(rare)

    def _leave(self, symptoms: Iterable[Symptom], wrong: Mapping[str, str]) -> None:
        """Say that nothing explains these symptoms, of those that are wrong."""
        for symptom in symptoms:
            if cell := wrong.get(symptom.quantity):
                self.unexplained.setdefault(cell, symptom)

    def _record(self, search: Search, groups: Sequence[Found], trial: Trial, wrong: Mapping[str, str]) -> list[Symptom]:
        """Keep what was found; the symptoms of explanations that probes refute are given back."""
        refuted: list[Symptom] = []
        for group in groups:
            self.conditions |= search.stages.conditions
            arithmetic = [found for found in search.stages.arithmetic.values() if found]
            self.digits |= {fault.name: found for found in arithmetic for fault in found.faults}
            self._leave(group.unexplained, wrong)
            if any(not symptom.asked for e in group.explanations for symptom in e.explained):
                refuted += self._keep(search, trial, group.explanations, wrong)
            else:
                # What explains an answer at rest, but not in motion, explains nothing.
                self._leave((symptom for e in group.explanations for symptom in e.explained), wrong)
        return refuted

    def _following(self, trial: Trial, wrong: Mapping[str, str]) -> list[str]:
        """The wrong quantities that follow from simpler ones in the code's own equations: what explains these explains them."""
        return [
            quantity
            for quantity in wrong
            if any(
                all(rank(name) < rank(quantity) for name in sources) and any(name in wrong for name in sources)
                for sources in follows_from(trial, quantity)
            )
        ]

    def _take_predicted(self, trial: Trial, wrong: dict[str, str], quantities: Iterable[str]) -> None:
        """Give the wrong answers about ``quantities`` that a fault predicts, or that follow from it, to this fault."""
        for one in self.found:
            fault = one.explanation.fault
            for name in [name for name in quantities if name in wrong]:
                if trial.claims(name, fault) or (trial.is_wrong(name) and follows(trial, name, fault)):
                    one.cells[wrong.pop(name)] = None
                    one.tried += STATES

    def _keep(
        self, search: Search, trial: Trial, fitting: Sequence[Explanation], wrong: Mapping[str, str]
    ) -> tuple[Symptom, ...]:
        """Keep the best of the explanations, unless an experiment contradicts it: then its symptoms are given back."""
        fitting = [self._as_elsewhere(e) for e in fitting]
        best = [e for e in fitting if len(e.contradicted) == len(fitting[0].contradicted)]
        # Of faults that predict the same, the one that explains other quantities, too.
        best.sort(key=lambda e: not any(found.sentence == e.fault.name for _, _, found in self.arithmetic))
        decided = distinguished(self.laboratory, trial.mechanism, best)
        decided = generalized(self.laboratory, decided, candidates)
        chosen = decided.chosen
        # Rounding errors elsewhere are of other numbers.
        rounds = any(fault.name in self.digits or kind_of(fault) == "arithmetic" for fault in chosen.faults)
        doubtful = Doubt() if rounds else doubt(self.laboratory, trial.mechanism, chosen)
        if doubtful.is_refuted:
            # A coincidence on this mechanism, or a second fault that shows on others alone. Neither is certain enough.
            said = f"{'; '.join(fault.name for fault in chosen.faults)}: {doubtful.why}"
            if chosen.before:
                # What was found before a further fault was added may hold without it.
                earlier = chosen.before[0].explained
                refuted = self._keep(search, trial, chosen.before, wrong)
                return (*refuted, *(s for s in chosen.explained if s not in earlier))
            self._leave(chosen.explained, wrong)
            for symptom in (s for s in chosen.explained if s.quantity in wrong):
                search.finished.setdefault(symptom.quantity, {})[said] = None
            return chosen.explained
        decided = replace(decided, elsewhere=doubtful.elsewhere)
        if doubtful.why:
            other = f"another convention, which is the same on {trial.mechanism.name}: {doubtful.why}"
            decided = replace(decided, alternatives=(*decided.alternatives, other))
        cells = dict.fromkeys(wrong[s.quantity] for s in chosen.explained if s.quantity in wrong and not s.asked)
        states = sum(len(s.trial.states) for s in (*chosen.explained, *decided.passed))
        same = next((one for one in self.found if one.explanation.fault.name == chosen.fault.name), None)
        if same:
            same.cells |= cells
            same.tried += states
        else:
            self.found.append(Tried(decided, cells, states, trial))
            self.progress(f"{FOUND}{sentence(self.name, chosen.fault)}")
        return ()

    @property
    def _shown(self) -> dict[str, Fault]:
        """By name: the faults that were found so far, and that other mechanisms may show. Conditions are about states of one."""
        return {fault.name: fault for one in self.found for fault in one.explanation.faults if not fault.condition}

    def _as_elsewhere(self, explanation: Explanation) -> Explanation:
        """The explanation, with faults that were found before in the place of those that answer the same here."""
        for k, fault in product(range(len(explanation.faults)), self._shown.values()):
            faults = (*explanation.faults[:k], fault, *explanation.faults[k + 1 :])
            other = replace(explanation, faults=faults)
            if fault not in explanation.faults and predicts(other.fault, other.explained):
                explanation = other
        return explanation

    def left(self) -> dict[str, list[str]]:
        """By quantity: the cells that nothing explains."""
        explained = {cell for one in self.found for cell in one.cells} | {cell for _, cell, _ in self.arithmetic}
        left: dict[str, list[str]] = {}
        for cell, symptom in self.unexplained.items():
            if cell not in explained:
                left.setdefault(symptom.quantity, []).append(cell)
        return left


def candidates(mechanism: Mechanism) -> list[Fault]:
    """The faults that are tried, the most usual first."""
    typical = (fault for fault in FAULTS if fault.group != "each quantity")
    terms = (*usual(mechanism), *wrong_rows(mechanism))
    return [*DERIVATIVES, *typical, *ARGUMENTS, *CONVENTIONS, *terms, *misreadings(mechanism), *of_single_joints(mechanism)]
