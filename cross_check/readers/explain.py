"""Explains how a reader takes a file, by repair and retest: with the explanation undone, nothing may differ any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

from cross_check.readers.compare import Difference, differences
from cross_check.readers.hypotheses import HYPOTHESES, Hypothesis
from cross_check.readers.places import changed, places
from cross_check.relations.as_read.rewriting import text_of
from mechanisms import MechanismError
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
        self._read: dict[tuple[tuple[str, Elements], ...], Reading | None] = {}

    @cached_property
    def places(self) -> dict[tuple[str, str], tuple[int, int]]:
        """Where links and joints are in the text."""
        return places(self.text)

    @cached_property
    def candidates(self) -> tuple[Misread, ...]:
        """Every hypothesis that changes something that we read from this file, with the elements that it changes."""
        found = []
        for hypothesis in HYPOTHESES:
            robot = deepcopy(self._robot)
            try:
                hypothesis.edit(robot)
            except (MechanismError, ValueError):
                continue  # The edit meets text that nobody can read.
            misread = Misread(hypothesis, tuple(changed(self._robot, robot)))
            reading = self.read_as([misread])
            if reading is not None and differences(self.reading, reading):
                found.append(misread)
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
        key = tuple((misread.hypothesis.sentence, misread.elements) for misread in all_misread)
        if key not in self._read:
            try:
                self._read[key] = reading_of(self.edited(all_misread), self.free_base)[0]
            except (MechanismError, ValueError):
                self._read[key] = None
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
            if rest is not None and len(rest) < (len(best[0]) if best else len(left)):
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
        if rest is not None and len(rest) <= len(left):
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
    return tuple(one.hypothesis.sentence for left, one in trials if left is not None and len(left) <= len(explained.remaining))


def _narrowed(file: File, chosen: Sequence[Misread], left: Sequence[Difference], theirs: Reading) -> Iterator[Misread]:
    """The candidates as they are; then those that explain something at some of their elements and spoil something at others."""
    taken = {one.hypothesis.sentence for one in chosen}
    free = [one for one in file.candidates if one.hypothesis.sentence not in taken]
    yield from free
    for one in free:
        if 1 < len(one.elements) <= MOST_ELEMENTS:
            alone = [(element, file.left([*chosen, Misread(one.hypothesis, (element,))], theirs)) for element in one.elements]
            helping = tuple(element for element, rest in alone if rest is not None and len(rest) < len(left))
            if 0 < len(helping) < len(one.elements):
                yield Misread(one.hypothesis, helping)


MOST_ELEMENTS = 40
"""A hypothesis about more elements is tried for all of them together only."""


def _restore(robot: Element, before: Element, kept: Elements) -> None:
    """Undo an edit of all links and joints but those in ``kept``."""
    then = {(child.tag, child.get("name", "")): child for child in before}
    for k, child in enumerate(list(robot)):
        key = (child.tag, child.get("name", ""))
        if child.tag in ("link", "joint") and key in then and key not in kept:
            robot[k] = then[key]
