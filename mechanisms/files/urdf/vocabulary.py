"""Every element and attribute of URDF, declared once: what the reader does with it, and why.

Inside the elements that describe bodies and joints nothing is dropped in silence. What is not declared here is ignored *aloud*:
:func:`overlooked` says it in one sentence. ``docs/urdf.md`` shows this table; ``python docs/write_urdf.py`` writes the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import is_foreign, place_of
from mechanisms.numbers.exact import exact
from mechanisms.plain_text import sentence

Use = Literal["read", "refused", "refused unless zero", "ignored aloud", "aloud unless zero", "ignored"]


class Part(NamedTuple):
    """What the reader does with an element or an attribute."""

    use: Use
    words: str
    """What it means, where it is read; otherwise a clause that says why, or the remedy."""


def read(words: str) -> Part:
    return Part("read", words)


def ignored(words: str) -> Part:
    return Part("ignored", words)


LOOKS, CONTACT, MOTORS, SIMULATOR = (
    ignored(f"it describes {what}")
    for what in ("looks", "shapes and contact", "motors and their control", "the settings of a simulator")
)
LIMIT = ignored("limits do not enter the equations of motion")
NEW_IN_1_1 = 'it needs <robot version="1.1"> or 1.2'
ORIGIN = read("the placement of a joint in its parent link, or of an inertia in its link")

VOCABULARY: Mapping[str, Mapping[str, Part]] = {
    "robot": {
        "@name": read("the name of the mechanism; required"),
        "@version": read('"1.0", "1.1" or "1.2"; 1.0 if it is left out; any other is refused'),
        "@unphysical": read('not in URDF itself: "true" accepts inertias that no rigid body can have'),
        "link": read("a body, or a frame if it is on a fixed joint"),
        "joint": read("the joint between two links"),
        "gravity": read("not in URDF itself: gravity along the root's axes (m/s²); 0 0 -9.81 if it is left out"),
        "include": Part("refused", "no other file is opened; put the elements of that file in its place"),
        "material": LOOKS,
        "transmission": MOTORS,
        "ros2_control": MOTORS,
        "gazebo": SIMULATOR,
        "sensor": ignored("a sensor has no mass of its own"),
    },
    "robot/gravity": {"@xyz": read("three numbers (m/s²)")},
    "link": {
        "@name": read("required, and unique among the links"),
        "@type": ignored("it has no documented meaning"),
        "inertial": read("mass and inertia; a link without it has no mass"),
        "visual": LOOKS,
        "collision": CONTACT,
        "contact": CONTACT,
        "surface": CONTACT,
        "self_filter": CONTACT,
        "collision_checking": CONTACT,
        "self_collision_checking": CONTACT,
    },
    "link/inertial": {
        "origin": ORIGIN,
        "mass": read("required in <inertial>"),
        "inertia": read("required in <inertial>"),
    },
    "link/inertial/mass": {"@value": read("the mass (kg)")},
    "link/inertial/inertia": {
        f"@i{axes}": read(f"{what} of inertia about the centre of mass, along the axes of <origin> (kg m²)")
        for what, several in (("moment", ("xx", "yy", "zz")), ("entry of the matrix", ("xy", "xz", "yz")))
        for axes in several
    },
    "joint": {
        "@name": read("required, and unique among the joints"),
        "@type": read("revolute, continuous, prismatic, planar, floating or fixed; any other is refused"),
        "@dont_collapse": SIMULATOR,
        "origin": ORIGIN,
        "parent": read("required"),
        "child": read("required"),
        "axis": read("the axis along the joint's frame; 1 0 0 if it is left out; fixed and floating joints have none"),
        "dynamics": read("damping and armature"),
        "mimic": read("another joint that this one follows; with ignore_mimic it moves on its own"),
        "limit": LIMIT,
        "safety_controller": LIMIT,
        "calibration": ignored("it describes a sensor"),
    },
    "joint/parent": {"@link": read("the name of a link")},
    "joint/child": {"@link": read("the name of a link, which no other joint has as its child")},
    "joint/axis": {"@xyz": read("three numbers, of any length but zero")},
    "joint/dynamics": {
        "@damping": read("viscous damping (N m s/rad or N s/m)"),
        "@armature": read("not in URDF itself: rotor inertia seen at the joint (kg m² or kg)"),
        "@friction": Part("aloud unless zero", "Coulomb friction is no smooth function of the state"),
    },
    "joint/mimic": {
        "@joint": read("the joint that is mimicked"),
        "@multiplier": read("1 if it is left out"),
        "@offset": read("0 if it is left out"),
    },
    "joint/limit": dict.fromkeys(
        (
            *("@lower", "@upper", "@effort", "@velocity", "@acceleration", "@deceleration", "@jerk"),
            *("@command_effort", "@current", "@gear_velocity"),
        ),
        LIMIT,
    ),
}
"""By path, attributes with @ and child elements: what the reader does with them. Elements without a path of their own are not
looked into."""

ORIGIN_PARTS: Mapping[str, Part] = {
    "@xyz": read("the translation (m); 0 0 0 if it is left out"),
    "@rpy": read("angles about the fixed axes x, y, z, one after the other (rad); 0 0 0 if it is left out"),
    "@quat_xyzw": read(f"a quaternion of any length but zero, in the place of rpy; {NEW_IN_1_1}, or is ignored with a note"),
}

VOCABULARY = {**VOCABULARY, **dict.fromkeys(("link/inertial/origin", "joint/origin"), ORIGIN_PARTS)}

UNKNOWN = "the reader does not know it"

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
    parts = VOCABULARY[path]
    within = "" if path == place.kind or not place.kind else f" of <{element.tag}>"
    for name in list(element.attrib):
        part = parts.get(f"@{name}", Part("ignored aloud", UNKNOWN))
        if name == "quat_xyzw" and part.use == "read" and version < (1, 1):
            part = Part("ignored aloud", NEW_IN_1_1)
        if part.use == "ignored aloud" or (part.use == "aloud unless zero" and _is_nonzero(element.attrib[name])):
            _note(notes, f"the attribute {name!r}{within}", part.words, place)
            del element.attrib[name]
    seen, kept = set[str](), list[Element]()
    for child in element:
        below = f"{path}/{child.tag}"
        part = parts.get(child.tag, Part("ignored aloud", UNKNOWN))
        where = f"{place.kind} {place.name!r}: " if place.kind else ""
        if is_foreign(child, "xacro"):
            raise MechanismError(f"{where}an element of xacro is left; expand the file with xacro first", place_of(child))
        if is_foreign(child, "XInclude"):
            part = VOCABULARY["robot"]["include"]
        if part.use == "refused":
            raise MechanismError(f"{where}it has <{child.tag}>, but {part.words}", place_of(child))
        repeated = child.tag in seen and (part.use == "read" and below not in ("robot/link", "robot/joint"))
        if part.use == "ignored aloud" or repeated:
            what = f"a second <{child.tag}>" if repeated else f"the element <{child.tag}>"
            _note(notes, f"{what}{within}", SECOND if repeated else part.words, place)
            continue
        kept.append(child)
        seen.add(child.tag)
        if below in VOCABULARY:
            _look(child, below, place, version, notes)
    element[:] = kept


def _is_nonzero(text: str) -> bool:
    try:
        return bool(exact(text) != 0)
    except MechanismError:
        return True


def _note(notes: Notes, what: str, why: str, place: Place) -> None:
    notes.setdefault((what, why, place.kind), []).append(place)


def _said(what: str, why: str, places: list[Place]) -> str:
    first, names = places[0], {place.name for place in places}
    others = f" and {len(names) - 1} other{'s' * (len(names) > 2)}" if len(names) > 1 else ""
    where = f"{first.kind} {first.name!r}{others}" if first.kind else "<robot>"
    return sentence(f"{where}: {what} is ignored, for {why}")
