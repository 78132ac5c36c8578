"""What our reader of MJCF refuses: :mod:`mechanisms.files.vocabulary` has all elements and attributes.

Nothing is dropped in silence: what is not declared is refused, as MuJoCo refuses it. ``docs/mjcf.md`` shows the table.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.words import values
from mechanisms.files.untrusted_xml import place_of
from mechanisms.files.vocabulary import vocabulary


@cache
def actuators() -> tuple[str, ...]:
    """The elements of actuators that are read."""
    known = vocabulary("mjcf")
    return tuple(tag for tag, part in known["actuator"].items() if part.use == "read" and tag in known)


def check(element: Element, key: str = "mujoco") -> None:
    """Raise :class:`MechanismError` for what is unknown or refused wherever it stands, with its place."""
    parts = vocabulary("mjcf")[key]
    for name in element.attrib:
        if f"@{name}" not in parts:
            raise MechanismError(
                f"<{element.tag[:40]}> has an attribute {name!r}, which MJCF does not have; remove it", place_of(element)
            )
    for child in element:
        part = parts.get(child.tag)
        if part is None:
            raise MechanismError(
                f"<{element.tag[:40]}> has <{child.tag[:40]}>, which MJCF does not have there; remove it", place_of(child)
            )
        if part.use == "refused" and not part.unless:
            raise MechanismError(f"<{element.tag[:40]}> has <{child.tag[:40]}>, but {part.words}", place_of(child))
        if below := key_of(key, child.tag):
            check(child, below)


def key_of(parent: str, tag: str) -> str | None:
    """The entry of an element in the vocabulary; None if it is not looked into."""
    if vocabulary("mjcf")[parent][tag].use == "ignored":
        return None
    return next((key for key in (f"{parent}/{tag}", tag) if key in vocabulary("mjcf")), None)


def require_zero(element: Element, key: str, zero: Collection[str] = ()) -> None:
    """Raise :class:`MechanismError` if an attribute is not zero that has to be; ``zero`` names attributes that are disabled."""
    for name, part in vocabulary("mjcf")[key].items():
        attribute = name.removeprefix("@")
        counts = part.use == "refused" and part.unless and attribute in element.attrib and attribute not in zero
        if counts and any(values(element, attribute)):
            raise MechanismError(f"it has {attribute}, but {part.words}", place_of(element))
