"""What every output lists: one entry per cause, with the cells that it explains.

:func:`entries` gives the list in the order in which it is shown. An entry with a ``cause`` shows that
:class:`cross_check.exchange.results.causes.Cause`. An entry without one stands for the cells of one implementation that nothing
explains yet, one entry per family of quantities, or for a known finding. An entry says itself in plain text, which every output
escapes in its own way.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from cross_check.exchange.results.causes import Cause, Example
from cross_check.exchange.results.failures import kind_of_failure, severity
from cross_check.exchange.results.objects import INFINITE, Cell, Invariant, Item, Results, name_of
from cross_check.exchange.results.tally import ENGINE_NAMES, OWN
from reports.reproduction import reproduce
from reports.summary import pattern, reason
from reports.words import PROBLEMS, VERDICTS, Word, count, family, number, one_line, symbol, title, units, verdict

Tone = Literal["discrepancy", "failed", "known"]

NAMED = 6
"""Quantities, mechanisms, experiments and other sentences that are named; the rest is counted."""

_PAGE = re.compile(r"docs/findings/\S+\.md")


@dataclass(frozen=True)
class Answer:
    """One number of an answer. ``component`` is empty if it is the whole answer, ``unit`` where it is not known."""

    quantity: str
    component: str
    got: float
    expected: float
    unit: str = ""

    @property
    def share(self) -> float | None:
        """The difference divided by the expected size; None where that is no number."""
        share = abs(self.got - self.expected) / abs(self.expected) if self.expected else math.inf
        return share if share < INFINITE and abs(self.got) < INFINITE else None

    @property
    def percent(self) -> str:
        """The share as "34 %"; empty if it is unknown or the difference is ten times the expected size."""
        if self.share is None or self.share >= 10:
            return ""
        return f"{100 * self.share:{'.0f' if self.share >= 0.995 else '.2g'}} %"

    def numbers(self, digits: int) -> tuple[str, str]:
        """Got and expected with so many digits, or in full precision if they would look the same."""
        got, expected = (f"{x:.{digits}g}" if abs(x) < INFINITE else number(x) for x in (self.got, self.expected))
        return (got, expected) if got != expected else (number(self.got), number(self.expected))


@dataclass(frozen=True)
class CauseEntry:
    """A cause with the cells and invariants that it explains, or such items without a cause; and what to show about it.

    The texts are printable and on one line.
    """

    results: Results
    id: str
    """``implementation/word``, distinct within a run."""
    implementation: str
    tone: Tone
    """How pages mark it; "known" is never shown as a problem."""
    sentence: str
    """What is wrong, without a full stop; it need not name the implementation."""
    items: tuple[Item, ...]
    """The cells and invariants that it explains, in the order of the run."""
    cause: Cause | None = None
    page: str = ""
    """Of a known finding: the path of its page."""

    @cached_property
    def total(self) -> int:
        """How many items of the implementation have the verdicts of these, so that "35 of 35" can be said."""
        kinds = {(item.implementation, item.verdict) for item in self.items}
        return sum((item.implementation, item.verdict) in kinds for item in self.results.items)

    @cached_property
    def mechanisms(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.mechanism for item in self.items))

    @cached_property
    def quantities(self) -> tuple[str, ...]:
        """Names of quantities, and of invariants."""
        return tuple(dict.fromkeys(map(name_of, self.items)))

    @cached_property
    def matrix(self) -> tuple[tuple[Item | None, ...], ...]:
        """An item or nothing for every one of :attr:`mechanisms` (rows) and :attr:`quantities` (columns)."""
        found = {(item.mechanism, name_of(item)): item for item in self.items}
        return tuple(tuple(found.get((row, column)) for column in self.quantities) for row in self.mechanisms)

    @property
    def place(self) -> str:
        """Where the user's project computes what is wrong: "my_dynamics.py:12", of the worst cell that says it; else empty."""
        places = (item.place for item in (self.worst, *self.items) if isinstance(item, Cell))
        return next(filter(None, places), "")

    @property
    def worst(self) -> Item | None:
        """The item with the largest error; None if a cause explains nothing that this run compared."""
        return max(self.items, key=_error, default=None)

    @property
    def example(self) -> Example | None:
        """The cause's smallest example."""
        return self.cause.example if self.cause else None

    @property
    def answer(self) -> Answer | None:
        """The number that is most wrong: in the smallest example, otherwise in the worst cell that has numbers."""
        example = self.example
        if example and example.got and len(example.got) == len(example.expected) == len(example.components) == len(example.units):
            k = max(range(len(example.got)), key=lambda k: _distance(example.got[k], example.expected[k]))
            name = example.components[k] if len(example.got) > 1 else example.components[k].removeprefix(title(example.quantity))
            return Answer(example.quantity, name, example.got[k], example.expected[k], example.units[k])
        cell = max((item for item in self.items if isinstance(item, Cell) and item.worst), key=_error, default=None)
        worst = cell.worst if cell else None
        return Answer(cell.quantity, worst.coordinate, worst.got, worst.expected) if cell and worst else None

    @property
    def word(self) -> Word:
        """The verdict in a word."""
        return VERDICTS[self.tone] if self.cause or not self.worst else verdict(self.worst)

    @property
    def title(self) -> str:
        """The sentence; it names the implementation."""
        name, title = one_line(self.implementation, 60), one_line(self.sentence, 500)
        # The name of a file in the sentence does not name the implementation.
        is_named = re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", title, re.IGNORECASE)
        return title if is_named else f"{name}: {title}"

    @property
    def facts(self) -> tuple[str, ...]:
        """Lines: the answer, the error, how it is known, what else is possible, what to do, and last the cells."""
        return self._lines(*_size(self), *(_reasons(self.cause) if self.cause else []))

    @property
    def brief(self) -> tuple[str, ...]:
        """Those of the lines that say what is wrong and where, for a long list."""
        return self._lines()

    def _lines(self, *how: str) -> tuple[str, ...]:
        return tuple(one_line(fact, 1000) for fact in (*_got(self), *how, *_where(self)))

    @property
    def command(self) -> str:
        """The command that shows it again; empty if the run compared nothing that it explains."""
        return one_line(reproduce(self.results, self.worst), 2000) if self.worst else ""

    @property
    def text(self) -> str:
        """The facts and the command, a line each."""
        return "\n".join([*self.facts, self.command])


