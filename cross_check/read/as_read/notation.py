"""The same elements in other notation: numbers, white space, defaults, comments and elements that do not matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Context, Decimal
from xml.etree.ElementTree import Comment, Element, SubElement

from cross_check.read.as_read.elements import MOMENTS, drop, each
from cross_check.read.as_read.rewriting import Edit, Rewrite, Rewritten, by, document, edited, is_held
from mechanisms import Mechanism
from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers.exact import WHITESPACE

TAB, LINE_END = "\ue009", "\ue00a"
"""Characters without meaning, which stand for others until the XML is written."""

NUMBERS = {
    "origin": ("xyz", "rpy"),
    "axis": ("xyz",),
    "mass": ("value",),
    "inertia": MOMENTS,
    "dynamics": ("damping", "armature"),
    "gravity": ("xyz",),
}
"""Elements, and their attributes that are numbers or vectors."""


def attributes(robot: Element) -> Iterator[tuple[Element, str]]:
    """Every attribute that has numbers, with its element."""
    for element in robot.iter():
        for name in NUMBERS.get(str(element.tag), ()):
            if name in element.attrib:
                yield element, name


def each_number(change: Callable[[str], str], between: str = " ", around: str = "") -> Edit:
    """Changes every number; ``between`` stands between those of a vector, and ``around`` before and after it."""

    def edit(robot: Element) -> None:
        for element, name in attributes(robot):
            words = re.split(f"[{WHITESPACE}]+", element.get(name, "").strip(WHITESPACE))
            element.set(name, around + between.join(map(change, words)) + around)

    return edit


def exponential(number: str) -> str:
    """The number with a sign and an exponent, such as +35.E-1 for 3.5."""
    tenfold = Decimal(number).scaleb(1, Context(prec=MOST_DIGITS))
    digits = f"{tenfold:+f}"
    return f"{digits}{'' if '.' in digits else '.'}E-1"


def lower_exponential(number: str) -> str:
    """The number as many programs write it, such as 35.0e-01 for 3.5."""
    return f"{Decimal(number).scaleb(1, Context(prec=MOST_DIGITS)):f}e-01"


def _friction(robot: Element) -> None:
    for joint in robot.findall("joint"):
        if joint.get("type") in ("revolute", "prismatic"):
            found = joint.find("dynamics")
            (SubElement(joint, "dynamics") if found is None else found).set("friction", "0.75")


def _tabs(mechanism: Mechanism) -> Rewritten:
    # As people write them: a character reference would be another thing to XML.
    made = edited(mechanism, each_number(str, TAB + LINE_END, LINE_END + TAB))
    return replace(made, text=made.text.replace(TAB, "\t").replace(LINE_END, "\n"))


def _defaults(robot: Element) -> None:
    """Whatever is zero by default is left out."""
    for holder in robot.iter():
        for origin in holder.findall("origin"):
            for name in ("xyz", "rpy"):
                if not any(map(float, origin.get(name, "0").split())):
                    origin.attrib.pop(name, None)
            if not origin.attrib:
                holder.remove(origin)


def _markup(mechanism: Mechanism) -> Rewritten:
    """Attributes in the opposite order, in single quotes, on lines of their own; no declaration; lines end in CR LF."""
    robot = document(mechanism)
    return Rewritten("\r\n".join(_tags(robot)) + "\r\n", free_base=is_held(mechanism))


def _tags(element: Element) -> Iterator[str]:
    attributes = "".join(f"\r\n  {name} = '{_escaped(text)}'" for name, text in reversed([*element.items()]))
    yield f"<{element.tag}{attributes}\r\n>"
    for child in element:
        yield from _tags(child)
    yield f"</{element.tag} >"


def _escaped(text: str) -> str:
    """Digits as character references, as any character may be written."""
    safe = re.sub("[^A-Za-z0-9 .+_-]", lambda match: f"&#{ord(match[0])};", text)
    return re.sub("(?<![#0-9])5", "&#x35;", safe) if safe == text else safe


def _others(robot: Element) -> None:
    """Elements that do not enter the dynamics, before those that do, with children of the same names."""
    links, joints = robot.findall("link"), robot.findall("joint")
    for link in links:
        for k, tag in enumerate(("visual", "collision")):
            shape = Element(tag)
            SubElement(shape, "origin", xyz="7 8 9", rpy="1 2 3")
            SubElement(SubElement(shape, "geometry"), "box", size="1 1 1")
            link.insert(k, shape)
    for joint in joints:
        joint.insert(0, Element("safety_controller", k_velocity="1"))
        joint.insert(0, Element("calibration", rising="0"))
        transmission = SubElement(robot, "transmission", name=f"{joint.get('name')}_transmission")
        SubElement(transmission, "joint", name=joint.get("name", ""))
    gazebo = Element("gazebo", reference=links[0].get("name", ""))
    inner = SubElement(SubElement(gazebo, "model"), "link", name="link of a plugin")
    SubElement(SubElement(inner, "inertial"), "mass", value="1000")
    SubElement(gazebo, "joint", name="joint of a plugin", type="revolute")
    robot.insert(0, gazebo)
    robot.insert(0, Element("material", name="grey"))
    robot.insert(0, Comment(' <link name="in a comment"/> '))


# What faulty readers make of a file.


def _add_friction(dynamics: Element) -> None:
    dynamics.set("damping", str(sum(Decimal(dynamics.get(name, "0")) for name in ("damping", "friction"))))


def _first_origin(link: Element) -> None:
    """The first <origin> of a link is taken for that of its inertia."""
    first, inertial = next(link.iter("origin"), None), link.find("inertial")
    if first is not None and inertial is not None:
        drop("origin")(inertial)
        inertial.append(first)


EDITS: dict[str, Edit] = {
    "mantissas": each_number(lambda number: number.lower().partition("e")[0]),
    "lower-mantissas": each_number(lambda number: number.partition("e")[0]),
    "capital-mantissas": each_number(lambda number: number.partition("E")[0]),
    "no-small-numbers": each_number(lambda number: "0" if "e" in number else number),
    "friction": each(".//dynamics", _add_friction),
    "first-origin": each("link", _first_origin),
}

REWRITES: dict[str, Rewrite] = {
    "exponents": by(each_number(exponential)),
    "lower_exponents": by(each_number(lower_exponential)),
    "friction": by(_friction),
    "spaces": by(each_number(str, "   ", "  ")),
    "tabs": _tabs,
    "defaults": by(_defaults),
    "markup": _markup,
    "other_elements": by(_others),
}
