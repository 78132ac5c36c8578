"""The attributes of an element of MJCF, with those of its class of defaults."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.placing import ORIENTATIONS
from mechanisms.files.untrusted_xml import Located, place_of

MAIN = "main"

IN_PART = ("size", "damping", "stiffness", "gear")
"""Attributes with several numbers, of which the first ones alone may be given."""

ACTUATOR = "general"
"""The elements of actuators, other than this one, are short forms of it, and have their defaults in common."""


class Defaults:
    """The classes of defaults of a model. Raises :class:`MechanismError` for a class that is declared twice."""

    def __init__(self, sections: Iterable[Element], actuators: Iterable[str]) -> None:
        self._actuators = set(actuators)
        self._classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for section in sections:
            if section.get("class", MAIN) != MAIN:
                raise MechanismError("the class of the outermost <default> is not 'main'; leave it out", place_of(section))
            self._read(section, MAIN)

    def _read(self, section: Element, name: str) -> None:
        own, seen = self._classes[name], set[str]()
        for element in section:
            if element.tag != "default":
                if element.tag in seen:
                    words = f"a second <{element.tag[:40]}> is in one <default>; make one of both"
                    raise MechanismError(words, place_of(element))
                seen.add(element.tag)
                kind = self._kind(element.tag)
                own[kind] = merged(own.get(kind, {}), element)
        for element in section.findall("default"):
            below = element.get("class", "")
            if not below or below in self._classes:
                words = f"{below[:60]!r} is used twice" if below else "has no name"
                raise MechanismError(f"a class of <default> {words}; give it another", place_of(element))
            self._classes[below] = dict(own)
            self._read(element, below)

    def _kind(self, tag: str) -> str:
        return ACTUATOR if tag in self._actuators else tag

    def checked(self, name: str, element: Element) -> str:
        """The name of a class. Raises :class:`MechanismError` if there is none."""
        if name not in self._classes:
            raise MechanismError(
                f"<{element.tag}> has the class {name[:60]!r}, which no <default> declares; correct it", place_of(element)
            )
        return name

    def complete(self, element: Element, around: str = MAIN, tag: str = "") -> Element:
        """The element with its own attributes, and the others of its class; of the class ``around`` if it names none.

        ``tag`` is that of its defaults, if they have another.
        """
        name = self.checked(element.get("class", around), element)
        whole = Located(element.tag, merged(self._classes[name].get(self._kind(tag or element.tag), {}), element))
        whole.place = place_of(element)
        whole.extend(element)
        return whole


def merged(inherited: dict[str, str], element: Element) -> dict[str, str]:
    """The attributes of an element in the place of inherited ones."""
    turned = any(name in element.attrib for name in ORIENTATIONS)
    kept = {name: text for name, text in inherited.items() if not (turned and name in ORIENTATIONS)}
    for name in IN_PART:
        if name in kept and name in element.attrib:
            given, before = element.attrib[name].split(), kept[name].split()
            kept[name] = " ".join([*given, *before[len(given) :]])
    return {**element.attrib, **{name: text for name, text in kept.items() if name not in element.attrib or name in IN_PART}}
