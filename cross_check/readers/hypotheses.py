"""Why a reader may take a file otherwise: each hypothesis is an edit that makes of the file what the reader took it for.

A hypothesis explains a reader if our reading of the edited file is the reader's reading of the file as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from cross_check.relations.as_read import axes, inertials, trees
from cross_check.relations.as_read.rewriting import MOMENTS, Edit, inertial
from mechanisms import Inertia, Placement
from mechanisms.numbers import WHITESPACE
from mechanisms.write_urdf import decimal

WATER = 1000.0
"""kg/m³"""


@dataclass(frozen=True)
class Hypothesis:
    """``sentence`` completes "The reader of …". ``remedy`` says what to write in the file so that all read the same;
    empty if nothing in the file helps."""

    sentence: str
    edit: Edit
    remedy: str
    verdict: Literal["reading", "digits"] = "reading"

    @property
    def name(self) -> str:
        return self.sentence


def _to_each(tag: str, change: Callable[[Element], None]) -> Edit:
    def edit(robot: Element) -> None:
        for element in robot.findall(tag):
            change(element)

    return edit


def _kilogram_and_moments(link: Element) -> None:
    if link.find("inertial") is None:
        inertial(link, Inertia(1, about_com=(1, 1, 1, 0, 0, 0)))


def _moments_dropped(link: Element) -> None:
    """Where the mass is zero, nothing remains."""
    for element in link.findall("inertial"):
        mass = element.find("mass")
        if mass is not None and _float(mass.get("value")) == 0:
            link.remove(element)


def _water_ball(link: Element) -> None:
    """A ball of water of the same mass, at the centre of mass, in place of moments that no body can have."""
    for element in link.findall("inertial"):
        mass, tensor = element.find("mass"), element.find("inertia")
        if mass is None or tensor is None:
            continue
        m = _float(mass.get("value"))
        about_com = tuple(_float(tensor.get(name)) for name in MOMENTS)
        if m > 0 and all(map(math.isfinite, about_com)) and Inertia(m, about_com=about_com).fault:
            _make_water(mass, tensor, m)


def _kilogram_of_water(link: Element) -> None:
    """A ball of water of 1 kg, at the centre of mass, in place of moments without mass."""
    for element in link.findall("inertial"):
        mass, tensor = element.find("mass"), element.find("inertia")
        if mass is None or tensor is None or _float(mass.get("value")) != 0:
            continue
        if any(_float(tensor.get(name)) != 0 for name in MOMENTS):
            _make_water(mass, tensor, 1.0)


def _make_water(mass: Element, tensor: Element, m: float) -> None:
    mass.set("value", decimal(m))
    radius = (3 * m / (4 * math.pi * WATER)) ** (1 / 3)
    tensor.attrib.update({name: decimal(0.4 * m * radius**2 if name in MOMENTS[:3] else 0) for name in MOMENTS})


def _impossible_dropped(link: Element) -> None:
    """The moments that no body can have are zero, and the mass remains."""
    for element in link.findall("inertial"):
        mass, tensor = element.find("mass"), element.find("inertia")
        if mass is None or tensor is None:
            continue
        m, about_com = _float(mass.get("value")), tuple(_float(tensor.get(name)) for name in MOMENTS)
        if m > 0 and all(map(math.isfinite, about_com)) and Inertia(m, about_com=about_com).fault:
            tensor.attrib.update(dict.fromkeys(MOMENTS, "0"))


def _spaced_inertial(link: Element) -> None:
    """A number with white space around it counts as none, and its link as one without inertia."""
    for element in link.findall("inertial"):
        numbers = [text for part in element if part.tag in ("mass", "inertia") for text in part.attrib.values()]
        if any(text != text.strip(WHITESPACE) for text in numbers):
            link.remove(element)


def _broken_inertial(link: Element) -> None:
    """An <inertial> whose origin has a line end or a tab between its numbers counts as none."""
    for element in link.findall("inertial"):
        if any(set(text) & set("\n\r\t") for origin in element.findall("origin") for text in origin.attrib.values()):
            link.remove(element)


def _last_inertial(link: Element) -> None:
    for element in link.findall("inertial")[:-1]:
        link.remove(element)


def _no_quaternions(robot: Element) -> None:
    for origin in robot.iter("origin"):
        origin.attrib.pop("quat_xyzw", None)


def _no_floating_origin(joint: Element) -> None:
    if joint.get("type") == "floating":
        for origin in joint.findall("origin"):
            joint.remove(origin)


def _no_dynamics(*names: str) -> Callable[[Element], None]:
    def change(joint: Element) -> None:
        for dynamics in joint.findall("dynamics"):
            for name in names:
                dynamics.attrib.pop(name, None)

    return change


def _no_limits(joint: Element) -> None:
    for limit in joint.findall("limit"):
        joint.remove(limit)


def _no_range_of_zero(joint: Element) -> None:
    for limit in joint.findall("limit") if joint.get("type") in ("revolute", "prismatic") else ():
        if _float(limit.get("lower", "0")) == _float(limit.get("upper", "0")) == 0:
            limit.attrib.update(lower="none", upper="none")


def _no_effort_without_transmission(robot: Element) -> None:
    driven = {
        joint.get("name")
        for transmission in robot.findall("transmission")
        for joint in transmission.findall("joint")
        if any("SimpleTransmission" in word for word in [transmission.get("type", ""), transmission.findtext("type", "")])
    }
    for joint in robot.findall("joint"):
        if joint.get("name") not in driven:
            for limit in joint.findall("limit"):
                limit.set("effort", "none")


def _no_mimic(joint: Element) -> None:
    for mimic in joint.findall("mimic"):
        joint.remove(mimic)


def _freed_in_the_world(robot: Element) -> None:
    """A floating joint starts at the origin of the root link, whatever its parent and its <origin>."""
    children = {child.get("link") for joint in robot.findall("joint") for child in joint.findall("child")}
    root = next((link.get("name", "") for link in robot.findall("link") if link.get("name") not in children), None)
    for joint in robot.findall("joint") if root is not None else ():
        if joint.get("type") == "floating":
            for parent in joint.findall("parent"):
                parent.set("link", root or "")
            for origin in joint.findall("origin"):
                joint.remove(origin)


def _as_fixed(condition: Callable[[Element], bool]) -> Callable[[Element], None]:
    def change(joint: Element) -> None:
        if condition(joint):
            joint.set("type", "fixed")

    return change


def _gravity(xyz: str) -> Edit:
    def edit(robot: Element) -> None:
        for old in robot.findall("gravity"):
            robot.remove(old)
        SubElement(robot, "gravity", xyz=xyz)

    return edit


def _in_float32(*tags: str) -> Edit:
    """Every number below these elements is rounded to float32."""

    def edit(robot: Element) -> None:
        for tag in tags:
            for element in robot.iter(tag):
                for name, text in element.attrib.items():
                    words = text.split()
                    if words and all(math.isfinite(_float(word)) for word in words):
                        element.set(name, " ".join(repr(_as_float32(_float(word))) for word in words))

    return edit


def _as_float32(x: float) -> float:
    """The nearest number of float32; infinite where that has none so large, which is no reason for a warning."""
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def _solid_geometry(link: Element) -> None:
    """A link without <inertial> has the mass of its collision geometry, made of water; only shapes without a mesh."""
    if link.find("inertial") is not None:
        return
    total = Inertia.massless()
    for collision in link.findall("collision"):
        total += _of_shape(collision.find("geometry")).placed(_place(collision))
    if not total.is_massless:
        inertial(link, total)


def _of_shape(geometry: Element | None) -> Inertia:
    for shape in geometry if geometry is not None else ():
        if shape.tag == "sphere":
            r = _float(shape.get("radius"))
            m = WATER * 4 / 3 * math.pi * r**3
            return Inertia(m, about_com=(0.4 * m * r * r,) * 3 + (0,) * 3)
        if shape.tag == "box":
            x, y, z = map(_float, shape.get("size", "").split())
            m = WATER * x * y * z
            return Inertia(m, about_com=(m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12, 0, 0, 0))
        if shape.tag == "cylinder":
            r, h = _float(shape.get("radius")), _float(shape.get("length"))
            m = WATER * math.pi * r * r * h
            across = m * (3 * r * r + h * h) / 12
            return Inertia(m, about_com=(across, across, m * r * r / 2, 0, 0, 0))
    return Inertia.massless()


def _place(element: Element) -> Placement:
    from cross_check.relations.as_read.rewriting import origin_of

    return origin_of(element)


def _float(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


WRITE_INERTIAL = "give the link an <inertial> with its mass and moments, which are zero if it has none"
WRITE_AXES = "write the inertia along the link's own axes, with rpy of <inertial> zero"

HYPOTHESES = (
    Hypothesis("gives links without <inertial> a mass of 1 kg", inertials.KILOGRAM.edit, WRITE_INERTIAL),
    Hypothesis(
        "gives links without <inertial> a mass of 1 kg and moments of 1 kg m²",
        _to_each("link", _kilogram_and_moments),
        WRITE_INERTIAL,
    ),
    Hypothesis("gives links without <inertial> the mass of their geometry", _to_each("link", _solid_geometry), WRITE_INERTIAL),
    Hypothesis(
        "drops the moments of links without mass", _to_each("link", _moments_dropped), "give the link a mass, or zero moments"
    ),
    Hypothesis(
        "puts a ball of water of the same mass in place of an inertia that no body can have",
        _to_each("link", _water_ball),
        "correct the moments of inertia of the link",
    ),
    Hypothesis(
        "puts a ball of water of 1 kg in place of moments without mass",
        _to_each("link", _kilogram_of_water),
        "give the link a mass, or zero moments",
    ),
    Hypothesis(
        "takes a link for one without inertia if a number in its <inertial> has spaces around it",
        _to_each("link", _spaced_inertial),
        "write the number without spaces",
    ),
    Hypothesis(
        "takes a link for one without inertia if <origin> of its <inertial> has a line end or a tab between numbers",
        _to_each("link", _broken_inertial),
        "write the three numbers with spaces between them",
    ),
    Hypothesis("takes the last <inertial> of a link that has several", _to_each("link", _last_inertial), "write one <inertial>"),
    Hypothesis("ignores quat_xyzw of <origin>", _no_quaternions, "write rpy"),
    Hypothesis(
        "ignores <origin> of floating joints",
        _to_each("joint", _no_floating_origin),
        "put the joint's frame at the parent link's, or set the position that the origin means",
    ),
    Hypothesis(
        "drops the moments of an inertia that no body can have",
        _to_each("link", _impossible_dropped),
        "correct the moments of inertia of the link",
    ),
    *(
        Hypothesis(misreading.sentence, misreading.edit, remedy)
        for misreading, remedy in (
            (inertials.IGNORED_RPY, WRITE_AXES),
            (inertials.OPPOSITE_RPY, WRITE_AXES),
            (inertials.BACKWARD_RPY, WRITE_AXES),
            (inertials.YAW_ALONE, WRITE_AXES),
            (inertials.TURNED_COM, WRITE_AXES),
            (inertials.IGNORED_XYZ, "put the link's frame at its centre of mass"),
            (inertials.EXCHANGED, "write the inertia along principal axes"),
            (inertials.PRODUCTS, "write the inertia along principal axes"),
            (inertials.NO_PRODUCTS, "write the inertia along principal axes"),
            (inertials.DROPPED, "add the inertia of the link to that of the link that carries it"),
            (inertials.UNTURNED, "do not rotate fixed joints"),
            (inertials.UNMOVED, "add the inertia of the link to that of the link that carries it"),
            (inertials.UNPLACED, "add the inertia of the link to that of the link that carries it"),
            (inertials.NO_LIGHT_LINKS, "add the inertia of the link to that of the link that carries it"),
            (axes.PLANAR_Z, "turn the joint's <origin> so that the plane's normal is z, and write <axis xyz='0 0 1'/>"),
            (axes.DEFAULT_Z, "write <axis xyz='1 0 0'/>"),
            (axes.UNSIGNED, "turn the joint's <origin> so that the axis is positive"),
            (axes.SNAPPED, "turn the joint's <origin> so that the axis is x, y or z"),
            (axes.IN_PARENT, "turn the links' frames so that rpy of the joint's <origin> is zero"),
            (axes.OPPOSITE_RPY, "turn the joint's <origin> about one axis only"),
            (trees.NO_SMALL_ANGLES, "write angles of at least a milliradian, or zero"),
            (trees.UNTURNED, "do not rotate fixed joints"),
            (trees.UNPLACED, "add the placement of the fixed joint to the joints outboard of it"),
            (trees.CONTINUOUS, "write a revolute joint with wide limits"),
            (trees.FLOATING, "put the robot on a free base when it is loaded, instead of a floating joint in the file"),
        )
    ),
    Hypothesis(
        "takes the parent and the origin of floating joints for those of the world",
        _freed_in_the_world,
        "put the robot on a free base when it is loaded, instead of a floating joint in the file",
    ),
    Hypothesis(
        "takes planar joints for fixed ones",
        _to_each("joint", _as_fixed(lambda j: j.get("type") == "planar")),
        "write two prismatic joints and a revolute one",
    ),
    Hypothesis(
        "takes joints that mimic others for fixed ones",
        _to_each("joint", _as_fixed(lambda j: j.find("mimic") is not None)),
        "remove <mimic>, and couple the joints in your own code",
    ),
    Hypothesis(
        "keeps no largest force of joints without a SimpleTransmission",
        _no_effort_without_transmission,
        "give the joint a <transmission> of the type SimpleTransmission",
    ),
    Hypothesis(
        "ignores <mimic>: the joint moves by itself",
        _to_each("joint", _no_mimic),
        "remove <mimic>, and couple the joints in your own code",
    ),
    Hypothesis("ignores <dynamics damping>", _to_each("joint", _no_dynamics("damping")), "set the damping after loading"),
    Hypothesis(
        "ignores <dynamics armature>",
        _to_each("joint", _no_dynamics("armature")),
        "set the armature after loading: it is no part of URDF",
    ),
    Hypothesis(
        "takes limits of zero, or a <limit> without lower and upper, for a joint without limits",
        _to_each("joint", _no_range_of_zero),
        "make the joint continuous, or give it limits that are not zero",
    ),
    Hypothesis("ignores <limit>", _to_each("joint", _no_limits), "set the limits after loading"),
    Hypothesis(
        "ignores <gravity>: it is 9.81 m/s² along −z", _gravity("0 0 -9.81"), "set gravity after loading: it is no part of URDF"
    ),
    Hypothesis("has no gravity", _gravity("0 0 0"), "set gravity after loading"),
    Hypothesis("rounds placements to float32", _in_float32("origin"), "", "digits"),
    Hypothesis("rounds masses and moments to float32", _in_float32("mass", "inertia"), "", "digits"),
    Hypothesis("rounds axes to float32", _in_float32("axis"), "", "digits"),
    Hypothesis(
        "rounds all numbers to float32",
        _in_float32("origin", "mass", "inertia", "axis", "limit", "dynamics"),
        "",
        "digits",
    ),
)
"""In the order in which they are tried; of two that explain equally much, the first one is named."""
