"""What our reader of URDF ignores, and says so: :mod:`mechanisms.files.vocabulary` has all elements and attributes.

Inside the elements that describe bodies and joints nothing is dropped in silence. What is not declared is ignored *aloud*:
:func:`overlooked` says it in one sentence. ``docs/urdf.md`` shows the table.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import is_foreign, place_of
from mechanisms.files.vocabulary import Part, is_zero, vocabulary
from mechanisms.plain_text import sentence

UNKNOWN = Part("ignored aloud", "the reader does not know it")

NEW_IN_1_1 = Part("ignored aloud", 'it needs <robot version="1.1"> or 1.2')

SECOND = "only the first counts, as for urdfdom"

MOST_NOTES = 20
"""The most notes about one document."""

VERSIONS = {"1.0": (1, 0), "1.1": (1, 1), "1.2": (1, 2)}


class Place(NamedTuple):
    """The link or joint in which something is ignored; empty for the robot."""

    kind: str
    name: str


Notes = dict[tuple[str, str, str], list[Place]]
"""By what is ignored, the reason and the kind of place: where."""


def overlooked(robot: Element) -> tuple[str, ...]:
    """Remove from the tree what the reader ignores aloud, and say it: one sentence for each kind of element and attribute.

    Raises :class:`MechanismError` for another version than 1.0, 1.1 and 1.2, and for elements that are refused.
    """
    version = _version(robot)
    notes: Notes = {}
    _look(robot, "robot", Place("", ""), version, notes)
    for kind in ("link", "joint"):
        for element in robot.findall(kind):
            _look(element, kind, Place(kind, element.get("name", "")), version, notes)
    said = [_said(what, why, places) for (what, why, _), places in islice(notes.items(), MOST_NOTES)]
    more = len(notes) - len(said)
    return (*said, f"{more} other kinds of elements and attributes are ignored") if more else tuple(said)


def _version(robot: Element) -> tuple[int, int]:
    text = robot.get("version", "1.0")
    if text not in VERSIONS:
        message = f"version of <robot> is {text!r}; give one of {', '.join(VERSIONS)}, or none for 1.0"
        raise MechanismError(message, place_of(robot))
    return VERSIONS[text]


def _look(element: Element, path: str, place: Place, version: tuple[int, int], notes: Notes) -> None:
    parts = vocabulary("urdf")[path]
    within = "" if path == place.kind or not place.kind else f" of <{element.tag}>"
    for name in list(element.attrib):
        part = parts.get(f"@{name}", UNKNOWN)
        if name == "quat_xyzw" and part.use == "read" and version < (1, 1):
            part = NEW_IN_1_1
        text = element.attrib[name]
        if part.use == "ignored aloud" and not (part.unless and len(text.split()) == 1 and is_zero(text)):
            _note(notes, f"the attribute {name!r}{within}", part.words, place)
            del element.attrib[name]
    seen, kept = set[str](), list[Element]()
    for child in element:
        below = f"{path}/{child.tag}"
        part = parts.get(child.tag, UNKNOWN)
        where = f"{place.kind} {place.name!r}: " if place.kind else ""
        if is_foreign(child, "xacro"):
            raise MechanismError(f"{where}an element of xacro is left; expand the file with xacro first", place_of(child))
        if is_foreign(child, "XInclude"):
            part = vocabulary("urdf")["robot"]["include"]
        if part.use == "refused":
            raise MechanismError(f"{where}it has <{child.tag}>, but {part.words}", place_of(child))
        repeated = child.tag in seen and (part.use == "read" and below not in ("robot/link", "robot/joint"))
        if part.use == "ignored aloud" or repeated:
            what = f"a second <{child.tag}>" if repeated else f"the element <{child.tag}>"
            _note(notes, f"{what}{within}", SECOND if repeated else part.words, place)
            continue
        kept.append(child)
        seen.add(child.tag)
        if below in vocabulary("urdf"):
            _look(child, below, place, version, notes)
    element[:] = kept


def _note(notes: Notes, what: str, why: str, place: Place) -> None:
    notes.setdefault((what, why, place.kind), []).append(place)


def _said(what: str, why: str, places: list[Place]) -> str:
    first, names = places[0], {place.name for place in places}
    others = f" and {len(names) - 1} other{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    where = f"{first.kind} {first.name!r}{others}" if first.kind else "<robot>"
    return sentence(f"{where}: {what} is ignored, for {why}")
