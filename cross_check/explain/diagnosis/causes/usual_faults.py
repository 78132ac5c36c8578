"""The causes of answers that experiments cannot explain: they are compared with those of code with one of the usual faults.

Experiments that take bodies away, or change joints one at a time, would open the loops of mechanisms with constraints, and ask
about other couplings of mimic joints. Experiments with masses, velocities and forces do not concern integrated positions. So an
example with constraints is no smaller than its mechanism: it is a state where the code is clearly wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause, CauseKind, Example
from cross_check.exchange.results.objects import BAR, COMPARED, Cell
from cross_check.explain.diagnosis.examples.example import components, written_example
from cross_check.explain.diagnosis.laboratory import WITHOUT_NUMBER
from cross_check.explain.diagnosis.words import extent, identifier
from cross_check.explain.faults.edits import CONSTRAINT_FAULTS, INTEGRATION_FAULTS, MIMIC_FAULTS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mutants import MutantDynamics, having_forces
from cross_check.judge.comparison.case import Case, Model, prepare
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import BLOCK, sample
from cross_check.judge.comparison.steps import TURNS
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.conventions.declared import acting
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import (
    ALL_QUANTITIES,
    CONSTRAINT_QUANTITIES,
    ByConstrainedMotion,
    ByDelassus,
    ByValue,
    Quantity,
)

STATES = 18
"""One state of every kind. If the code is right at these, all states of the run are asked."""

ANOTHER = "one fault that explains what is wrong in another way, too; no usual fault does"

RAISED = tuple(error for error in WITHOUT_NUMBER if error is not LookupError)
"""What wrong code raises. A :class:`LookupError` says that a module lacks the text of an edit. It must not pass for that."""

NEAR = 1e-12
"""How near to the error that a fault makes the code's error is, relative to it, beside the bar."""


@dataclass(frozen=True)
class Asked:
    """What the code answers at the states of a case; what code with a fault answers there is computed when it is asked for."""

    case: Case
    answers: Mapping[str, Array]
    bar: float

    @classmethod
    def of(cls, case: Case, entry: Entry, quantities: Sequence[str], bar: float) -> Asked:
        """Quantities that are not answered again are left out. Raises what loading raises."""
        loaded: Loaded = entry.subject.load(case.mechanism)
        answers: dict[str, Array] = {}
        for name in quantities:
            with suppress(Unsupported, Failure):
                answers[name] = loaded.ask(name, *case.states.arguments(ALL_QUANTITIES[name].arguments)).value
        return cls(case, answers, bar)

    def is_right(self, quantity: str, answer: Array) -> bool:
        return bool((compare(self.case, ALL_QUANTITIES[quantity], answer).units <= self.bar).all())

    def shows(self, fault: Fault, quantity: str) -> bool:
        """Whether code with the fault would be wrong."""
        answer = self._of(fault, quantity)
        return answer is not None and not self.is_right(quantity, answer)

    def explains(self, fault: Fault, quantity: str) -> bool:
        """Whether the code answers as code with the fault does, which is wrong.

        Errors are linear in the answer: the error of the difference is the difference of the errors. Accelerations may also be
        those at which the forces with the fault are the given ones: such code solves its own equation.
        """
        if quantity not in self.answers:
            return False
        if quantity == "forward_dynamics" and self._solves(fault):
            return True
        if (wrong := self._of(fault, quantity)) is None:
            return False
        got, expected = (compare(self.case, ALL_QUANTITIES[quantity], x) for x in (self.answers[quantity], wrong))
        units = in_epsilons(got.error - expected.error, got.magnitude)
        return bool((units <= self.bar + NEAR * got.units).all()) and bool((expected.units > self.bar).any())

    def _solves(self, fault: Fault) -> bool:
        """Whether code with the fault, and not right code, needs the given τ for the accelerations that were answered."""
        states, a = self.case.states, self.answers["forward_dynamics"]
        got = compare(self.case, ALL_QUANTITIES["forward_dynamics"], a)
        needed = self._of(fault, "inverse_dynamics", states.q, states.v, a)
        if needed is None:
            return False
        units = in_epsilons(needed - states.tau, got.magnitude)
        return bool((units <= self.bar).all()) and bool((got.units > self.bar).any())

    def _of(self, fault: Fault, quantity: str, *given: Array) -> Array | None:
        """What code with the fault answers at these arguments, or at the states of the case; None if it gives no numbers."""
        given = given or self.case.states.arguments(ALL_QUANTITIES[quantity].arguments)
        try:
            return np.asarray(getattr(MutantDynamics(fault, self.case.mechanism), quantity)(*given))
        except RAISED:
            return None


