"""Causes that need no experiments: the run itself has found them.

These are failures, known findings, answers that depend on earlier calls, and numbers of the mechanism that explain all errors of
a quantity, by a fit (:mod:`cross_check.judge.sharpness.judged`). The errors of the last may be within the bar: they are
systematic.

Code may compute in less precision than float64 and not declare it. All answers of float32 code are float32 numbers, and answers
of float64 code are not. So the precision is measured, and the code is judged again as code of that precision. What agrees then
has this one cause. What disagrees has another one, which is sought as if the precision were declared: with states that are
numbers of it, and with its ε. Code that rounds only its answers is another matter: they are the right ones, rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from cross_check.entry import Entry
from cross_check.exchange.recorded_data.subject import Recorded
from cross_check.exchange.results.causes import Cause, Observation
from cross_check.exchange.results.failures import kind_of_failure
from cross_check.exchange.results.objects import INFINITE, NOT_READ, RIGHT, Cell, Invariant, Item, Sharpness, name_of
from cross_check.explain.diagnosis.laboratory import Run
from cross_check.explain.diagnosis.words import identifier
from cross_check.explain.faults.readings.rounded import written
from cross_check.explain.findings.known import findings_of
from cross_check.judge.comparison.case import Model
from cross_check.judge.comparison.measure import measure
from cross_check.judge.comparison.sampling import BLOCK, Block, sample
from cross_check.judge.history.calls import Call
from cross_check.judge.history.check import History
from cross_check.judge.history.replay import BY_BATCH, BY_PROCESS
from cross_check.judge.relations.invariants import INVARIANTS
from cross_check.judge.relations.readings import BY_RELATION
from cross_check.judge.settings import Settings
from cross_check.memory import Array
from implementations.languages import command, shared_library
from implementations.plugins.registry import BUILT_IN
from implementations.processes.subject import Failure
from implementations.protocol import Unsupported
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.plain_text import count, one_line
from mechanisms.quantities import QUANTITIES

OF_NUMBERS = "compare this number with the file, digit by digit"
REMEDIES = {
    "history": "let every answer depend on its arguments alone: keep nothing, or find it by all arguments and the mechanism",
    "process": "sort what comes out of a set, and fix the seed of every generator of random numbers",
    "batch": "let the answer to a state depend on this state alone, wherever it stands in a batch, and however large that is",
}
"""By what an answer depends on: what to do about it."""

PROVEN = ("the array returned for", "it has the bits of", "is the same for another mechanism")
"""Words with which a sentence itself names what is kept: an array that is used again, an earlier answer, a mechanism's name."""


def failures(entry: Entry, items: Sequence[Item]) -> Iterator[Cause]:
    """One cause for every kind of failure."""
    failed = [item for item in items if item.verdict == "failed"]
    groups: dict[str, list[Item]] = {}
    for item in failed:
        groups.setdefault(kind_of_failure(item), []).append(item)
    for group in groups.values():
        message = group[0].message
        said = f"In {entry.name}, {_about_files(group, failed)}{one_line(message)}"
        yield Cause(identifier(entry.name, message), entry.name, "failed", said, tuple(item.id for item in group))


def _about_files(group: Sequence[Item], failed: Sequence[Item]) -> str:
    """On which files the reader fails, if the code fails in this way on these alone."""
    rewritings = list(dict.fromkeys(BY_RELATION.get(name_of(item)) for item in group))
    first, message = rewritings[0], group[0].message
    cells = any(isinstance(item, Cell) and item.message.startswith(message) for item in failed)
    if not first or None in rewritings or cells or message == NOT_READ:
        return ""
    others = f", and on {count(len(rewritings) - 1, 'other')}" if len(rewritings) > 1 else ""
    return f"the reader fails on files in which {first.exercises}{others}: "


def known_findings(entry: Entry, items: Sequence[Item]) -> Iterator[Cause]:
    """One cause for every known finding that shows."""
    for finding in findings_of(entry.subject.engine, entry.version):
        if cells := [item.id for item in items if item.verdict == "known" and finding.page in item.message]:
            yield Cause(
                f"{entry.name}/{finding.name}",
                entry.name,
                "known",
                finding.title,
                tuple(cells),
                page=finding.page,
                text=finding.text,
            )


