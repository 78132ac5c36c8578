"""An entry of :mod:`reports.causes` in words: plain text that every output escapes in its own way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.results.causes import Cause
from cross_check.results.objects import INFINITE, Cell, Invariant, Results
from reports.causes import Answer, Entry
from reports.reproduction import reproduce
from reports.words import VERDICTS, Word, count, number, one_line, symbol, units, verdict

NAMED = 6
"""Quantities, mechanisms, experiments and other sentences that are named; the rest is counted."""


@dataclass(frozen=True)
class Words:
    """What to show about one entry. Every text is printable and on one line."""

    word: Word
    title: str
    """The sentence, without a full stop; it names the implementation."""
    facts: tuple[str, ...]
    """Lines: the answer, the error, how it is known, what else is possible, what to do, and last the cells."""
    brief: tuple[str, ...]
    """Those of the lines that say what is wrong and where, for a long list."""
    command: str
    """The command that shows it again; empty if the run compared nothing that it explains."""


def words(results: Results, entry: Entry) -> Words:
    """An entry of these results in words."""
    worst = entry.worst
    answer, how = _got(entry), [*_size(results, entry), *(_reasons(entry.cause) if entry.cause else [])]
    where = []
    if isinstance(worst, Cell) and worst.output and entry.tone != "known":
        where.append(f"it printed: {worst.output}")
    if entry.place:
        where.append(f"computed at {entry.place}")
    if entry.page and entry.page not in entry.sentence:
        where.append(f"see {entry.page}")
    where.append(cells(entry))
    command = one_line(reproduce(results, worst), 2000) if worst else ""
    name, title = one_line(entry.implementation, 60), one_line(entry.sentence, 500)
    # The name of a file in the sentence does not name the implementation.
    if not re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", title, re.IGNORECASE):
        title = f"{name}: {title}"
    word = VERDICTS[entry.tone] if entry.cause or not worst else verdict(worst)
    facts, brief = (tuple(one_line(fact, 1000) for fact in lines) for lines in ((*answer, *how, *where), (*answer, *where)))
    return Words(word, title, facts, brief, command)


def _got(entry: Entry) -> list[str]:
    """The answer in physical units."""
    answer, example = entry.answer, entry.cause.example if entry.cause else None
    on = f"smallest example ({example.bodies} {'body' if example.bodies == 1 else 'bodies'}): " if example else ""
    return [on + _answer(answer)] if answer and entry.tone != "known" else []


def _size(results: Results, entry: Entry) -> list[str]:
    """The error in ε-units."""
    if not entry.worst or entry.worst.error is None:
        return []
    return [f"the largest error is {units(entry.worst.error)} ε-units; up to {units(results.settings.bar)} agrees"]


def _reasons(cause: Cause) -> list[str]:
    """How the cause is known, what else is possible, and what to do."""
    agreed = "and experiments agree with what this cause predicts"
    return [
        *_listed("evidence: ", [f"{one.asked}: {one.seen}" for one in cause.evidence]),
        *([f"{count(cause.tried, 'cell')} {agreed}"] if cause.tried else []),
        *_listed("it may also be: ", cause.alternatives),
        *_listed("ruled out: ", cause.ruled_out if cause.kind == "unknown" else ()),
        *_listed("not tried: ", cause.untried),
        *_listed("remedy: ", [cause.remedy] if cause.remedy else ()),
    ]


def cells(entry: Entry) -> str:
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
    got, expected = (f"{x:.6g}" if abs(x) < INFINITE else number(x) for x in (answer.got, answer.expected))
    if got == expected:
        got, expected = number(answer.got), number(answer.expected)
    return f"{where}: got {got}{unit}, expected {expected}{unit}{_off(answer.share)}"


def _off(share: float | None) -> str:
    if share is None:
        return ""
    digits = ".0f" if share > 0.995 else ".2g"
    return f" ({100 * share:{digits}} % off)" if share < 10 else f" (off by {units(share)} times its size)"


def _listed(label: str, sentences: Sequence[str]) -> list[str]:
    return [label + _some(sentences, "; ")] if sentences else []


def _some(names: Sequence[str], separator: str = ", ") -> str:
    """The first names, and how many there are more."""
    shown = [one_line(name) for name in names[:NAMED]]
    return separator.join(shown) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")
