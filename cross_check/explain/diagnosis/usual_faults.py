"""The causes of answers that experiments cannot explain: they are compared with those of code with one of the usual faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.results.causes import Cause, Example
from cross_check.exchange.results.objects import COMPARED, Cell
from cross_check.explain.diagnosis.words import extent, identifier
from cross_check.judge.comparison.case import Case
from cross_check.judge.comparison.judgements import compare
from cross_check.judge.comparison.sampling import BLOCK
from cross_check.judge.error_scale.sizes import in_epsilons
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.conventions.declared import acting
from implementations.processes.subject import Failure, Loaded
from implementations.protocol import Unsupported
from mechanisms import Mechanism
from mechanisms.quantities import ALL_QUANTITIES

STATES = 18
"""One state of every kind. If the code is right at these, all states of the run are asked."""

ANOTHER = "one fault that explains what is wrong in another way, too; no usual fault does"

NEAR = 1e-12
"""How near to the error that a fault makes the code's error is, relative to it, beside the bar."""


class Named(Protocol):
    """One way to be wrong. ``name`` completes the sentence "The code is wrong in this: …"."""

    @property
    def name(self) -> str: ...


class UsualFault(Named, Protocol):
    """One way to be wrong, with what code that has it answers."""

    def answer(self, mechanism: Mechanism, quantity: str, *arguments: Array) -> Array:
        """What code with this fault answers (batch, …)."""


@dataclass(frozen=True)
class UsualFaults:
    """What is usually wrong with quantities of one group, and what to say if it is something else."""

    faults: Sequence[UsualFault]
    case: Callable[[Mechanism, Settings, int], Case]
    """So many states at which the code is asked again."""
    group: str
    otherwise: str
    """A sentence without a full stop."""
    remedy: str
    example: Callable[[Entry, Any, str, Array, str], Example | None] = lambda *wrong: None
    """The example of a wrong answer (batch, …) at the states of a case, with the sentence that says what is wrong; or None."""

    def causes(self, entry: Entry, cells: Sequence[Cell], mechanisms: Sequence[Mechanism], settings: Settings) -> Iterator[Cause]:
        """The causes of those of the ``cells`` that disagree."""
        found: dict[str, list[Cell]] = {}
        known: dict[str, tuple[Case, dict[str, Array]]] = {}
        for mechanism in mechanisms:
            wrong = [cell for cell in cells if cell.mechanism == mechanism.name and cell.verdict == "discrepancy"]
            asked = self._asked(entry, mechanism, wrong, settings, STATES) if wrong else None
            if asked and any(_is_right(asked[0], quantity, answer, settings.bar) for quantity, answer in asked[1].items()):
                asked = self._asked(entry, mechanism, wrong, settings, max(STATES, min(settings.states, BLOCK)))
            known |= {mechanism.name: asked} if asked else {}
            for name, explained in self._shared(asked, wrong, settings.bar) if wrong else ():
                found.setdefault(name, []).extend(explained)
        for name, explained in found.items():
            ids = tuple(cell.id for cell in explained)
            contradicting = self._contradicting(name, explained, cells, known, settings.bar) if name else []
            said = f"{name}{extent(explained, contradicting)}" if name else self.otherwise
            shown = self._shown(entry, explained, known, said)
            if name:
                unknown = {cell.id for cell in found.get("", ())}
                more = (ANOTHER,) if any(cell.id in unknown for cell in contradicting) else ()
                id_ = identifier(entry.name, said)
                yield Cause(id_, entry.name, "term", said, ids, self.group, tried=len(ids), alternatives=more, example=shown)
            else:
                concerned = ((one, cell.quantity) for cell in explained for one in mechanisms if one.name == cell.mechanism)
                declares = next(filter(None, (acting(entry.subject.declares, one, [name]) for one, name in concerned)), "")
                remedy = f"correct what it declares ({declares}) if that is wrong; {self.remedy}" if declares else self.remedy
                yield Cause(identifier(entry.name, said), entry.name, "unknown", said, ids, remedy=remedy, example=shown)

    def _shared(
        self, asked: tuple[Case, dict[str, Array]] | None, cells: Sequence[Cell], bar: float
    ) -> Iterable[tuple[str, Sequence[Cell]]]:
        """The cells by the fault that explains them; no fault explains code that does not answer again."""
        if not asked:
            return [("", cells)]
        case, answers = asked
        return shared_among(
            self.faults, cells, lambda fault, cell: explains(fault, case, cell.quantity, answers[cell.quantity], bar)
        )

    def _contradicting(
        self,
        name: str,
        explained: Sequence[Cell],
        cells: Sequence[Cell],
        known: Mapping[str, tuple[Case, dict[str, Array]]],
        bar: float,
    ) -> list[Cell]:
        """The cells where the fault predicts errors that the code has not, on the mechanisms that were asked again."""
        (fault,) = (fault for fault in self.faults if fault.name == name)
        rest = (cell for cell in cells if cell not in explained and cell.mechanism in known and cell.verdict in COMPARED)
        return [cell for cell in rest if _shows(fault, known[cell.mechanism][0], cell.quantity, bar)]

    def _shown(
        self, entry: Entry, cells: Sequence[Cell], known: Mapping[str, tuple[Case, dict[str, Array]]], said: str
    ) -> Example | None:
        """The example of the smallest mechanism, and of the first quantity there that has one right answer."""
        answered = [cell for cell in cells if cell.mechanism in known]
        for cell in sorted(answered, key=lambda cell: known[cell.mechanism][0].mechanism.nv):
            case, answers = known[cell.mechanism]
            if found := self.example(entry, case, cell.quantity, answers[cell.quantity], said):
                return found
        return None

    def _asked(
        self, entry: Entry, mechanism: Mechanism, cells: Sequence[Cell], settings: Settings, states: int
    ) -> tuple[Case, dict[str, Array]] | None:
        """The states, and the code's answers there; None if it does not answer again."""
        try:
            case = self.case(mechanism, settings, states)
            loaded: Loaded = entry.subject.load(mechanism)
            arguments = {name: case.states.arguments(ALL_QUANTITIES[name].arguments) for name in (c.quantity for c in cells)}
            return case, {name: loaded.ask(name, *given).value for name, given in arguments.items()}
        except (Unsupported, Failure):
            return None