def entries(results: Results) -> list[CauseEntry]:
    """One entry per cause, then per group of items that disagree or failed without a cause, then per known finding.

    Within these, users' code comes before engines and these before our own implementations; gross errors come before small
    ones; certain causes come before uncertain ones; then what explains more items comes first. No item that disagrees, failed or
    is known is left out.
    """
    same: dict[tuple[str, str], list[Cause]] = {}
    for cause in results.causes:  # Causes that say the same, each about other mechanisms, share an entry.
        same.setdefault((cause.id, cause.sentence), []).append(cause)
    found = [_of_cause(results, causes) for causes in same.values()]
    explained = {item.id for entry in found for item in entry.items}
    rest = (item for item in results.items if item.id not in explained)
    found += _grouped(results, (item for item in rest if item.verdict in (*PROBLEMS, "known")))
    specs = {entry.name: entry.spec for entry in results.implementations}

    def order(entry: CauseEntry) -> tuple[bool, bool, int, int, bool, int]:
        spec = specs.get(entry.implementation, entry.implementation)
        uncertain = entry.cause is None or not entry.cause.is_certain
        grave = severity(item.error for item in entry.items)
        return entry.tone == "known", entry.cause is None, rank(spec), -grave, uncertain, -len(entry.items)

    return sorted(found, key=order)


def sections(results: Results) -> Iterator[tuple[str, list[CauseEntry]]]:
    """The entries below their headings: problems, then known findings. A heading without entries is left out."""
    found = entries(results)
    for heading, is_known in (("Problems", False), ("Known findings", True)):
        if shown := [entry for entry in found if (entry.tone == "known") is is_known]:
            yield heading, shown


def rank(spec: str) -> int:
    return 2 if spec in OWN else 1 if spec in ENGINE_NAMES else 0


def _of_cause(results: Results, same: Sequence[Cause]) -> CauseEntry:
    cause, cells = same[0], {name for one in same for name in one.cells}
    items = tuple(item for item in results.items if item.id in cells)
    tone: Tone = "known" if cause.is_known else "failed" if cause.kind == "failed" else "discrepancy"
    return CauseEntry(results, cause.id, cause.implementation, tone, cause.sentence, items, cause, cause.page)


def _grouped(results: Results, items: Iterable[Item]) -> Iterator[CauseEntry]:
    groups: dict[tuple[str, str, str], list[Item]] = {}
    for item in items:
        groups.setdefault((item.implementation, item.verdict, _group(item)), []).append(item)
    for (implementation, judged, name), group in groups.items():
        tone: Tone = "known" if judged == "known" else "failed" if judged == "failed" else "discrepancy"
        page = name if tone == "known" and _PAGE.fullmatch(name) else ""
        sentence, id = _sentence(results, max(group, key=_error)), f"{implementation}/{judged}: {name}"
        yield CauseEntry(results, id, implementation, tone, sentence, tuple(group), page=page)


