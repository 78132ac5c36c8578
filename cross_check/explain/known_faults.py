"""Which discrepancies the known faults of an engine explain.

A discrepancy is known under two conditions:

- The question is asked again, and the answer is as wrong as it was. A fault that vanishes by itself is not the known one.
- The answer, less the errors that the known faults of this version predict, is right.

What the page is that a result names: of the findings without which it would not be explained, the one that acts first.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from cross_check.exchange.results.objects import RIGHT, Cell, Invariant
from cross_check.explain.findings.finding import Finding, Prediction
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.measure import Measured, distance, measure
from cross_check.judge.comparison.other_levers import explained_by_levers
from cross_check.judge.relations.check import check_relations
from cross_check.judge.relations.relation import Load
from cross_check.judge.relations.transformation import RELATED
from cross_check.judge.settings import Settings
from cross_check.judge.sharpness.columns import Problems
from cross_check.judge.sharpness.judged import sharpened
from cross_check.memory import Array
from implementations.processes.subject import Answer, Loaded, LoadedInProcess, Methods
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES

ROUNDED = 0.01
"""How much of an invariant's error three significant digits may hide."""

TIMES = 2
"""How often a question is asked again."""

Item = TypeVar("Item", Cell, Invariant)


@dataclass(frozen=True)
class Suspect:
    """What an implementation answers at the states of a case. ``load`` loads another mechanism; ``name`` is the entry's."""

    case: Case
    loaded: Loaded
    load: Load
    name: str
    settings: Settings
    findings: Sequence[Finding] = ()
    """Those of the engine's version."""


def known_cells(
    suspect: Suspect,
    cells: Sequence[Cell],
    measured: Sequence[Measured],
    problems: Problems | None = None,
) -> list[Cell]:
    """The cells, of which those that the findings explain are known; ``measured`` has what they are made from.

    With ``problems`` the cells were found to be systematic. Then what the findings leave must not be systematic.
    """
    if not _may_be_known(suspect, cells):
        return list(cells)
    case, bar = suspect.case, suspect.settings.bar
    remembering = Remembering(suspect.loaded, case, measured)
    faults = _Faults(suspect.findings)

    def ask(loaded: Loaded, quantity: str) -> Measured:
        return measure(case, loaded, suspect.name, ALL_QUANTITIES[quantity], bar)

    def judged(cell: Cell, first: Measured) -> Cell:
        acting = faults.acting(case.mechanism, [cell.quantity])
        if cell.verdict != "discrepancy" or not acting:
            return cell

        def is_right(some: Sequence[Finding]) -> bool:
            right = faults.removed(some, case.mechanism, remembering)

            def load(mechanism: Mechanism) -> Loaded:
                return faults.removed(some, mechanism, suspect.load(mechanism))

            left = ask(right, cell.quantity)
            if problems is not None:
                return sharpened([left.cell], [left], problems, bar)[0].verdict in RIGHT
            if left.cell.verdict in RIGHT:
                return True
            return explained_by_levers(case, right, load, ALL_QUANTITIES[cell.quantity], bar) is not None

        def is_as_wrong() -> bool:
            difference = distance(first, ask(suspect.loaded, cell.quantity))
            return difference is not None and difference <= bar

        explained = is_right(acting) and all(is_as_wrong() for _ in range(TIMES))
        return _known(cell, _needed(acting, is_right)) if explained else cell

    return [judged(cell, first) for cell, first in zip(cells, measured, strict=True)]


