"""Why a reader may take a file otherwise: each hypothesis is an edit that makes of the file what the reader took it for.

A hypothesis explains a reader if we read in the edited file what the reader reads in the file as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from cross_check.read.as_read import axes, misread_inertials, trees
from cross_check.read.as_read.elements import MOMENTS, drop, each, give_inertial, origin_of, put, unset
from cross_check.read.as_read.misread_inertials import WRITE_INERTIAL
from cross_check.read.as_read.rewriting import Edit, Misreading
from cross_check.read.as_read.trees import FREE_WHEN_LOADED
from cross_check.read.readers import other_forms
from mechanisms import Inertia
from mechanisms.files.attributes import decimal
from mechanisms.files.solids import shape_of, size_of
from mechanisms.numbers.exact import WHITESPACE
from mechanisms.reading import Form

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


def _has_lines_in_origin(element: Element) -> bool:
    return any(set(text) & set("\n\r\t") for origin in element.findall("origin") for text in origin.attrib.values())


def _put_water(element: Element, mass: float | None = None) -> None:
    """Put a ball of water at the centre of mass. It has this mass; None is that of the link."""
    m = _numbers(element)[0] if mass is None else mass
    radius = (3 * m / (4 * math.pi * WATER)) ** (1 / 3)
    put("mass", value=decimal(m))(element)
    put("inertia", **{name: decimal(0.4 * m * radius**2 if name in MOMENTS[:3] else 0) for name in MOMENTS})(element)


def _last_inertial(link: Element) -> None:
    for element in link.findall("inertial")[:-1]:
        link.remove(element)


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


def _gravity(xyz: str) -> Edit:
    def edit(robot: Element) -> None:
        drop("gravity")(robot)
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
    """The nearest number of float32. It is infinite where float32 has none so large; this needs no warning."""
    with np.errstate(over="ignore"):
        return float(np.float32(x))


URDF = (
    misread_inertials.KILOGRAM,
    Misreading(
        "gives links without <inertial> a mass of 1 kg and moments of 1 kg m²",
        give_inertial(lambda link: Inertia(1, about_com=(1, 1, 1, 0, 0, 0))),
        WRITE_INERTIAL,
    ),
    Misreading("gives links without <inertial> the mass of their geometry", give_inertial(_collision_inertia), WRITE_INERTIAL),
    Misreading(
        "drops the moments of links without mass",
        drop("link/inertial", _has_no_mass),
        "give the link a mass, or zero moments",
        pages=("mujoco-fusestatic-massless-inertia",),
    ),
    Misreading(
        "puts a ball of water of the same mass in place of an inertia that no body can have",
        each("link/inertial", _put_water, _is_impossible_for_drake),
        "correct the moments of inertia of the link",
    ),
    Misreading(
        "puts a ball of water of 1 kg in place of moments without mass",
        each("link/inertial", lambda element: _put_water(element, 1.0), _has_moments_alone),
        "give the link a mass, or zero moments",
    ),
    Misreading(
        "takes a link for one without inertia if a number in its <inertial> has spaces around it",
        drop("link/inertial", _has_spaced_number),
        "write the number without spaces",
        pages=("pinocchio-urdf-spaces",),
    ),
    Misreading(
        "takes a link for one without inertia if <origin> of its <inertial> has a line end or a tab between numbers",
        drop("link/inertial", _has_lines_in_origin),
        "write the three numbers with spaces between them",
        pages=("pinocchio-urdf-spaces",),
    ),
    Misreading("takes the last <inertial> of a link that has several", each("link", _last_inertial), "write one <inertial>"),
    Misreading("ignores quat_xyzw of <origin>", unset(".//origin", "quat_xyzw"), "write rpy"),
    Misreading(
        "ignores <origin> of floating joints",
        drop("joint[@type='floating']/origin"),
        "put the joint's frame at the parent link's, or set the position that the origin means",
    ),
    Misreading(
        "drops the moments of an inertia that no body can have",
        each("link/inertial", put("inertia", **dict.fromkeys(MOMENTS, "0")), _is_impossible),
        "correct the moments of inertia of the link",
    ),
    misread_inertials.IGNORED_RPY,
    misread_inertials.OPPOSITE_RPY,
    misread_inertials.BACKWARD_RPY,
    misread_inertials.YAW_ALONE,
    misread_inertials.TURNED_COM,
    misread_inertials.IGNORED_XYZ,
    misread_inertials.EXCHANGED,
    misread_inertials.PRODUCTS,
    misread_inertials.NO_PRODUCTS,
    misread_inertials.DROPPED,
    misread_inertials.UNTURNED,
    misread_inertials.UNMOVED,
    misread_inertials.UNPLACED,
    misread_inertials.NO_LIGHT_LINKS,
    axes.PLANAR_Z,
    axes.DEFAULT_Z,
    axes.UNSIGNED,
    axes.SNAPPED,
    axes.IN_PARENT,
    axes.OPPOSITE_RPY,
    trees.NO_SMALL_ANGLES,
    trees.UNTURNED,
    trees.UNPLACED,
    trees.CONTINUOUS,
    trees.FLOATING,
    Misreading(
        "takes the parent and the origin of floating joints for those of the world", _freed_in_the_world, FREE_WHEN_LOADED
    ),
    Misreading(
        "takes planar joints for fixed ones",
        put("joint[@type='planar']", type="fixed"),
        "write two prismatic joints and a revolute one",
    ),
    Misreading("takes joints that mimic others for fixed ones", put("joint[mimic]", type="fixed"), other_forms.COUPLE),
    Misreading(
        "keeps no largest force of joints without a SimpleTransmission",
        _no_effort_without_transmission,
        "give the joint a <transmission> of the type SimpleTransmission",
    ),
    Misreading("ignores <mimic>: the joint moves by itself", drop("joint/mimic"), other_forms.COUPLE),
    Misreading("ignores <dynamics damping>", unset("joint/dynamics", "damping"), "set the damping after loading"),
    Misreading(
        "ignores <dynamics armature>",
        unset("joint/dynamics", "armature"),
        "set the armature after loading: it is no part of URDF",
    ),
    Misreading(
        "takes limits of zero, or a <limit> without lower and upper, for a joint without limits",
        _no_range_of_zero,
        "make the joint continuous, or give it limits that are not zero",
    ),
    Misreading("ignores <limit>", drop("joint/limit"), "set the limits after loading"),
    Misreading(
        "ignores <gravity>: it is 9.81 m/s² along −z", _gravity("0 0 -9.81"), "set gravity after loading: it is no part of URDF"
    ),
    Misreading("has no gravity", _gravity("0 0 0"), "set gravity after loading"),
    Misreading("rounds placements to float32", _in_float32("origin"), verdict="digits"),
    Misreading("rounds masses and moments to float32", _in_float32("mass", "inertia"), verdict="digits"),
    Misreading("rounds axes to float32", _in_float32("axis"), verdict="digits"),
    Misreading(
        "rounds all numbers to float32", _in_float32("origin", "mass", "inertia", "axis", "limit", "dynamics"), verdict="digits"
    ),
)
"""In the order in which they are tried. Of two that explain equally much, the first one is named."""

HYPOTHESES: Mapping[Form, tuple[Misreading, ...]] = {"urdf": URDF, "mjcf": other_forms.MJCF, "sdf": other_forms.SDF}
