"""The causes of what disagrees on mechanisms with mimic joints.

Most experiments of a diagnosis take bodies away, or change joints one at a time. With mimic joints they would ask about other
couplings. So the answers are compared with those of code that has one of the usual faults with mimic joints.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.objects import Cell, Item
from cross_check.explain.diagnosis.laboratory import Laboratory, NoAnswer, Trial, try_states
from cross_check.explain.diagnosis.usual_faults import shared_among
from cross_check.explain.diagnosis.words import identifier
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.mimic_joints import GROUP, MIMIC_FAULTS
from cross_check.judge.comparison.sampling import sample
from cross_check.judge.settings import Settings
from mechanisms import Mechanism

STATES = 18
"""One state of every kind."""

REMEDY = "check the same mechanism with every joint moving on its own: independent:FILE, or the robot without mimic:"


def mimic_causes(entry: Entry, items: Sequence[Item], mechanisms: Sequence[Mechanism], settings: Settings) -> Iterator[Cause]:
    """The causes of the ``items`` that disagree on these ``mechanisms``, which have mimic joints."""
    laboratory = Laboratory(entry.subject, entry.name)
    found: dict[str, list[Cell]] = {}
    for mechanism in mechanisms:
        cells = [x for x in items if isinstance(x, Cell) and x.mechanism == mechanism.name and x.verdict == "discrepancy"]
        if cells:
            trial = _trial(laboratory, mechanism, settings)
            for name, explained in shared_among(MIMIC_FAULTS, cells, partial(_explains, trial, settings)):
                found.setdefault(name, []).extend(explained)
    for name, cells in found.items():
        ids = tuple(cell.id for cell in cells)
        if name:
            yield Cause(identifier(entry.name, name), entry.name, "model", name, ids, GROUP, tried=len(ids))
        else:
            said = "it disagrees on mechanisms with mimic joints, and no usual fault with mimic joints explains it"
            yield Cause(identifier(entry.name, said), entry.name, "unknown", said, ids, remedy=REMEDY)


def _trial(laboratory: Laboratory, mechanism: Mechanism, settings: Settings) -> Trial:
    states = settings.given.pick(np.arange(min(STATES, settings.states))) if settings.given else None
    return try_states(laboratory, mechanism, states or sample(mechanism, settings.seed, STATES))


def _explains(trial: Trial, settings: Settings, fault: Fault, cell: Cell) -> bool:
    try:
        return bool(np.all(np.abs(trial.residual(cell.quantity, fault)) <= settings.bar))
    except NoAnswer:
        return False