@dataclass(frozen=True)
class UsualFaults:
    """What is usually wrong with quantities, or mechanisms, of one group, and what to say if it is something else."""

    faults: Sequence[Fault]
    case: Callable[[Mechanism, Settings, int], Case]
    """So many states at which the code is asked again."""
    otherwise: str
    """A sentence without a full stop."""
    remedy: str
    kind: CauseKind = "term"
    example: Callable[[Entry, Any, str, Array, str], Example | None] = lambda *wrong: None
    """The example of a wrong answer (batch, …) at the states of a case, with the sentence that says what is wrong; or None."""

    def causes(self, entry: Entry, cells: Sequence[Cell], mechanisms: Sequence[Mechanism], settings: Settings) -> Iterator[Cause]:
        """The causes of those of the ``cells`` that disagree."""
        found: dict[Fault | None, list[Cell]] = {}
        known: dict[str, Asked] = {}
        for mechanism in mechanisms:
            wrong = [cell for cell in cells if cell.mechanism == mechanism.name and cell.verdict == "discrepancy"]
            if wrong and (asked := self._asked(entry, mechanism, wrong, settings)):
                known[mechanism.name] = asked
            for fault, explained in self._shared(known.get(mechanism.name), wrong):
                found.setdefault(fault, []).extend(explained)
        for fault, explained in found.items():
            ids, contradicting = tuple(cell.id for cell in explained), list[Cell]()
            if fault:
                # Where the fault predicts errors that the code has not, on the mechanisms that were asked again.
                others = (one for one in cells if one not in explained and one.mechanism in known and one.verdict in COMPARED)
                contradicting = [one for one in others if known[one.mechanism].shows(fault, one.quantity)]
            said = f"{fault.name}{extent(explained, contradicting)}" if fault else self.otherwise
            id_, shown = identifier(entry.name, said), self._shown(entry, explained, known, said)
            if fault:
                more = (ANOTHER,) if any(cell in found.get(None, ()) for cell in contradicting) else ()
                yield Cause(id_, entry.name, self.kind, said, ids, fault.group, tried=len(ids), alternatives=more, example=shown)
            else:
                concerned = ((one, cell.quantity) for cell in explained for one in mechanisms if one.name == cell.mechanism)
                declares = next(filter(None, (acting(entry.subject.declares, one, [name]) for one, name in concerned)), "")
                remedy = f"correct what it declares ({declares}) if that is wrong; {self.remedy}" if declares else self.remedy
                yield Cause(id_, entry.name, "unknown", said, ids, remedy=remedy, example=shown)

    def _asked(self, entry: Entry, mechanism: Mechanism, wrong: Sequence[Cell], settings: Settings) -> Asked | None:
        """What the code answers about these quantities; at all states of the run if one is right at the first. None if it does
        not answer again."""
        quantities = [cell.quantity for cell in wrong]
        try:
            asked = Asked.of(self.case(mechanism, settings, STATES), entry, quantities, settings.bar)
            if any(asked.is_right(name, answer) for name, answer in asked.answers.items()):
                states = max(STATES, min(settings.states, BLOCK))
                asked = Asked.of(self.case(mechanism, settings, states), entry, quantities, settings.bar)
            return asked
        except (Unsupported, Failure):
            return None

    def _shared(self, asked: Asked | None, cells: Sequence[Cell]) -> Iterator[tuple[Fault | None, Sequence[Cell]]]:
        """The cells, each with a fault that explains it, or with None. No fault explains code that does not answer again.

        One fault that explains all is likelier than two that explain some. So every fault gets the most that are left.
        """
        while cells:
            chosen: tuple[Fault | None, Sequence[Cell]] = (None, cells)
            for fault in self.faults:
                explained = [cell for cell in cells if asked and asked.explains(fault, cell.quantity)]
                if explained and (not chosen[0] or len(explained) > len(chosen[1])):
                    chosen = (fault, explained)
                if len(explained) == len(cells):
                    break
            yield chosen
            cells = [cell for cell in cells if cell not in chosen[1]]

    def _shown(self, entry: Entry, cells: Sequence[Cell], known: Mapping[str, Asked], said: str) -> Example | None:
        """The example of the smallest mechanism, and of the first quantity there that has one right answer."""
        answered = [cell for cell in cells if cell.mechanism in known and cell.quantity in known[cell.mechanism].answers]
        for cell in sorted(answered, key=lambda cell: known[cell.mechanism].case.mechanism.nv):
            asked = known[cell.mechanism]
            if found := self.example(entry, asked.case, cell.quantity, asked.answers[cell.quantity], said):
                return found
        return None


