"""A file, our readings of it as it is and after the edits that hypotheses are, and where its elements are in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from xml.etree.ElementTree import Element, tostring

from cross_check.read.as_read.declared import HYPOTHESES
from cross_check.read.as_read.rewriting import Misreading, text_of
from cross_check.read.readers.compare import Difference, differences
from mechanisms import Mechanism, MechanismError
from mechanisms.errors import Place
from mechanisms.files.by_form import ROOTS, form_of, read_text
from mechanisms.files.untrusted_xml import parse_xml, place_of
from mechanisms.reading import Reading

Differences = tuple[Difference, ...]

Key = tuple[str, str]
"""The tag and the name of a link or of a joint. Links are called bodies in MJCF."""

Elements = tuple[Key, ...]

ELEMENTS = ("link", "body", "joint", "freejoint")


@dataclass(frozen=True)
class Misread:
    """A hypothesis about these elements of a file."""

    hypothesis: Misreading
    elements: Elements


class File:
    """A file called ``name``, and our readings of it as it is and after edits. Raises :class:`MechanismError` if we refuse it."""

    def __init__(self, text: str, free_base: bool, name: str = "the file") -> None:
        self._given, self.free_base, self.form = text, free_base, form_of(text)
        self.reading, self.mechanism = read_text(text, self.form, name, free_base)
        source = self.mechanism.read_from
        self.text = source.text if source else text
        self._robot = parse_xml(with_lines_kept(text), ROOTS[self.form], self.form.upper())
        self._read: dict[tuple[tuple[str, Elements], ...], tuple[Reading | None, Mechanism | None]] = {}

    @cached_property
    def places(self) -> dict[Key, tuple[int, int]]:
        """By tag and name of every link and joint: its line and its column, both from 1."""
        return {key: (place.line, place.column) for key, place in self._found.values()}

    @cached_property
    def _found(self) -> dict[int, tuple[Key, Place]]:
        """By its number in the document: tag and name of every link and joint, and its place. Names are those of our reader."""
        names = {place: name for (kind, name), place in (self.mechanism.places or {}).items() if kind in ("body", "joint")}
        # Not of the document whose lines were kept: there, lines of attributes are no lines.
        elements = enumerate(parse_xml(self._given, None, self.form.upper()).iter())
        placed = ((k, element.tag, place_of(element)) for k, element in elements if element.tag in ELEMENTS)
        return {k: ((tag, names[place]), place) for k, tag, place in placed if place and place in names}

    def _copy(self) -> tuple[Element, dict[Key, Element]]:
        """The document, and its links and joints by tag and name."""
        robot = deepcopy(self._robot)
        return robot, {self._found[k][0]: element for k, element in enumerate(robot.iter()) if k in self._found}

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
        for hypothesis in HYPOTHESES[self.form]:
            robot, elements = self._copy()
            before = contents(elements)
            try:
                hypothesis.edit(robot)
            except (MechanismError, ValueError):
                continue  # The edit meets text that nobody can read.
            there = {*robot.iter()}
            left = {key for key, element in elements.items() if element in there}
            misread = Misread(hypothesis, tuple(changed(before, contents(elements), left)))
            reading, mechanism = self.read_as([misread]), self.mechanism_as([misread])
            if reading is None or mechanism is None:
                continue
            shown = bool(differences(self.reading, reading))
            if shown or mechanism.fingerprint != self.mechanism.fingerprint:
                found.append((misread, shown))
        return tuple(found)

    def edited(self, all_misread: Iterable[Misread]) -> str:
        """The file as these misreadings, one after the other, take it."""
        robot, elements = self._copy()
        for misread in all_misread:
            before = contents(elements)
            misread.hypothesis.edit(robot)
            for key in elements.keys() - {*misread.elements}:
                _restore(elements[key], before[key], {*elements.values()})
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
                self._read[key] = read_text(self.edited(all_misread), self.form, "the file", self.free_base)
            except (MechanismError, ValueError):
                self._read[key] = None, None
        return self._read[key]

    def elements_before(self, joints: Set[str]) -> set[Key]:
        """The links and joints of the file on the ways from the root to moving ``joints``, and what is welded to them.

        All elements, if one of ``joints`` is not a moving joint of ours.
        """
        parents = {joint.name: joint.parent for joint in self.reading.joints}
        ways = {""}
        for joint in joints:
            while joint not in ways and joint in parents:
                ways.add(joint)
                joint = parents[joint]
        every = {key for key, _ in self._found.values()}
        if not joints <= {*parents}:
            return every
        return {(tag, name) for tag, name in every if self._carriers.get((tag.endswith("joint"), name), "") in ways}

    @cached_property
    def _carriers(self) -> dict[tuple[bool, str], str]:
        """The moving joint that carries a link, or that a joint is or is welded to; nothing for what is welded to the root.

        By whether it is a joint, and by its name."""
        bodies = self.mechanism.bodies
        links = {link.name: bodies[link.body].joint.name for link in self.mechanism.links if link.body >= 0}
        joints = {body.joint.name: links.get(body.name, "") for body in self.mechanism.written or bodies}
        both = ((False, links), (True, joints))
        return {(is_joint, name): carrier for is_joint, some in both for name, carrier in some.items()}

    def left(self, all_misread: Sequence[Misread], theirs: Reading) -> Differences | None:
        """The differences between the edited file and a reader's reading."""
        reading = self.read_as(all_misread)
        return None if reading is None else differences(reading, theirs)


Content = tuple[dict[str, str], str | None, tuple[Element, ...]]
"""Attributes, text, and copies of the children of a link or a joint in which no other one is."""


def contents(elements: Mapping[Key, Element]) -> dict[Key, Content]:
    """What belongs to each of these links and joints, and to none inside it."""
    others = {*elements.values()}
    return {
        key: ({**one.attrib}, one.text, tuple(deepcopy(child) for child in one if others.isdisjoint(child.iter())))
        for key, one in elements.items()
    }


def _restore(element: Element, content: Content, others: Set[Element]) -> None:
    """Undo an edit of a link or a joint, but not of those inside it, which are among ``others``."""
    attributes, element.text, own = content
    element.attrib.clear()
    element.attrib.update(attributes)
    element[:] = [*own, *(child for child in element if not others.isdisjoint(child.iter()))]


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


def changed(before: Mapping[Key, Content], after: Mapping[Key, Content], left: Set[Key]) -> Iterator[Key]:
    """Tags and names of the links and joints that an edit of the document has changed, or has not ``left``, in its order."""
    for key, (attributes, text, children) in before.items():
        now, said, those = after[key]
        same = (attributes, text) == (now, said) and [*map(tostring, children)] == [*map(tostring, those)]
        if not same or key not in left:
            yield key
