"""The attributes of an element of MJCF: exact numbers, words and truth values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import place_of
from mechanisms.numbers.exact import WHITESPACE, Vector, exact

MOST_VALUES = 16
"""The most numbers in an attribute, but for those of meshes."""


def values(element: Element, name: str, default: str = "", most: int = MOST_VALUES) -> Vector:
    """The exact numbers in an attribute; those of ``default`` if it is left out."""
    words = re.split(f"[{WHITESPACE}]+", element.get(name, default).strip(WHITESPACE), maxsplit=most)
    if len(words) > most:
        raise MechanismError(f"{name} of <{element.tag}> has more than {most} numbers; give fewer", place_of(element))
    try:
        return tuple(exact(word, f"{name} of <{element.tag}>") for word in words if word)
    except MechanismError as error:
        raise MechanismError(str(error), place_of(element)) from None


def some(element: Element, name: str, length: int, default: str = "") -> Vector:
    """As many exact numbers as ``length``."""
    given = values(element, name, default)
    if len(given) != length:
        raise MechanismError(f"{name} of <{element.tag}> has {len(given)} numbers; give {length}", place_of(element))
    return given


def one(element: Element, name: str, default: str) -> Fraction:
    """One exact number."""
    number: Fraction = some(element, name, 1, default)[0]
    return number


def whole(element: Element, name: str, default: str) -> int:
    """One whole number."""
    number = one(element, name, default)
    if number.denominator != 1:
        raise MechanismError(f"{name} of <{element.tag}> is no whole number; give one", place_of(element))
    return number.numerator


def called(element: Element, kind: str = "") -> str:
    """The ``kind`` of an element and its name, for messages; its tag, if it has no name."""
    return f"{kind or element.tag} {element.get('name')!r}" if element.get("name") else f"<{element.tag}>"


def word(element: Element, name: str, known: Sequence[str], default: str) -> str:
    """One of the ``known`` words."""
    text = element.get(name, default)
    if text not in known:
        raise MechanismError(f"{name} of <{element.tag}> is {text[:40]!r}; give one of {', '.join(known)}", place_of(element))
    return text


def is_true(element: Element, name: str, default: str = "false") -> bool:
    """A truth value."""
    return word(element, name, ("false", "true"), default) == "true"
