"""Which discrepancies a known fault of an engine explains.

A discrepancy is known under two conditions:

- The question is asked again before and after the repair, and the answer is as wrong as it was. A fault that vanishes by itself
  is not the known one.
- The repair makes the answer right, given the same wrong answer: a question that was asked before is not asked again. A repair
  that changes nothing explains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from cross_check.comparison.case import Case
from cross_check.comparison.invariants import check_invariants
from cross_check.comparison.measure import Measured, distance, measure
from cross_check.comparison.other_levers import explained_by_levers
from cross_check.findings.known import Finding
from cross_check.memory import Array
from cross_check.relations.check import Load, check_relations
from cross_check.results.objects import RIGHT, Cell, Invariant
from cross_check.settings import Settings
from implementations.processes.subject import Answer, Loaded, LoadedInProcess, Methods
from mechanisms import Mechanism
from mechanisms.constraint_quantities import ALL_QUANTITIES
from mechanisms.quantities import Quantity

ROUNDED = 0.01
"""How much of an invariant's error three significant digits may hide."""

Item = TypeVar("Item", Cell, Invariant)


@dataclass(frozen=True)
class Suspect:
    """What an implementation answers at the states of a case. ``load`` loads another mechanism; ``name`` is the entry's."""

    case: Case
    loaded: Loaded
    load: Load
    name: str
    settings: Settings


def known_cells(finding: Finding, suspect: Suspect, cells: Sequence[Cell], measured: Sequence[Measured]) -> list[Cell]:
    """The cells, of which those that the finding explains are known; ``measured`` has what they are made from."""
    case, bar = suspect.case, suspect.settings.bar
    remembering = remembering_all(case, suspect.loaded, measured)
    repaired = _repaired(finding, case.mechanism, remembering)

    def load(mechanism: Mechanism) -> Loaded:
        return _repaired(finding, mechanism, suspect.load(mechanism))

    def quantity(one: Measured) -> Quantity:
        return ALL_QUANTITIES[one.cell.quantity]

    def is_known(first: Measured) -> bool:
        def ask(loaded: Loaded) -> Measured:
            return measure(case, loaded, suspect.name, quantity(first), bar)

        def is_as_wrong() -> bool:
            difference = distance(first, ask(suspect.loaded))
            return difference is not None and difference <= bar

        if not is_as_wrong():
            return False
        right = ask(repaired)
        changed = first.answer is not None and right.answer is not None and (right.answer != first.answer).any()
        is_right = right.cell.verdict in RIGHT or explained_by_levers(case, repaired, load, quantity(first), bar) is not None
        return bool(changed) and is_right and is_as_wrong()

    # Cells that agree need no second measurement.
    return [
        _known(cell, finding) if cell.verdict == "discrepancy" and is_known(first) else cell
        for cell, first in zip(cells, measured, strict=True)
    ]


def known_invariants(finding: Finding, suspect: Suspect, invariants: Sequence[Invariant]) -> list[Invariant]:
    """The invariants, of which those that the finding explains are known."""

    def check(loaded: Loaded) -> list[Invariant]:
        return check_invariants(suspect.case, loaded, suspect.name, suspect.settings.bar)[0]

    remembering = Remembering(suspect.loaded)
    again = check(remembering)
    repaired = check(_repaired(finding, suspect.case.mechanism, remembering))
    return _explained(finding, invariants, again, repaired, suspect.settings.bar)


def known_relations(finding: Finding, suspect: Suspect, relations: Sequence[Invariant]) -> list[Invariant]:
    """The relations, of which those that the finding explains are known."""
    loads: dict[tuple[str, str], Remembering] = {}

    def load(mechanism: Mechanism) -> Remembering:
        key = (mechanism.name, mechanism.fingerprint)
        if key not in loads:
            loads[key] = Remembering(suspect.load(mechanism))
        return loads[key]

    def check(loaded: Loaded, load: Load) -> list[Invariant]:
        settings = suspect.settings
        names = [relation.name for relation in relations]
        return check_relations(suspect.case, loaded, load, suspect.name, settings.bar, names, settings.quantities)[0]

    remembering = Remembering(suspect.loaded)
    again = check(remembering, load)
    mechanism = suspect.case.mechanism
    repaired = check(_repaired(finding, mechanism, remembering), lambda image: _repaired(finding, image, load(image)))
    return _explained(finding, relations, again, repaired, suspect.settings.bar)


class Remembering:
    """What ``loaded`` answers. The answer to a question that was asked before is the earlier one."""

    def __init__(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._answers: dict[tuple[object, ...], Answer] = {}

    def keep(self, quantity: str, arguments: Sequence[Array], answer: Answer) -> None:
        """The answer to this question from now on."""
        self._answers[_key(quantity, arguments)] = answer

    def ask(self, quantity: str, *arguments: Array) -> Answer:
        key = _key(quantity, arguments)
        if key not in self._answers:
            self._answers[key] = self._loaded.ask(quantity, *arguments)
        # Who gets the answer may change the array.
        return replace(self._answers[key], value=self._answers[key].value.copy())

    def offers(self, quantity: str) -> bool:
        return self._loaded.offers(quantity)

    def place(self, quantity: str) -> str:
        return self._loaded.place(quantity)

    @property
    def asked_for_source(self) -> bool:
        return self._loaded.asked_for_source


def remembering_all(case: Case, loaded: Loaded, measured: Sequence[Measured]) -> Remembering:
    """``loaded``, which answers what was ``measured`` at the states of the case as it did then."""
    remembering = Remembering(loaded)
    for one in measured:
        if one.answer is not None:
            arguments = case.states.arguments(ALL_QUANTITIES[one.cell.quantity].arguments)
            remembering.keep(one.cell.quantity, arguments, Answer(one.answer, 0.0))
    return remembering


def _key(quantity: str, arguments: Sequence[Array]) -> tuple[object, ...]:
    # Adding zero makes +0 of −0, which is the same position.
    return (quantity, *((x.shape, (np.asarray(x) + 0.0).tobytes()) for x in arguments))


def _repaired(finding: Finding, mechanism: Mechanism, loaded: Loaded) -> Loaded:
    return LoadedInProcess(finding.repair(mechanism, Methods(loaded)), mechanism)


def _explained(
    finding: Finding, items: Sequence[Invariant], again: Sequence[Invariant], repaired: Sequence[Invariant], bar: float
) -> list[Invariant]:
    """The items; known are those that were as wrong when checked again, and that the repair makes right."""

    def is_known(item: Invariant, same: Invariant, right: Invariant) -> bool:
        if {item.verdict, same.verdict} != {"discrepancy"} or item.error is None or same.error is None:
            return False
        return right.verdict in RIGHT and abs(item.error - same.error) <= bar + ROUNDED * item.error

    trials = zip(items, again, repaired, strict=True)
    return [_known(item, finding) if is_known(item, same, right) else item for item, same, right in trials]


def _known(item: Item, finding: Finding) -> Item:
    return replace(item, verdict="known", message=f"a known fault of this version, see {finding.page}")