def _group(item: Item) -> str:
    """What the items without a cause that share an entry have in common."""
    match item.verdict:
        case "known":
            page = _PAGE.search(item.message)
            return page[0] if page else item.message
        case "failed":
            return kind_of_failure(item)
    return family(item.quantity) if isinstance(item, Cell) else "invariants"


def _sentence(results: Results, worst: Item) -> str:
    """The entry's sentence, made from its worst item."""
    if worst.verdict != "discrepancy":
        return reason(results, worst)
    what = f"disagrees with the truth in {family(worst.quantity)}" if isinstance(worst, Cell) else f"{worst.name} is broken"
    where = f" in {worst.worst.coordinate}" if isinstance(worst, Cell) and worst.worst and worst.worst.coordinate else ""
    more = [worst.message, pattern(results, worst) if isinstance(worst, Cell) else ""]
    return "; ".join([f"{what}, most on {worst.mechanism}{where}", *filter(None, more)])


def _error(item: Item) -> float:
    return -1.0 if item.error is None else item.error


def _distance(got: float, expected: float) -> float:
    return abs(got - expected) if math.isfinite(got) else math.inf


def _got(entry: CauseEntry) -> list[str]:
    """The answer in physical units."""
    answer, example = entry.answer, entry.example
    on = f"smallest example ({example.bodies} {'body' if example.bodies == 1 else 'bodies'}): " if example else ""
    return [on + _answer(answer)] if answer and entry.tone != "known" else []


def _size(entry: CauseEntry) -> list[str]:
    """The error in ε-units."""
    if not entry.worst or entry.worst.error is None:
        return []
    return [f"the largest error is {units(entry.worst.error)} ε-units; up to {units(entry.results.settings.bar)} agrees"]


def _where(entry: CauseEntry) -> Iterator[str]:
    """What the code printed, the line at fault, the finding, and the cells."""
    worst = entry.worst
    if isinstance(worst, Cell) and worst.output and entry.tone != "known":
        yield f"it printed: {worst.output}"
    if entry.cause and (mend := entry.cause.mend):
        yield "; ".join([*(f"{one.file}:{one.line}: write `{one.after}` for `{one.before}`" for one in mend.changes), mend.proof])
    elif entry.place:
        yield f"the function begins at {entry.place}"
    if entry.page and entry.page not in entry.sentence:
        yield f"see {entry.page}"
    yield cells(entry)


def _reasons(cause: Cause) -> list[str]:
    """How the cause is known, what else is possible, and what to do."""
    elsewhere = f", on {count(cause.elsewhere, 'mechanism')} with general numbers, too" if cause.elsewhere else ""
    agreed = f"and experiments agree with what this cause predicts{elsewhere}"
    return [
        *_listed("evidence: ", [f"{one.asked}: {one.seen}" for one in cause.evidence]),
        *([f"{count(cause.tried, 'cell')} {agreed}"] if cause.tried else []),
        *_listed("it may also be: ", cause.alternatives),
        *_listed("ruled out: ", cause.ruled_out if cause.kind == "unknown" else ()),
        *_listed("not tried: ", cause.untried),
        # A line that mends the code is the remedy.
        *_listed("remedy: ", [cause.remedy] if cause.remedy and not cause.mend else ()),
    ]


def cells(entry: CauseEntry) -> str:
    """The items that it explains: "35 of 35 cells: τ, M on ur5, panda"."""
    if not entry.items:
        return "no cell of this run"
    both = " and invariants" if any(isinstance(item, Invariant) for item in entry.items) else ""
    what = f"{len(entry.items)} of {count(entry.total, 'cell')}{both}"
    return f"{what}: {_some([*map(symbol, entry.quantities)])} on {_some(entry.mechanisms)}"


def _answer(answer: Answer) -> str:
    """ "τ at elbow: got -2259 N m, expected -3406 N m (34 % off)"."""
    where = f"{symbol(answer.quantity)} at {answer.component}" if answer.component else symbol(answer.quantity)
    unit = f" {answer.unit}" if answer.unit else ""
    got, expected = answer.numbers(6)
    off = f"{answer.percent} off" if answer.percent else f"off by {units(answer.share)} times its size"
    return f"{where}: got {got}{unit}, expected {expected}{unit}" + (f" ({off})" if answer.share is not None else "")


def _listed(label: str, sentences: Sequence[str]) -> list[str]:
    return [label + _some(sentences, "; ")] if sentences else []


def _some(names: Sequence[str], separator: str = ", ") -> str:
    """The first names, and how many there are more."""
    shown = [one_line(name) for name in names[:NAMED]]
    return separator.join(shown) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
