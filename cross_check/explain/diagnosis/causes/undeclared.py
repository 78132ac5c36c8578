"""Code that computes in less precision than float64 and does not declare it.

All answers of float32 code are float32 numbers, and answers of float64 code are not. So the precision is measured, and the code
is judged again as code of that precision. What agrees then has this one cause. What disagrees has another one, which is sought as
if the precision were declared: with states that are numbers of it, and with its ε. Code that rounds only its answers is another
matter: they are the right ones, rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results.causes import Cause, Observation
from cross_check.exchange.results.objects import RIGHT, Cell, Invariant, Item, Results
from cross_check.exchange.results.plain_text import count
from cross_check.explain.diagnosis.digits.formats import written
from cross_check.explain.diagnosis.words import identifier
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import BLOCK, Block, sample
from cross_check.judge.relations.invariants import INVARIANTS
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.languages import command, shared_library
from implementations.plugins.registry import BUILT_IN
from implementations.processes.subject import Failure
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.quantities import QUANTITIES

Mechanisms = Sequence[tuple[str, Mechanism]]

STATES = 36
"""At so many states of every mechanism the precision is measured."""

ROUNDED_ONCE = 0.9
"""Of answers that are computed in float32, hardly more than half are the right ones, rounded."""


DECLARED = {
    command.PREFIX: """add "precision": "{}" to the program's hello""",
    shared_library.PREFIX: 'export dalembert_precision, which returns "{}",',
}
"""By the beginning of what names code: how it declares a precision."""

OF_PYTHON = 'write precision = "{}" beside the functions'


@dataclass(frozen=True)
class Undeclared:
    """The ``precision`` in which code computes that declares none, and what is different if it had declared it."""

    precision: Precision
    cells: tuple[Cell, ...]
    """Those that disagree, as they are judged in that precision."""
    broken: tuple[str, ...]
    """The ids of the invariants that are broken in float64: they follow from these cells."""
    how: str
    """How such code declares a precision."""

    @property
    def is_right(self) -> bool:
        """Whether nothing disagrees in that precision."""
        return all(cell.verdict in RIGHT for cell in self.cells)

    @property
    def cause(self) -> Cause | None:
        """Why cells disagree that agree in this precision; None if there are none."""
        right = [cell for cell in self.cells if cell.verdict in RIGHT]
        if not right:
            return None
        (entry,), name = {cell.implementation for cell in right}, self.precision.name
        worst = max(cell.error or 0.0 for cell in right)
        said = f"{entry} computes in {name} and does not declare it; as {name} code"
        said += f" it is right in {len(right)} of {count(len(self.cells), 'cell')}, within {worst:.2g} ε-units"
        return Cause(
            identifier(entry, f"{name}-is-not-declared"),
            entry,
            "arithmetic",
            said,
            (*(cell.id for cell in right), *(self.broken if self.is_right else ())),
            tried=sum(len(cell.errors) for cell in right),
            evidence=[Observation(f"the answers at {STATES} states of every mechanism", f"every number is one of {name}")],
            remedy=f"{self.how.format(name)} if that is meant (docs/precision.md), or compute in float64",
        )

    def results(self, results: Results) -> Results:
        """The results with these cells."""
        cells = {cell.id: cell for cell in self.cells}
        broken = self.broken if self.is_right else ()
        invariants = [replace(one, verdict="agrees") if one.id in broken else one for one in results.invariants]
        return replace(results, cells=[cells.get(cell.id, cell) for cell in results.cells], invariants=invariants)


def undeclared(entry: Entry, results: Results, mechanisms: Mechanisms, settings: Settings) -> Undeclared | None:
    """What is different in the precision in which the code computes; None if that is the one in which it is judged."""
    declares = entry.subject.precision or entry.spec in BUILT_IN or settings.precision != FLOAT64.name
    if declares or isinstance(entry.subject, Recorded) or settings.given is not None:
        return None
    every: list[Item] = [item for item in results.items if item.implementation == entry.name and item.verdict == "discrepancy"]
    wrong = [item for item in every if isinstance(item, Cell) and item.quantity in QUANTITIES]
    trees = {mechanism.name: mechanism.tree for _, mechanism in mechanisms}
    answers, right = (np.concatenate(part) for part in zip((np.empty(0),) * 2, *_answers(entry, wrong, trees), strict=True))
    form = written(answers)
    precision = form and form.precision
    is_exact = precision is not None and np.array_equal(precision.nearest(answers), answers)
    if precision is None or not is_exact or (answers == precision.nearest(right)).mean() > ROUNDED_ONCE:
        return None
    cells = tuple(_judged(entry, wrong, trees, precision, settings))
    broken = tuple(item.id for item in every if isinstance(item, Invariant) and item.name in INVARIANTS)
    how = next((how for prefix, how in DECLARED.items() if entry.spec.startswith(prefix)), OF_PYTHON)
    return Undeclared(precision, cells, broken, how)


def _answers(entry: Entry, wrong: Sequence[Cell], trees: dict[str, Mechanism]) -> Iterator[tuple[Array, Array]]:
    """All numbers but zeros that the code answers to the questions that are ``wrong``, and the right ones."""
    for cell in wrong:
        mechanism = trees[cell.mechanism]
        arguments = sample(mechanism, 0, STATES).arguments(QUANTITIES[cell.quantity].arguments)
        with suppress(Unsupported, Failure):
            answer = entry.subject.load(mechanism).ask(cell.quantity, *arguments).value.ravel()
            right = getattr(REFERENCE.load(mechanism), cell.quantity)(*arguments).ravel()
            yield answer[answer != 0], right[answer != 0]


def _judged(
    entry: Entry, wrong: Sequence[Cell], trees: dict[str, Mechanism], precision: Precision, settings: Settings
) -> Iterator[Cell]:
    """The cells as they are judged in this precision, at the first states of the run."""
    for name in dict.fromkeys(cell.mechanism for cell in wrong):
        mechanism = trees[name].in_precision(precision)
        case = Model(mechanism).case(settings.seed, Block(0, min(settings.states, BLOCK)))
        loaded = entry.subject.load(mechanism)
        for cell in wrong:
            if cell.mechanism == name:
                now = measure(case, loaded, entry.name, QUANTITIES[cell.quantity], settings.bar).cell
                yield replace(now, place=cell.place)