def systematic_causes(implementation: str, cells: Sequence[Cell]) -> Iterator[Cause]:
    """One cause for every mechanism and number that explains the errors of these cells."""
    groups: dict[tuple[str, str], list[tuple[Cell, Sharpness]]] = {}
    for cell in cells:
        if cell.sharpness and cell.verdict == "discrepancy":
            groups.setdefault((cell.mechanism, cell.sharpness.number), []).append((cell, cell.sharpness))
    for (mechanism, number), group in groups.items():
        worst, sharpness = max(group, key=lambda one: one[1].needed)
        within = "; every error is within the bar, but they are systematic" if worst.message else ""
        asked = f"which errors of the numbers of {mechanism} explain the errors of {worst.quantity} at all states"
        seen = Observation(asked, _explaining(sharpness))
        yield Cause(
            identifier(implementation, f"{mechanism} {number or 'systematic'}"),
            implementation,
            "model" if number else "unknown",
            f"In {implementation}, {sharpness.sentence} on {mechanism}{within}",
            tuple(cell.id for cell, _ in group),
            where=(number,) if number else (),
            tried=len(group),
            evidence=(seen,),
            remedy=OF_NUMBERS if number else "",
        )


def _explaining(sharpness: Sharpness) -> str:
    """Which errors of numbers explain those of the answers."""
    if sharpness.number:
        return f"this one, by {sharpness.amount}"
    if sharpness.needed < INFINITE:
        return f"all numbers together, by {sharpness.needed:.3g} ε of their sizes"
    return "none, not even those of all numbers together"


def cause_of_history(history: History, implementation: str, mechanism: str, cells: Sequence[str]) -> Cause | None:
    """The cause that the experiment :func:`cross_check.judge.history.check.ask_again` has found on one mechanism; None if it
    agrees.

    ``cells`` are the ids of the cells and invariants that it explains. The words name the two calls, where they were found: what
    was asked, what was asked before it, and by how much the answers differ.
    """
    if history.verdict != "discrepancy":
        return None
    message, pair = history.message, history.pair
    first, *_ = message.split("; ")
    way = "process" if BY_PROCESS in message else "batch" if BY_BATCH in message else "history"
    evidence = [Observation(f"on {mechanism}, every quantity again", message)]
    alternatives: tuple[str, ...] = ()
    sentence, term = f"answers depend on what was called before{f': {first}' if first else ''}", ""
    if way == "process":
        sentence, off = message, f"off by {history.difference:.2g} ε-units"
        evidence = [Observation(f"on {mechanism}, the same first question in two processes", off)]
    elif way == "batch":
        sentence = f"answers depend on the batch that is asked: {first}"
    elif pair:
        before = "the same call, in the batch of all states"
        if pair.before is not None:
            before = f"the same call after {getattr(pair.before, 'text', pair.before)}"
        evidence.append(Observation(f"{pair.target.text}, asked first", "one answer"))
        evidence.append(Observation(before, f"off from it by {pair.units:.2g} ε-units"))
        term = pair.target.quantity
        sentence = f"{term} depends on what was called before: {_kind(pair.target, pair.before)}"
    elif not any(words in message for words in PROVEN):
        alternatives = ("answers may be random: ask the same question many times in a fresh process, first of all",)
    return Cause(
        id=f"{implementation}/{way}",
        implementation=implementation,
        kind="history" if way == "history" else "condition",
        sentence=sentence,
        cells=tuple(cells),
        term=term,
        tried=len(evidence),
        evidence=tuple(evidence),
        alternatives=alternatives,
        remedy=REMEDIES[way],
    )


def _kind(target: Call, before: object) -> str:
    """What the earlier call has in common with the later one."""
    if before is None:
        return "a state alone has another answer than in the batch of all states"
    if not isinstance(before, Call):
        return "loading another mechanism changes the answer, so that something is shared between mechanisms"
    if before.quantity != target.quantity:
        return f"asking {before.quantity} changes the answer"
    if before.text == target.text:
        return "the same call gives another answer the second time"
    if len(before.states) != len(target.states):
        return "a batch of another size changes the answer"
    same = [name for name in ("q", "v", "a", "tau") if (getattr(before.states, name) == getattr(target.states, name)).all()]
    if "q" in same:
        return "a call with the same q and other rates changes the answer"
    return "a call at another state changes the answer"


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

    def judged(self, items: Sequence[Item]) -> list[Item]:
        """The items with these cells."""
        cells, broken = {cell.id: cell for cell in self.cells}, self.broken if self.is_right else ()
        return [replace(one, verdict="agrees") if one.id in broken else cells.get(one.id, one) for one in items]


def undeclared(run: Run) -> Undeclared | None:
    """What is different in the precision in which the code computes; None if that is the one in which it is judged."""
    entry, settings = run.entry, run.settings
    declares = entry.subject.precision or entry.spec in BUILT_IN or settings.precision != FLOAT64.name
    if declares or isinstance(entry.subject, Recorded) or settings.given is not None:
        return None
    every = [item for item in run.items if item.verdict == "discrepancy"]
    wrong = [item for item in every if isinstance(item, Cell) and item.quantity in QUANTITIES]
    trees = {mechanism.name: mechanism.tree for _, mechanism in run.mechanisms}
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