def shared_among(
    faults: Sequence[Named], cells: Sequence[Cell], explains: Callable[[Any, Cell], bool]
) -> Iterator[tuple[str, Sequence[Cell]]]:
    """The cells, each with the name of a fault that explains it, or with no name if none does.

    One fault that explains all is likelier than two that explain some. So every fault gets the most that are left.
    """
    while cells:
        name, chosen = "", cells
        for fault in faults:
            explained = [cell for cell in cells if explains(fault, cell)]
            if explained and (not name or len(explained) > len(chosen)):
                name, chosen = fault.name, explained
            if len(explained) == len(cells):
                break
        yield name, chosen
        cells = [cell for cell in cells if cell not in chosen]


def _is_right(case: Case, quantity: str, answer: Array, bar: float) -> bool:
    return bool((compare(case, ALL_QUANTITIES[quantity], answer).units <= bar).all())


def _shows(fault: UsualFault, case: Case, quantity: str, bar: float) -> bool:
    """Whether code with the fault would be wrong."""
    try:
        answer = fault.answer(case.mechanism, quantity, *case.states.arguments(ALL_QUANTITIES[quantity].arguments))
    except np.linalg.LinAlgError:
        return False
    return not _is_right(case, quantity, answer, bar)


def explains(fault: UsualFault, case: Case, quantity: str, answer: Array, bar: float) -> bool:
    """Errors are linear in the answer: the error of the difference is the difference of the errors."""
    declared = ALL_QUANTITIES[quantity]
    try:
        wrong = fault.answer(case.mechanism, quantity, *case.states.arguments(declared.arguments))
    except np.linalg.LinAlgError:
        return False
    got, expected = compare(case, declared, answer), compare(case, declared, wrong)
    units = in_epsilons(got.error - expected.error, got.magnitude)
    return bool((units <= bar + NEAR * got.units).all()) and bool((expected.units > bar).any())
