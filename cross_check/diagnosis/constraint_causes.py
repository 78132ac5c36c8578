"""The causes of what disagrees on the constraints of mechanisms.

Experiments that take bodies away would open the loops. So the answers are compared with those of code that has one of the usual
faults with constraints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from cross_check.comparison.constrained_case import ConstrainedCase, ConstrainedModel
from cross_check.comparison.judgements import compare
from cross_check.comparison.sampling import sample
from cross_check.diagnosis.constraint_example import constraint_example
from cross_check.diagnosis.words import identifier
from cross_check.error_scale.sizes import in_epsilons
from cross_check.faults.constraints import CONSTRAINT_FAULTS, ConstraintFault
from cross_check.memory import Array
from cross_check.part import Entry
from cross_check.results.causes import Cause, Example
from cross_check.results.objects import Cell
from cross_check.settings import Settings
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.constraint_quantities import CONSTRAINT_QUANTITIES

STATES = 18
"""One state of every kind."""

NEAR = 1e-12
"""How near to the error that a fault makes the code's error is, relative to it, beside the bar."""

REMEDY = "make J and the drift agree first, then M and h of the tree, then λ; docs/loops.md has the signs"


def constraint_causes(
    entry: Entry, cells: Sequence[Cell], mechanisms: Sequence[Mechanism], settings: Settings
) -> Iterator[Cause]:
    """The causes of those of the ``cells`` that disagree."""
    found: dict[str, list[Cell]] = {}
    known: dict[str, tuple[ConstrainedCase, dict[str, Array]]] = {}
    for mechanism in mechanisms:
        wrong = [cell for cell in cells if cell.mechanism == mechanism.name and cell.verdict == "discrepancy"]
        asked = _asked(entry, mechanism, wrong, settings) if wrong else None
        known |= {mechanism.name: asked} if asked else {}
        while wrong:
            # One fault that explains all is likelier than two that explain some.
            name, explained = _most_explained(*asked, wrong, settings.bar) if asked else ("", wrong)
            found.setdefault(name, []).extend(explained)
            wrong = [cell for cell in wrong if cell not in explained]
    for name, explained in found.items():
        ids = tuple(cell.id for cell in explained)
        said = name or "it disagrees on constraints, and no usual fault with constraints explains it"
        shown = _example(entry, explained, known, said)
        if name:
            yield Cause(identifier(entry.name, name), entry.name, "term", name, ids, "constraints", tried=len(ids), example=shown)
        else:
            declares = entry.subject.declares
            remedy = f"correct what it declares ({declares}) if that is wrong; {REMEDY}" if declares else REMEDY
            yield Cause(identifier(entry.name, said), entry.name, "unknown", said, ids, remedy=remedy, example=shown)


def _example(
    entry: Entry, cells: Sequence[Cell], known: Mapping[str, tuple[ConstrainedCase, dict[str, Array]]], said: str
) -> Example | None:
    """That of the smallest mechanism, and of the first quantity there that has one right answer."""
    answered = [cell for cell in cells if cell.mechanism in known]
    for cell in sorted(answered, key=lambda cell: known[cell.mechanism][0].mechanism.nv):
        case, answers = known[cell.mechanism]
        if found := constraint_example(entry, case, cell.quantity, answers[cell.quantity], said):
            return found
    return None


def _asked(
    entry: Entry, mechanism: Mechanism, cells: Sequence[Cell], settings: Settings
) -> tuple[ConstrainedCase, dict[str, Array]] | None:
    """The states, and the code's answers there; None if it does not answer again."""
    try:
        case = ConstrainedModel(mechanism).case(sample(mechanism, settings.seed, STATES))
        loaded: Loaded = entry.subject.load(mechanism)
        arguments = {name: case.states.arguments(CONSTRAINT_QUANTITIES[name].arguments) for name in (c.quantity for c in cells)}
        return case, {name: loaded.ask(name, *given).value for name, given in arguments.items()}
    except (Unsupported, Failure):
        return None


def _most_explained(
    case: ConstrainedCase, answers: Mapping[str, Array], cells: Sequence[Cell], bar: float
) -> tuple[str, Sequence[Cell]]:
    """The fault of which most answers are those of the code, and their cells; all cells and no name if there is none."""
    best: tuple[str, Sequence[Cell]] = ("", ())
    for fault in CONSTRAINT_FAULTS:
        explained = [cell for cell in cells if _explains(fault, case, cell.quantity, answers[cell.quantity], bar)]
        if len(explained) > len(best[1]):
            best = (fault.name, explained)
        if len(explained) == len(cells):
            break
    return best if best[0] else ("", cells)


def _explains(fault: ConstraintFault, case: ConstrainedCase, quantity: str, answer: Array, bar: float) -> bool:
    """Errors are linear in the answer: the error of the difference is the difference of the errors."""
    declared = CONSTRAINT_QUANTITIES[quantity]
    try:
        wrong = fault.answer(case.mechanism, quantity, *case.states.arguments(declared.arguments))
    except np.linalg.LinAlgError:
        return False
    got, expected = compare(case, declared, answer), compare(case, declared, wrong)
    units = in_epsilons(got.error - expected.error, got.magnitude)
    return bool((units <= bar + NEAR * got.units).all()) and bool((expected.units > bar).any())
