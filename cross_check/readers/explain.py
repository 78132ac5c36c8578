"""Explains how a reader takes a file, by repair and retest: with the explanation undone, nothing may differ any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from xml.etree.ElementTree import Element

from cross_check.readers.compare import Difference, differences
from cross_check.readers.hypotheses import HYPOTHESES, Hypothesis
from cross_check.readers.places import changed, places
from cross_check.relations.as_read.rewriting import text_of
from mechanisms import Mechanism, MechanismError
from mechanisms.reading import Reading
from mechanisms.untrusted_xml import parse_xml
from mechanisms.urdf_reading import reading_of

Elements = tuple[tuple[str, str], ...]
"""Tags and names of links and joints."""


@dataclass(frozen=True)
class Misread:
    """A hypothesis about these elements of a file."""

    hypothesis: Hypothesis
    elements: Elements


@dataclass(frozen=True)
class Explained:
    """What explains a reader's differences, and what is left of them."""

    misread: tuple[Misread, ...]
    remaining: tuple[Difference, ...]
    ruled_out: tuple[str, ...]
    """The sentences of the other hypotheses that would change the reading of this file, and do not explain the differences."""


class File:
    """A URDF and our readings of it as it is and after edits. Raises :class:`MechanismError` if we refuse it."""

    def __init__(self, text: str, free_base: bool) -> None:
        self.text, self.free_base = text, free_base
        self.reading, self.mechanism = reading_of(text, free_base)
        self._robot = parse_xml(text, "robot", "URDF")
        self._read: dict[tuple[tuple[str, Elements], ...], tuple[Reading | None, Mechanism | None]] = {}

    @cached_property
    def places(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Where links and joints are in the text."""
        return places(self.text)

    @cached_property
    def candidates(self) -> tuple[Misread, ...]:
        """Every hypothesis that changes a number that readings show, with the elements that it changes."""
        return tuple(one for one, shown in self._tried if shown)

    @cached_property
    def hidden(self) -> tuple[Misread, ...]:
        """Every hypothesis that changes the mechanism, but nothing that readings show."""
        return tuple(one for one, shown in self._tried if not shown)

    @cached_property
    def _tried(self) -> tuple[tuple[Misread, bool], ...]:
        """Every hypothesis that changes what we read from this file, and whether readings show it."""
        found = []
        for hypothesis in HYPOTHESES:
            robot = deepcopy(self._robot)
            try:
                hypothesis.edit(robot)
            except (MechanismError, ValueError):
                continue  # The edit meets text that nobody can read.
            misread = Misread(hypothesis, tuple(changed(self._robot, robot)))
            reading, mechanism = self.read_as([misread]), self.mechanism_as([misread])
            if reading is None or mechanism is None:
                continue
            shown = bool(differences(self.reading, reading))
            if shown or mechanism.fingerprint != self.mechanism.fingerprint:
                found.append((misread, shown))
        return tuple(found)

    def edited(self, all_misread: Iterable[Misread]) -> str:
        """The file as these misreadings, one after the other, take it."""
        robot = deepcopy(self._robot)
        for misread in all_misread:
            before = deepcopy(robot)
            misread.hypothesis.edit(robot)
            _restore(robot, before, misread.elements)
        return text_of(robot)

    def read_as(self, all_misread: Sequence[Misread]) -> Reading | None:
        """Our reading of the edited file; None if we refuse that."""
        return self._read_as(all_misread)[0]

    def mechanism_as(self, all_misread: Sequence[Misread]) -> Mechanism | None:
        """The mechanism of the edited file, with the text of the file as it is; None if we refuse it."""
        mechanism = self._read_as(all_misread)[1]
        source = self.mechanism.read_from
        if mechanism is None or source is None:
            return None
        return replace(mechanism, read_from=replace(source, fingerprint=mechanism.fingerprint))

    def _read_as(self, all_misread: Sequence[Misread]) -> tuple[Reading | None, Mechanism | None]:
        key = tuple((misread.hypothesis.sentence, misread.elements) for misread in all_misread)
        if not key:
            return self.reading, self.mechanism
        if key not in self._read:
            try:
                self._read[key] = reading_of(self.edited(all_misread), self.free_base)
            except (MechanismError, ValueError):
                self._read[key] = None, None
        return self._read[key]

    def left(self, all_misread: Sequence[Misread], theirs: Reading) -> tuple[Difference, ...] | None:
        """The differences between the edited file and a reader's reading."""
        reading = self.read_as(all_misread)
        return None if reading is None else differences(reading, theirs)


def explain(file: File, theirs: Reading) -> Explained:
    """What explains the differences between our reading and ``theirs``."""
    chosen: list[Misread] = []
    left = differences(file.reading, theirs)
    while left:
        best = None
        for one in _narrowed(file, chosen, left, theirs):
            rest = file.left([*chosen, one], theirs)
            if rest is not None and _weight(rest) < _weight(best[0] if best else left):
                best = rest, one
            if best and not best[0]:
                break
        if best is None:
            break
        left = best[0]
        chosen.append(best[1])
    for one in list(chosen):
        fewer = [other for other in chosen if other is not one]
        rest = file.left(fewer, theirs)
        if rest is not None and _weight(rest) <= _weight(left):
            chosen, left = fewer, rest
    named = {one.hypothesis.sentence for one in chosen}
    in_vain = tuple(one.hypothesis.sentence for one in file.candidates if one.hypothesis.sentence not in named)
    return Explained(tuple(chosen), left, in_vain)


def alternatives(file: File, explained: Explained, misread: Misread, theirs: Reading) -> tuple[str, ...]:
    """The sentences of hypotheses that explain as much in place of this one."""
    others = [one for one in explained.misread if one is not misread]
    taken = {one.hypothesis.sentence for one in explained.misread}
    rivals = (one for one in file.candidates if one.hypothesis.sentence not in taken)
    trials = ((file.left([*others, one], theirs), one) for one in rivals)
    return tuple(
        one.hypothesis.sentence for left, one in trials if left is not None and _weight(left) <= _weight(explained.remaining)
    )


def _narrowed(file: File, chosen: Sequence[Misread], left: Sequence[Difference], theirs: Reading) -> Iterator[Misread]:
    """The candidates as they are; then those that explain something at some of their elements and spoil something at others."""
    taken = {one.hypothesis.sentence for one in chosen}
    free = [one for one in file.candidates if one.hypothesis.sentence not in taken]
    yield from free
    for one in free:
        if 1 < len(one.elements) <= MOST_ELEMENTS:
            alone = [(element, file.left([*chosen, Misread(one.hypothesis, (element,))], theirs)) for element in one.elements]
            helping = tuple(element for element, rest in alone if rest is not None and _weight(rest) < _weight(left))
            if 0 < len(helping) < len(one.elements):
                yield Misread(one.hypothesis, helping)


def _weight(left: Sequence[Difference]) -> tuple[int, int]:
    """What is left to explain: lost digits count only where nothing else is left."""
    return sum(not difference.is_digits for difference in left), len(left)


MOST_ELEMENTS = 40
"""A hypothesis about more elements is tried for all of them together only."""


def _restore(robot: Element, before: Element, kept: Elements) -> None:
    """Undo an edit of all links and joints but those in ``kept``."""
    then = {(child.tag, child.get("name", "")): child for child in before}
    for k, child in enumerate(list(robot)):
        key = (child.tag, child.get("name", ""))
        if child.tag in ("link", "joint") and key in then and key not in kept:
            robot[k] = then[key]