CLEARLY = 1e-3
"""An error of more than this share of the largest one shows the cause as well."""

UNIQUE = ("acceleration", "impact", "unit forces")
"""Problems whose answer is compared as it is, where it is unique."""

TINY = float(np.finfo(float).tiny)


def constraint_example(entry: Entry, case: Case, quantity: str, answer: Array, sentence: str, bar: float = BAR) -> Example | None:
    """The example of a wrong ``answer`` (batch, …) at the states of the case. ``sentence`` says what is wrong.

    None where there is no one right answer, as for λ where rows of J follow from others, and where no number is wrong.
    """
    declared = CONSTRAINT_QUANTITIES[quantity]
    if (right := _right(case, declared)) is None:
        return None
    units = np.nan_to_num(compare(case, declared, answer).units, nan=np.inf)
    state = _simplest(case, declared, units)
    if not np.isfinite(answer[state]).all() or np.max(units) <= bar:
        return None
    arguments = zip(declared.arguments, case.states.arguments(declared.arguments), strict=True)
    given = {name: column[state] for name, column in arguments}
    code = (entry.spec, entry.subject.name, entry.version)
    names = components(case.mechanism, quantity)
    return written_example(case.mechanism, quantity, given, names, answer[state], right[state], code, sentence)


def _simplest(case: Case, quantity: Quantity, units: Array) -> int:
    """Of the states where the answer is clearly wrong, the one where the largest numbers of all arguments are nearest to one."""
    error = units.reshape(len(units), -1).max(axis=1)
    largest = (np.abs(x).max(axis=1) for x in case.states.arguments(quantity.arguments))
    far = sum(np.abs(np.log(number + TINY)) for number in largest)
    return int(np.where(error >= CLEARLY * error.max(), far, np.inf).argmin())


def _right(case: Case, quantity: Quantity) -> Array | None:
    """The right answers (batch, …); None if several are right, or if none is known."""
    judged = quantity.judged
    if isinstance(judged, ByDelassus):
        return case.constrained.delassus_matrix.high
    if isinstance(judged, ByValue):
        return case.truth.high_low(quantity.name, *case.states.arguments(quantity.arguments))[0]
    if not isinstance(judged, ByConstrainedMotion) or judged.problem not in UNIQUE:
        return None
    solved = case.equations(judged)
    right = solved.x.high if judged.answer == "motion" else solved.forces.high
    if judged.answer == "multipliers":
        if case.states.rank < len(case.mechanism.constrained_directions):
            return None
        right = np.linalg.pinv(solved.J.high.swapaxes(1, 2)) @ right
    return right if len(quantity.axes) == 2 else right[..., 0]


OF_CONSTRAINTS = UsualFaults(
    CONSTRAINT_FAULTS,
    lambda mechanism, settings, states: Model(mechanism).satisfying(sample(mechanism, settings.seed, states)),
    "it disagrees on constraints, and no usual fault with constraints explains it",
    "make J and the drift agree first, then M and h of the tree, then λ; docs/loops.md has the signs",
    example=constraint_example,
)

OF_INTEGRATION = UsualFaults(
    INTEGRATION_FAULTS,
    lambda mechanism, settings, states: prepare(mechanism, settings.seed, max(states, 2 * len(TURNS))),
    "it disagrees on integrated positions or differences, and no usual fault with them explains it",
    "make integrate agree first, then its derivatives, then difference; docs/conventions.md says what they mean",
)

OF_MIMIC_JOINTS = UsualFaults(
    MIMIC_FAULTS,
    lambda mechanism, settings, states: Case.by_reference(
        mechanism, having_forces(mechanism, settings.sample(mechanism, states))
    ),
    "it disagrees on mechanisms with mimic joints, and no usual fault with mimic joints explains it",
    "check the same mechanism with every joint moving on its own: independent:FILE, or the robot without mimic:",
    "model",
)
