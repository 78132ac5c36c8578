"""A URDF, our readings of it as it is and after the edits that hypotheses are, and where its elements are in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from xml.etree.ElementTree import Element, tostring

from cross_check.read.as_read.rewriting import Misreading, text_of
from cross_check.read.readers.compare import Difference, differences
from cross_check.read.readers.hypotheses import HYPOTHESES
from mechanisms import Mechanism, MechanismError
from mechanisms.files.untrusted_xml import parse_xml, place_of
from mechanisms.files.urdf.reading import reading_of
from mechanisms.reading import Reading

Differences = tuple[Difference, ...]

Elements = tuple[tuple[str, str], ...]
"""Tags and names of links and joints."""


@dataclass(frozen=True)
class Misread:
    """A hypothesis about these elements of a file."""

    hypothesis: Misreading
    elements: Elements


class File:
    """A URDF and our readings of it as it is and after edits. Raises :class:`MechanismError` if we refuse it."""

    def __init__(self, text: str, free_base: bool) -> None:
        self.text, self.free_base = text, free_base
        self.reading, self.mechanism = reading_of(text, free_base)
        self._robot = parse_xml(with_lines_kept(text), "robot", "URDF")
        self._read: dict[tuple[tuple[str, Elements], ...], tuple[Reading | None, Mechanism | None]] = {}

    @cached_property
    def places(self) -> dict[tuple[str, str], tuple[int, int]]:
        """By tag and name of every link and joint: its line and its column, both from 1."""
        found = {(element.tag, element.get("name", "")): place_of(element) for element in self._robot}
        return {key: (place.line, place.column) for key, place in found.items() if place}

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

    def elements_before(self, joints: Set[str]) -> set[tuple[str, str]]:
        """The links and joints of the file on the ways from the root to moving ``joints``, and what is welded to them.

        All elements, if one of ``joints`` is not a moving joint of ours.
        """
        parents = {joint.name: joint.parent for joint in self.reading.joints}
        ways = {""}
        for joint in joints:
            while joint not in ways and joint in parents:
                ways.add(joint)
                joint = parents[joint]
        every = {(tag, element.get("name", "")) for tag in ("link", "joint") for element in self._robot.findall(tag)}
        if not joints <= {*parents}:
            return every
        return {element for element in every if self._carriers.get(element, "") in ways}

    @cached_property
    def _carriers(self) -> dict[tuple[str, str], str]:
        """The moving joint that carries a link, or that a joint is or is welded to; nothing for what is welded to the root."""
        moving = {joint.name for joint in self.reading.joints}
        above: dict[str, tuple[str, str]] = {}
        for joint in self._robot.findall("joint"):
            ends = [joint.find("child"), joint.find("parent")]
            child, parent = ("" if end is None else end.get("link", "") for end in ends)
            above[child] = joint.get("name", ""), parent
        carriers: dict[tuple[str, str], str] = {}
        for link in above:
            name, parent = above[link]
            way = {link}
            carrier = name
            while carrier not in moving and parent in above and parent not in way:
                way.add(parent)
                carrier, parent = above[parent]
            carriers["link", link] = carriers["joint", name] = carrier if carrier in moving else ""
        return carriers

    def left(self, all_misread: Sequence[Misread], theirs: Reading) -> Differences | None:
        """The differences between the edited file and a reader's reading."""
        reading = self.read_as(all_misread)
        return None if reading is None else differences(reading, theirs)


def _restore(robot: Element, before: Element, kept: Elements) -> None:
    """Undo an edit of all links and joints but those in ``kept``."""
    then = {(child.tag, child.get("name", "")): child for child in before}
    for k, child in enumerate(list(robot)):
        key = (child.tag, child.get("name", ""))
        if child.tag in ("link", "joint") and key in then and key not in kept:
            robot[k] = then[key]


TAGS = re.compile(r"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<[^\s<>!?/"'](?:[^<>"']|"[^"<]*"|'[^'<]*')*>""", re.DOTALL)
"""Comments, sections of plain text, and tags."""


def with_lines_kept(text: str) -> str:
    """The text with references for line ends and tabs in attributes, which a parser of XML turns into spaces otherwise.

    Some readers of URDF are none.
    """

    def kept(tag: re.Match[str]) -> str:
        return tag[0] if tag[0].startswith("<!") else re.sub(r""""[^"]*"|'[^']*'""", _with_references, tag[0])

    return TAGS.sub(kept, text)


def _with_references(value: re.Match[str]) -> str:
    return value[0].replace("\r\n", "\n").replace("\r", "\n").replace("\n", "&#10;").replace("\t", "&#9;")


def changed(before: Element, after: Element) -> list[tuple[str, str]]:
    """Tags and names of the links and joints that an edit of the document has changed, in the order of the document."""
    then = {key: tostring(element) for key, element in _named(after)}
    return [key for key, element in _named(before) if then.get(key) != tostring(element)]


def _named(robot: Element) -> Iterable[tuple[tuple[str, str], Element]]:
    return (((child.tag, child.get("name", "")), child) for child in robot if child.tag in ("link", "joint"))
