"""Untrusted XML, parsed without DTDs, entities or external references; every error is one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from mechanisms.errors import MechanismError, Place, Places
from mechanisms.limits import MOST_XML_ELEMENTS, MOST_XML_LEVELS
from mechanisms.numbers.exact import WHITESPACE, Vector, exact_vector
from mechanisms.source import source_text

UNBOUND = 27
"""Expat's code of a prefix without a namespace."""

ROOT = re.compile(r"(?:<\?.*?\?>|<!--.*?-->|[^<]++)*+<[^\s/>!?]++(?P<attributes>[^>]*+)", re.DOTALL)
"""The beginning of the document's element, behind all that may come before it."""

PREFIX = re.compile(r"""</?([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=""")
"""A prefix of an element, or of an attribute."""

DECLARED = re.compile(r"\sxmlns:([\w.-]+)\s*=")


class Located(Element):
    """An element that knows where it begins."""

    place: Place | None = None


class _Bounded(TreeBuilder):
    """Builds the tree of elements, and stops at the first one too many."""

    elements = level = 0
    place: Callable[[], Place]
    """Where the parser is."""

    def __init__(self) -> None:
        super().__init__(element_factory=Located)

    def start(self, tag: Any, attrs: Any, /) -> Element:
        self.elements += 1
        self.level += 1
        if self.elements > MOST_XML_ELEMENTS:
            raise MechanismError(f"the document has more than {MOST_XML_ELEMENTS} elements; remove what is no <link> or <joint>")
        if self.level > MOST_XML_LEVELS:
            raise MechanismError(f"<{tag[:40]}> is more than {MOST_XML_LEVELS} elements deep; remove what encloses it")
        element: Any = super().start(tag, attrs)
        element.place = self.place()
        return element

    def end(self, tag: str, /) -> Element:
        self.level -= 1
        return super().end(tag)


def parse_xml(text: str | bytes, tag: str | None, kind: str, path: str = "") -> Element:
    """The element ``tag`` that the document ``text`` consists of; ``kind`` names the expected kind of document in errors.

    ``tag`` is None where any element will do. ``path`` is the file's, for :func:`place_of` its elements. Elements of the
    namespace that the document's element has are given without it, because parsers of URDF do not look at namespaces.
    """
    # Imported here, so that a worker in another Python needs NumPy alone until code there reads XML.
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    target = _Bounded()
    parser = DefusedXMLParser(target=target, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    expat = parser.parser
    target.place = lambda: Place(path, expat.CurrentLineNumber, expat.CurrentColumnNumber + 1)
    try:
        parser.feed(text)
        element: Element = parser.close()
    except MechanismError as error:
        raise MechanismError(str(error), target.place()) from None
    except DefusedXmlException:
        message = f"the document has a DTD or entities, which no {kind} needs; remove the <!DOCTYPE …>"
        raise MechanismError(message, target.place()) from None
    except (ParseError, ValueError, LookupError) as error:
        code = getattr(error, "code", None)
        if code == UNBOUND and (declared := _with_prefixes(text)):
            return parse_xml(declared, tag, kind, path)
        why, _, column = str(error).partition(": line ")
        why = "-- within a comment" if isinstance(error, ParseError) and _is_after_dashes(text, *error.position) else why
        at = f" in column {column.rpartition(' ')[2]}" if column else ""
        place = Place(path, error.position[0], error.position[1] + 1) if isinstance(error, ParseError) else None
        remedy = f"give a {kind} document{', with xacro expanded' if kind == 'URDF' else ''}"
        raise MechanismError(f"this is no XML ({why}{at}); {remedy}", place) from None
    _without_namespace(element, element.tag.rpartition("}")[0] + "}")
    if tag is not None and element.tag != tag:
        message = f"the document's element is <{element.tag[:40]}>; give a {kind} document, whose element is <{tag}>"
        raise MechanismError(message, place_of(element))
    return element


def _is_after_dashes(text: str | bytes, line: int, column: int) -> bool:
    """Where Expat stops in a comment that has -- in it, which readers of robots' files often accept."""
    lines = (source_text(text) or "").split("\n")
    return len(lines) >= line and lines[line - 1][:column].endswith("--")


def _with_prefixes(text: str | bytes) -> str | None:
    """The document with a namespace for every prefix that its element does not declare: parsers of URDF look at no namespaces.

    No line begins elsewhere. None if there is nothing to declare.
    """
    decoded = source_text(text) or ""
    root = ROOT.match(decoded)
    used = {prefix for pair in PREFIX.findall(decoded) for prefix in pair} - {"", "xml", "xmlns"}
    missing = used - set(DECLARED.findall(root["attributes"] if root else ""))
    if not root or not missing:
        return None
    names = "".join(f' xmlns:{prefix}="{prefix}"' for prefix in sorted(missing))
    return f"{decoded[: root.start('attributes')]}{names}{decoded[root.start('attributes') :]}"


def _without_namespace(root: Element, prefix: str) -> None:
    if prefix != "}":
        for element in root.iter():
            element.tag = element.tag.removeprefix(prefix)


def is_foreign(element: Element, word: str) -> bool:
    """Whether the element has a namespace of its own, in whose name ``word`` occurs."""
    namespace, found, _ = element.tag.rpartition("}")
    return bool(found) and word in namespace


def by_name(parent: Element, tag: str) -> dict[str, Element]:
    """The children ``tag`` of ``parent`` by their attribute "name", in order; refuses a name that is missing or not unique."""
    elements: dict[str, Element] = {}
    for element in parent.findall(tag):
        name = attribute(element, "name", f"a <{tag}>")
        if name in elements:
            raise MechanismError(f"the {tag} name {name!r} is used twice; rename one", place_of(element))
        elements[name] = element
    return elements


def attribute(element: Element, name: str, where: str) -> str:
    """The attribute's text; refuses a missing or empty one."""
    text = element.get(name, "").strip(WHITESPACE)
    if not text:
        raise MechanismError(f"{where} lacks the attribute {name!r}; add it", place_of(element))
    return text


def vector(element: Element, name: str, where: str, default: str | None = None) -> Vector:
    """The three exact numbers in an attribute."""
    return numbers(element, name, where, 3, default)


def numbers(element: Element, name: str, where: str, length: int, default: str | None = None) -> Vector:
    """The exact numbers in an attribute, which has as many as ``length``."""
    text = default if default is not None and name not in element.attrib else attribute(element, name, where)
    words = re.split(f"[{WHITESPACE}]+", text.strip(WHITESPACE), maxsplit=length)
    return exact_vector(words, length, f"{name} of {where}")


def place_of(element: Element | None) -> Place | None:
    """Where the element begins; None for one that was not read."""
    return element.place if isinstance(element, Located) else None


@contextmanager
def naming(where: str, element: Element | None = None) -> Iterator[None]:
    """Puts ``where`` in front of the message of every :class:`MechanismError` from within, unless the message has it already, and
    says the place of ``element``."""
    try:
        yield
    except MechanismError as error:
        said = str(error) if where in str(error) else f"{where}: {error}"
        raise MechanismError(said, error.place or place_of(element), error.about) from None


@contextmanager
def in_file(source: str, places: Places | None = None) -> Iterator[None]:
    """Puts the file in front of the message of every :class:`MechanismError` from within, and the line if it is known.

    ``places`` has those of parts that errors without a place are about (:attr:`MechanismError.about`).
    """
    try:
        yield
    except MechanismError as error:
        place = error.place or (places or {}).get(error.about)
        where = f"{place.file or source}, line {place.line}" if place else source
        raise MechanismError(f"{where}: {error}", place, error.about) from None
