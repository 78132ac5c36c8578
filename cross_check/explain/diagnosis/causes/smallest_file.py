"""The smallest file that a reader misreads, as an example."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Example
from cross_check.explain.diagnosis.causes.evidence import PLAIN, plain_state
from cross_check.explain.diagnosis.examples.example import example
from cross_check.explain.diagnosis.examples.shrink import Shrinking
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Progress, Trial, try_states
from cross_check.explain.faults.fault import Fault
from cross_check.judge.comparison.sampling import States, sample
from cross_check.judge.relations.readings import STATES, related
from cross_check.judge.relations.transformation import Question
from cross_check.judge.settings import Settings
from cross_check.read.as_read.rewriting import Rewriting
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.quantities import QUANTITIES


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
