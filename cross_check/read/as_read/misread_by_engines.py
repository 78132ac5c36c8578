"""What readers of engines make of a URDF, beside what any reader may misread: inertias, joints and the whole robot."""

from __future__ import annotations

import math
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from cross_check.read.as_read.elements import MOMENTS, drop, each, give_inertial, origin_of, put
from cross_check.read.as_read.rewriting import Edit
from mechanisms import Inertia
from mechanisms.files.attributes import decimal
from mechanisms.files.solids import shape_of, size_of
from mechanisms.numbers.exact import WHITESPACE

WATER = 1000.0
"""The density of water in kg/m³."""


def _float(text: str | None) -> float:
    try:
        return float(text or "nan")
    except ValueError:
        return math.nan


# Inertias


def _numbers(element: Element) -> tuple[float, tuple[float, ...]]:
    """The mass and the six moments of an <inertial>. NaN stands for what is no number."""
    mass, tensor = element.find("mass"), element.find("inertia")
    if mass is None or tensor is None:
        return math.nan, (math.nan,) * 6
    return _float(mass.get("value")), tuple(_float(tensor.get(name)) for name in MOMENTS)


def _has_no_mass(element: Element) -> bool:
    mass = element.find("mass")
    return mass is not None and _float(mass.get("value")) == 0


def _has_moments_alone(element: Element) -> bool:
    mass, moments = _numbers(element)
    return mass == 0 and any(moment != 0 for moment in moments)


def _is_impossible(element: Element, slack: float = 0.0) -> bool:
    """Whether no body can have these moments: a principal moment is negative, or above the sum of the others by more than
    ``slack`` times the sum of all three, or times 1 kg m² if that is larger."""
    mass, moments = _numbers(element)
    if not mass > 0 or not all(map(math.isfinite, moments)):
        return False
    xx, yy, zz, xy, xz, yz = moments
    least, middle, most = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return bool(min(least, least + middle - most) < -slack * max(1.0, xx + yy + zz))


def _is_impossible_for_drake(element: Element) -> bool:
    return _is_impossible(element, 2.0**-48)


def _has_spaced_number(element: Element) -> bool:
    numbers = [text for part in element if part.tag in ("mass", "inertia") for text in part.attrib.values()]
    return any(text != text.strip(WHITESPACE) for text in numbers)


def _has_spaced_moment(element: Element) -> bool:
    return any(text != text.strip(WHITESPACE) for part in element.findall("inertia") for text in part.attrib.values())


def _has_lines_in_origin(element: Element) -> bool:
    return any(set(text) & set("\n\r\t") for origin in element.findall("origin") for text in origin.attrib.values())


def _put_water(element: Element, mass: float | None = None) -> None:
    """Put a ball of water at the centre of mass. It has this mass; None is that of the link."""
    m = _numbers(element)[0] if mass is None else mass
    radius = (3 * m / (4 * math.pi * WATER)) ** (1 / 3)
    put("mass", value=decimal(m))(element)
    put("inertia", **{name: decimal(0.4 * m * radius**2 if name in MOMENTS[:3] else 0) for name in MOMENTS})(element)


def _last_of_several(robot: Element) -> None:
    for parent in [*robot.findall("link"), *robot.findall("link/inertial"), *robot.findall("joint")]:
        last = {element.tag: element for element in parent}
        for element in list(parent):
            if element is not last[element.tag] and element.tag not in ("visual", "collision"):
                parent.remove(element)


def _collision_inertia(link: Element) -> Inertia | None:
    """The inertia of the link's collision geometry, if it were made of water. Meshes are left out."""
    total = Inertia.massless()
    for collision in link.findall("collision"):
        total += _of_shape(collision.find("geometry")).placed(origin_of(collision))
    return None if total.is_massless else total


def _of_shape(geometry: Element | None) -> Inertia:
    shapes = [shape for shape in geometry if shape.tag in ("sphere", "box", "cylinder")] if geometry is not None else []
    if not shapes:
        return Inertia.massless()
    shape = shapes[0]
    solid = shape_of(shape.tag, size_of(shape.tag, lambda name: map(_float, shape.get(name, "").split())))
    return solid.of_mass(WATER * solid.content)


# Joints


def _freed_in_the_world(robot: Element) -> None:
    """Put floating joints at the origin of the root link, whatever their parent and their <origin> are."""
    children = {child.get("link") for joint in robot.findall("joint") for child in joint.findall("child")}
    root = next((link.get("name", "") for link in robot.findall("link") if link.get("name") not in children), None)
    for joint in robot.findall("joint") if root is not None else ():
        if joint.get("type") == "floating":
            for parent in joint.findall("parent"):
                parent.set("link", root or "")
    drop("joint[@type='floating']/origin")(robot)


def _has_range_of_zero(limit: Element) -> bool:
    return _float(limit.get("lower", "0")) == _float(limit.get("upper", "0")) == 0


def _put_no_limits(limit: Element) -> None:
    limit.attrib.update(lower="none", upper="none")


def _no_range_of_zero(robot: Element) -> None:
    for kind in ("revolute", "prismatic"):
        each(f"joint[@type='{kind}']/limit", _put_no_limits, _has_range_of_zero)(robot)


def _none_for_zero(name: str) -> Edit:
    return each("joint/limit", put(".", **{name: "none"}), lambda limit: _float(limit.get(name)) == 0)


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


# The whole robot


def gravity(*xyz: str) -> Edit:
    def edit(robot: Element) -> None:
        drop("gravity")(robot)
        SubElement(robot, "gravity", xyz=" ".join(xyz))

    return edit


def in_float32(*tags: str) -> Edit:
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
    """The nearest number of float32. It is infinite where float32 has none so large; this needs no warning."""
    with np.errstate(over="ignore"):
        return float(np.float32(x))


EDITS: dict[str, Edit] = {
    "kilogram-and-moments": give_inertial(lambda link: Inertia(1, about_com=(1, 1, 1, 0, 0, 0))),
    "mass-of-geometry": give_inertial(_collision_inertia),
    "no-moments-without-mass": drop("link/inertial", _has_no_mass),
    "ball-of-water": each("link/inertial", _put_water, _is_impossible_for_drake),
    "ball-of-water-without-mass": each("link/inertial", lambda element: _put_water(element, 1.0), _has_moments_alone),
    "no-inertia-with-spaces": drop("link/inertial", _has_spaced_number),
    "no-moments-with-spaces": each("link/inertial", put("inertia", **dict.fromkeys(MOMENTS, "0")), _has_spaced_moment),
    "no-inertia-with-lines": drop("link/inertial", _has_lines_in_origin),
    "last-of-several": _last_of_several,
    "no-impossible-moments": each("link/inertial", put("inertia", **dict.fromkeys(MOMENTS, "0")), _is_impossible),
    "floating-in-the-world": _freed_in_the_world,
    "no-effort-without-transmission": _no_effort_without_transmission,
    "no-range-of-zero": _no_range_of_zero,
    "no-effort-of-zero": _none_for_zero("effort"),
    "no-speed-of-zero": _none_for_zero("velocity"),
}
