"""The examples of causes that have no smaller mechanism of their own: of misread files, and of constraints.

The smallest file that a reader misreads is that of the smallest mechanism. An example with constraints is no smaller than its
mechanism, because experiments that take bodies away would open its loops: it is a state where the code is clearly wrong.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Example
from cross_check.exchange.results.objects import BAR
from cross_check.explain.diagnosis.causes.evidence import PLAIN, plain_state
from cross_check.explain.diagnosis.examples.example import components, example, written_example
from cross_check.explain.diagnosis.examples.shrink import Shrinking
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Progress, Trial, try_states
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.readings import STATES, related
from cross_check.judge.relations.transformation import Question
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from cross_check.read.as_read.rewriting import Rewriting
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.quantities import CONSTRAINT_QUANTITIES, QUANTITIES, ByConstrainedMotion, ByDelassus, ByValue, Quantity


@dataclass(frozen=True, eq=False)
class File:
    """One file of a mechanism that was asked for, and what of the run is about it."""

    mechanism: Mechanism
    """The mechanism of the run."""
    rewriting: Rewriting | None
    """None for the file of the mechanism itself."""
    trial: Trial
    wrong: dict[str, str]
    """By quantity that is wrong: the id of the cell or relation. Empty if all is right."""
    right: tuple[str, ...]
    """Quantities that are right."""
    plain: Trial | None = None
    """The same mechanism in its plain file."""


def smallest_file(
    laboratory: Laboratory, entry: Entry, file: File, said: str, settings: Settings, fault: Fault | None, progress: Progress
) -> Example | None:
    """The example of what is wrong about ``file``, on the smallest mechanism whose file, rewritten likewise, is misread likewise.

    The file of a mechanism itself stays as it is. None if the code gives no answer.
    """
    quantity = min(file.wrong, key=lambda name: (not QUANTITIES[name].has_value, len(QUANTITIES[name].axes)))
    progress("making the smallest file")
    try:
        k = np.array([plain_state(file.trial, quantity)])
        question = Question(file.trial.mechanism, file.trial.states.pick(k))
        if file.rewriting:
            state = sample(file.mechanism, settings.seed, STATES).pick(k)
            question = _smallest(laboratory, file, state, quantity, fault, progress) or question
        version = entry.subject.version
        asked = example(laboratory, question.mechanism, question.states, quantity, entry.spec, version, said)
    except NoAnswer:
        return None
    source = question.mechanism.source
    return replace(asked, urdf=source.text) if source else asked


def _smallest(
    laboratory: Laboratory, file: File, state: States, quantity: str, fault: Fault | None, progress: Progress
) -> Question | None:
    rewriting = file.rewriting
    assert rewriting

    def shows(mechanism: Mechanism, state: States) -> bool:
        """Whether the plain file is read rightly, and the rewritten one is not."""
        both = related(rewriting, mechanism, state)
        before, after = (try_states(laboratory, one.mechanism, one.states) for one in (both.original, *both.images))
        if before.errors(quantity)[0] > laboratory.bar or after.errors(quantity)[0] <= PLAIN * laboratory.bar:
            return False
        return fault is None or after.explains(quantity, fault)

    best, at = Shrinking(replace(file.mechanism, frames=(), read_from=None), state, shows, progress).run()
    try:
        return related(rewriting, best, at).images[0] if shows(best, at) else None
    except (Unsupported, MechanismError):
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
    return written_example(case.mechanism, quantity, given, given, names, answer[state], right[state], code, sentence)


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
