"""What the checker says about one entry of the bank, judged against the entry's documented cause."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from cross_check.exchange.results import Results
from cross_check.exchange.results.causes import Cause
from cross_check.exchange.results.objects import Item
from mechanisms import Mechanism
from score.entry import Entry

DISAGREES = ("discrepancy", "failed")

EQUATIONS = {"model", "term", "convention"}
"""Kinds of cause that stand for each other: "no damping" is a term that is left out, or a number that is read as zero."""


@dataclass(frozen=True)
class Verdict:
    """The score of one entry. Of correct code only ``detected`` and ``accusations`` count, and both must be empty."""

    name: str
    group: str
    correct: bool
    detected: bool
    invisible: bool = False
    """Whether the fault was not detected, and the coverage statement says so."""
    located: bool = False
    term: bool = False
    named: bool = False
    uncertain: bool = False
    """Whether the documented cause is listed among the alternatives to another one."""
    accusations: tuple[str, ...] = ()
    """Sentences that blame what is right."""
    said: tuple[str, ...] = ()
    bodies: int | None = None
    seconds: float = 0.0
    reason: str = ""
    """Why the fault was missed, if it was."""
    below: bool = False
    """Whether the fault was not detected, and changes answers by less than the bar in the precision of the code."""

    @property
    def shows(self) -> bool:
        """Whether the fault is to be detected."""
        return not (self.correct or self.invisible or self.below)


def wrong_items(results: Results) -> list[Item]:
    """What disagrees."""
    return [item for item in results.items if item.verdict in DISAGREES]


def judge(entry: Entry, mechanism: Mechanism, results: Results) -> Verdict:
    """The verdict on an entry. ``results`` are those of a check of this entry alone, on its mechanism."""
    causes, seconds = list(results.causes), results.times.total
    wrong = wrong_items(results)
    said = tuple(f"{cause.kind}: {cause.sentence}" for cause in causes)
    if entry.is_correct:
        return _correct(entry, bool(wrong), causes, said, seconds)
    if entry.parts:
        return _several(entry, mechanism, results)
    here = entry.at_fault(mechanism)
    matching = _matching(entry, mechanism, here, causes)
    blamed = [cause for cause in causes if cause.kind != "unknown" and cause not in matching]
    uncertain = [cause for cause in blamed if any(_says(entry, text) for text in cause.alternatives)]
    bodies = [cause.example.bodies for cause in matching or causes if cause.example]
    placed = _is_all(entry, mechanism, here, matching)
    named = placed and all(cause.kind != "unknown" for cause in causes)
    located = placed or any(cause.where and _is_all(entry, mechanism, here, [cause]) for cause in causes)
    detected = bool(wrong)
    return Verdict(
        entry.title,
        entry.group,
        False,
        detected,
        not detected and _is_declared(entry, results),
        located,
        any(_term(entry, cause) for cause in causes if cause.kind != "unknown" or cause.term),
        named,
        bool(uncertain) and not named,
        tuple(f"{cause.kind}: {cause.sentence}" for cause in blamed if cause not in uncertain),
        said,
        min(bodies, default=None),
        seconds,
        "" if named else _reason(detected, causes, blamed, matching),
    )


def _several(entry: Entry, mechanism: Mechanism, results: Results) -> Verdict:
    """Code with several faults: all are to be located and named. What no part documents is an accusation."""
    parts = [judge(part, mechanism, results) for part in entry.parts]
    false = tuple(text for text in parts[0].accusations if all(text in part.accusations for part in parts))
    bodies = [part.bodies for part in parts if part.bodies is not None]
    return replace(
        parts[0],
        name=entry.title,
        group=entry.group,
        located=all(part.located for part in parts),
        term=all(part.term for part in parts),
        named=all(part.named for part in parts),
        accusations=false,
        bodies=min(bodies, default=None),
        reason="; ".join(dict.fromkeys(part.reason for part in parts if part.reason)),
    )


def _correct(entry: Entry, disagrees: bool, causes: Sequence[Cause], said: tuple[str, ...], seconds: float) -> Verdict:
    explained = [c for c in causes if entry.tolerated and c.kind == "arithmetic" and _found(entry.tolerated, c.sentence)]
    accused = tuple(f"{cause.kind}: {cause.sentence}" for cause in causes if cause not in explained)
    if disagrees and not causes:
        accused = ("a discrepancy without a cause",)
    return Verdict(entry.title, entry.group, True, disagrees, accusations=accused, said=said, seconds=seconds)


def is_named(entry: Entry, cause: Cause) -> bool:
    """Whether a cause says what the entry documents: its kind, and every one of its words."""
    kinds = {*entry.kinds, *(EQUATIONS if EQUATIONS & set(entry.kinds) else ())}
    if cause.kind not in kinds:
        return False
    # Of another model, the wrong number and the right one say as much as the words for how it came about.
    values = cause.kind == "model" and "instead of" in cause.sentence and bool(re.search(r"\d", cause.sentence))
    if values:
        return _found(entry.says[0], cause.sentence)
    return _says(entry, f"{cause.sentence}; {cause.term}")


def _says(entry: Entry, text: str) -> bool:
    return all(_found(words, text) for words in entry.says)


def _found(words: str, text: str) -> bool:
    return re.search(words, text, re.IGNORECASE) is not None


def places(mechanism: Mechanism, cause: Cause) -> frozenset[int]:
    """The indices of the bodies that a cause names; a body and its joint are one place. −1 stands for other names."""
    names = {name: i for i, body in enumerate(mechanism.bodies) for name in (body.name, body.joint.name)}
    return frozenset(names.get(name, -1) for name in cause.where)


def _matching(entry: Entry, mechanism: Mechanism, here: frozenset[int], causes: Sequence[Cause]) -> list[Cause]:
    """The causes that say what the entry documents, and blame no other place. A fault of several places may have several."""
    named = [cause for cause in causes if is_named(entry, cause)]
    return [c for c in named if places(mechanism, c) <= here and (c.where or _is_all(entry, mechanism, here, [c]))]


def _is_all(entry: Entry, mechanism: Mechanism, here: frozenset[int], causes: Sequence[Cause]) -> bool:
    """Whether these causes together name exactly what is at fault; a cause without names is everywhere."""
    if unnamed := [cause for cause in causes if not cause.where]:
        return callable(entry.where) or bool(entry.unnamed and _found(entry.unnamed, unnamed[0].sentence))
    return bool(causes) and frozenset().union(*(places(mechanism, cause) for cause in causes)) == here


def _term(entry: Entry, cause: Cause) -> bool:
    return _found(entry.term or entry.says[0], f"{cause.term}; {cause.sentence}")


def _is_declared(entry: Entry, results: Results) -> bool:
    """Whether a fault of the entry's term is among those that the coverage statement calls invisible."""
    return any(
        _says(entry, f"{group}: {name}")
        for coverage in results.coverage
        for group, names in coverage.invisible.items()
        for name in names
    )


def _reason(detected: bool, causes: Sequence[Cause], blamed: Sequence[Cause], matching: Sequence[Cause]) -> str:
    if not detected:
        return "not detected"
    if not causes:
        return "no cause is given"
    if matching:
        return "only a part is explained: " + matching[0].sentence
    if not blamed:
        return "unknown: " + causes[0].sentence
    return f"another cause, or another place, is named: {blamed[0].sentence}"