def known_relations(suspect: Suspect, relations: Sequence[Invariant]) -> list[Invariant]:
    """The relations and invariants, of which those that the findings explain are known."""
    if not _may_be_known(suspect, relations):
        return list(relations)
    mechanism, faults, settings = suspect.case.mechanism, _Faults(suspect.findings), suspect.settings
    loads: dict[tuple[str, str], Remembering] = {}

    def load(mechanism: Mechanism) -> Remembering:
        key = (mechanism.name, mechanism.fingerprint)
        if key not in loads:
            loads[key] = Remembering(suspect.load(mechanism), suspect.case)
        return loads[key]

    def check(loaded: Loaded, load: Load) -> list[Invariant]:
        names = [relation.name for relation in relations]
        return check_relations(suspect.case, loaded, load, suspect.name, settings.bar, names, settings.quantities)[0]

    remembering = Remembering(suspect.loaded, suspect.case)
    acting = faults.acting(mechanism, {*RELATED, *settings.quantities})
    again = check(remembering, load)
    checks: dict[tuple[str, ...], list[Invariant]] = {}

    def repaired(some: Sequence[Finding]) -> list[Invariant]:
        """The relations of answers without the predicted errors."""
        key = tuple(one.name for one in some)
        if key not in checks:
            own = faults.removed(some, mechanism, remembering)
            checks[key] = check(own, lambda image: faults.removed(some, image, load(image)))
        return checks[key]

    def judged(k: int, item: Invariant) -> Invariant:
        same = again[k]
        if {item.verdict, same.verdict} != {"discrepancy"} or item.error is None or same.error is None:
            return item

        def is_right(some: Sequence[Finding]) -> bool:
            return repaired(some)[k].verdict in RIGHT

        if abs(item.error - same.error) > settings.bar + ROUNDED * item.error or not acting or not is_right(acting):
            return item
        return _known(item, _needed(acting, is_right))

    return [judged(k, item) for k, item in enumerate(relations)]


def _may_be_known(suspect: Suspect, items: Sequence[Cell] | Sequence[Invariant]) -> bool:
    return bool(suspect.findings) and any(item.verdict == "discrepancy" for item in items)


class _Faults:
    """The findings of one version of an engine, and what they predict about mechanisms."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self._findings = findings
        self._made: dict[tuple[object, ...], Prediction] = {}

    def acting(self, mechanism: Mechanism, quantities: Collection[str]) -> list[Finding]:
        """Those that concern one of the quantities."""
        return [one for one in self._findings if self._of([one], mechanism).names & {*quantities}]

    def removed(self, findings: Sequence[Finding], mechanism: Mechanism, loaded: Loaded) -> Loaded:
        """``loaded``, whose answers are without what these findings predict."""
        return LoadedInProcess(self._of(findings, mechanism).without(Methods(loaded)), mechanism)

    def _of(self, findings: Sequence[Finding], mechanism: Mechanism) -> Prediction:
        key = (*(one.name for one in findings), mechanism.name, mechanism.fingerprint)
        if key not in self._made:
            self._made[key] = Prediction(findings, mechanism)
        return self._made[key]


def _needed(findings: Sequence[Finding], is_right: Callable[[Sequence[Finding]], bool]) -> Finding:
    """The last of the findings without which it is not right. They are listed in the order in which they are undone."""
    for finding in reversed(findings):
        if not is_right([other for other in findings if other is not finding]):
            return finding
    return findings[-1]


class Remembering:
    """What ``loaded`` answers. The answer to a question that was asked before is the earlier one."""

    def __init__(self, loaded: Loaded, case: Case, measured: Sequence[Measured] = ()) -> None:
        """What was ``measured`` at the states of the case was asked before."""
        self._loaded = loaded
        self._answers: dict[tuple[object, ...], Answer] = {}
        for one in measured:
            if one.answer is not None:
                arguments = case.states.arguments(ALL_QUANTITIES[one.cell.quantity].arguments)
                self._answers[_key(one.cell.quantity, arguments)] = Answer(one.answer, 0.0)

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


def _key(quantity: str, arguments: Sequence[Array]) -> tuple[object, ...]:
    # Adding zero makes +0 of −0, which is the same position.
    return (quantity, *((x.shape, (np.asarray(x) + 0.0).tobytes()) for x in arguments))


def _known(item: Item, finding: Finding) -> Item:
    return replace(item, verdict="known", message=f"a known fault of this version, see {finding.page}")
