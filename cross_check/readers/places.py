"""Where the elements of a URDF are in its text, so that a message can name line and column."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder, tostring

from mechanisms.untrusted_xml import parse_xml


def places(text: str) -> dict[tuple[str, str], tuple[int, int]]:
    """By tag and name of every link and joint: its line and its column, both from 1. Raises :class:`MechanismError`."""
    from defusedxml.ElementTree import DefusedXMLParser

    parse_xml(text, "robot", "URDF")
    # Its target would get elements without their lines, which the parser behind it knows.
    parser: Any = DefusedXMLParser(target=TreeBuilder(), forbid_dtd=True, forbid_entities=True, forbid_external=True)
    seen = _Seen(parser.parser)
    parser.feed(text)
    return seen.places


class _Seen:
    """Follows a parser of Expat, and keeps where the named children of the document's element begin."""

    def __init__(self, expat: Any) -> None:
        self.places: dict[tuple[str, str], tuple[int, int]] = {}
        self._level = 0
        self._expat = expat
        expat.ordered_attributes = False
        expat.StartElementHandler, expat.EndElementHandler = self._start, self._end

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._level += 1
        if self._level == 2 and "name" in attributes:
            place = self._expat.CurrentLineNumber, self._expat.CurrentColumnNumber + 1
            self.places.setdefault((tag, attributes["name"]), place)

    def _end(self, tag: str) -> None:
        self._level -= 1


def changed(before: Element, after: Element) -> list[tuple[str, str]]:
    """Tags and names of the links and joints that an edit of the document has changed, in the order of the document."""
    then = {key: tostring(element) for key, element in _named(after)}
    return [key for key, element in _named(before) if then.get(key) != tostring(element)]


def _named(robot: Element) -> Iterable[tuple[tuple[str, str], Element]]:
    return (((child.tag, child.get("name", "")), child) for child in robot if child.tag in ("link", "joint"))
