"""Untrusted XML, parsed without DTDs, entities or external references; every error is one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mechanisms.errors import MechanismError
from mechanisms.numbers import Vector, exact_vector


def parse_xml(text: str | bytes, tag: str, kind: str) -> Element:
    """The element ``tag`` that the document ``text`` consists of; ``kind`` names the expected kind of document in errors."""
    try:
        element: Element = fromstring(text, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    except DefusedXmlException:
        raise MechanismError(f"the document has a DTD or entities, which no {kind} needs; remove the <!DOCTYPE …>") from None
    except (ParseError, ValueError, LookupError) as error:
        raise MechanismError(f"this is no XML ({error}); give a {kind} document, with xacro expanded") from None
    if element.tag != tag:
        raise MechanismError(f"the document's element is <{element.tag}>; give a {kind} document, whose element is <{tag}>")
    return element


def by_name(parent: Element, tag: str) -> dict[str, Element]:
    """The children ``tag`` of ``parent`` by their attribute "name", in order; refuses a name that is missing or not unique."""
    elements: dict[str, Element] = {}
    for element in parent.findall(tag):
        name = attribute(element, "name", f"a <{tag}>")
        if name in elements:
            raise MechanismError(f"the {tag} name {name!r} is used twice; rename one")
        elements[name] = element
    return elements


def attribute(element: Element, name: str, where: str) -> str:
    """The attribute's text; refuses a missing or empty one."""
    text = element.get(name, "").strip()
    if not text:
        raise MechanismError(f"{where} lacks the attribute {name!r}; add it")
    return text


def vector(element: Element, name: str, where: str, default: str | None = None) -> Vector:
    """The three exact numbers in an attribute."""
    text = default if default is not None and name not in element.attrib else attribute(element, name, where)
    return exact_vector(text.split(), 3, f"{name} of {where}")


@contextmanager
def naming(where: str) -> Iterator[None]:
    """Puts ``where`` in front of the message of every :class:`MechanismError` from within."""
    try:
        yield
    except MechanismError as error:
        raise MechanismError(f"{where}: {error}") from None
