"""What readers make of a file that misread inertias."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from xml.etree.ElementTree import Element

from cross_check.read.as_read.elements import (
    MOMENTS,
    drop,
    each,
    give_inertial,
    in_carriers,
    inertial,
    moments_of,
    origin_of,
    unset,
    vector_of,
    with_moments,
)
from cross_check.read.as_read.rewriting import Edit, Misreading
from mechanisms import Inertia, Placement, Rotation
from mechanisms.files.attributes import decimal, decimals, rpy
from mechanisms.numbers.exact import exact

FIRST = "link/inertial[1]"
"""The path of the elements <inertial> that count."""

Angles = tuple[float, float, float]
"""Roll, pitch and yaw (rad)."""


def _angles(change: Callable[[Angles], Rotation]) -> Edit:
    """The orientation of every inertia is another one: the moments are written in the link's axes."""

    def read(element: Element) -> None:
        origin, tensor = element.find("origin"), element.find("inertia")
        if origin is None or tensor is None or "rpy" not in origin.attrib:
            return
        roll, pitch, yaw = map(float, vector_of(origin, "rpy"))
        turned = Placement(change((roll, pitch, yaw)))
        with_moments(tensor, Inertia(1, about_com=moments_of(tensor)).placed(turned).about_com)
        del origin.attrib["rpy"]

    return each(FIRST, read)


def opposite_order(angles: Angles) -> Rotation:
    """Rx(roll) Ry(pitch) Rz(yaw)."""
    return Rotation.from_rpy(*(-x for x in angles)).inverse()


def _turned_origin(origin: Element) -> None:
    roll, pitch, yaw = map(float, vector_of(origin, "rpy"))
    origin.set("rpy", decimals(rpy(opposite_order((roll, pitch, yaw)))))


turned_origins = each("joint/origin", _turned_origin)
"""The rotations of all joints are made in the opposite order."""


def _all_opposite(robot: Element) -> None:
    _angles(opposite_order)(robot)
    turned_origins(robot)


def _turned_com(element: Element) -> None:
    if (origin := element.find("origin")) is not None:
        origin.set("xyz", decimals(origin_of(element).rotation(vector_of(origin, "xyz"))))


def _exchanged(tensor: Element) -> None:
    tensor.attrib.update(ixz=tensor.get("iyz", "0"), iyz=tensor.get("ixz", "0"))


def _products(factor: int) -> Edit:
    def change(tensor: Element) -> None:
        tensor.attrib.update({name: decimal(factor * exact(tensor.get(name, "0"))) for name in MOMENTS[3:]})

    return each(FIRST + "/inertia", change)


def _welded_links(change: Callable[[Inertia, Placement], Inertia]) -> Edit:
    """Changes the inertia of every link outboard of fixed joints, given its placement in the link that carries it."""

    def edit(robot: Element) -> None:
        placements = in_carriers(robot)
        for link in robot.findall("link"):
            element, name = link.find("inertial"), link.get("name", "")
            if element is not None and name in placements:
                mass, tensor = element.find("mass"), element.find("inertia")
                if mass is not None and tensor is not None:
                    read = Inertia(exact(mass.get("value", "0")), about_com=moments_of(tensor)).placed(origin_of(element))
                    inertial(link, change(read, placements[name]))

    return edit


def _unturned(inertia: Inertia, placement: Placement) -> Inertia:
    """The moments stay as they are; the centre of mass is where it belongs."""
    back = Placement(placement.rotation.inverse())
    return Inertia(inertia.mass, inertia.com, Inertia(1, about_com=inertia.about_com).placed(back).about_com)


def _unmoved(inertia: Inertia, placement: Placement) -> Inertia:
    moved = placement.rotation.inverse()(placement.translation)
    return Inertia(inertia.mass, tuple(c - m for c, m in zip(inertia.com, moved, strict=True)), inertia.about_com)


def _is_light(element: Element) -> bool:
    mass = element.find("mass")
    return mass is not None and abs(exact(mass.get("value", "0"))) <= Fraction(1, 1000)


ALONG_AXES = "write the inertia along the link's own axes, with rpy of <inertial> zero"
PRINCIPAL = "write the inertia along principal axes"
ADDED = "add the inertia of the link to that of the link that carries it"
WRITE_INERTIAL = "give the link an <inertial> with its mass and moments, which are zero if it has none"

IGNORED_RPY = Misreading("ignores rpy of <inertial>", unset(FIRST + "/origin[1]", "rpy"), ALONG_AXES)
OPPOSITE_RPY = Misreading("makes roll, pitch and yaw of <inertial> in the opposite order", _angles(opposite_order), ALONG_AXES)
ALL_OPPOSITE_RPY = Misreading("makes roll, pitch and yaw in the opposite order", _all_opposite)
BACKWARD_RPY = Misreading(
    "turns inertias by the inverse of rpy of <inertial>",
    _angles(lambda angles: Rotation.from_rpy(*angles).inverse()),
    ALONG_AXES,
)
YAW_ALONE = Misreading(
    "takes yaw alone of rpy of <inertial>", _angles(lambda angles: Rotation.from_rpy(0.0, 0.0, angles[2])), ALONG_AXES
)
TURNED_COM = Misreading("turns xyz of <inertial> by its rpy", each(FIRST, _turned_com), ALONG_AXES)
EXCHANGED = Misreading("exchanges ixz and iyz", each(FIRST + "/inertia", _exchanged), PRINCIPAL)
IGNORED_XYZ = Misreading(
    "ignores xyz of <inertial>", unset(FIRST + "/origin[1]", "xyz"), "put the link's frame at its centre of mass"
)
PRODUCTS = Misreading("takes products of inertia with the opposite sign", _products(-1), PRINCIPAL)
NO_PRODUCTS = Misreading("ignores products of inertia", _products(0), PRINCIPAL)
DROPPED = Misreading(
    "ignores the inertia of links outboard of fixed joints", _welded_links(lambda inertia, at: Inertia.massless()), ADDED
)
UNTURNED = Misreading(
    "does not turn the moments of inertia of links outboard of fixed joints",
    _welded_links(_unturned),
    "do not rotate fixed joints",
)
WHOLLY_UNTURNED = Misreading(
    "does not turn the inertia and the centre of mass of links outboard of fixed joints",
    _welded_links(lambda inertia, at: inertia.placed(Placement(at.rotation.inverse()))),
)
UNMOVED = Misreading(
    "ignores where links outboard of fixed joints are when it adds their inertia", _welded_links(_unmoved), ADDED
)
UNPLACED = Misreading(
    "takes the inertia of links outboard of fixed joints for one in the frame of the link that carries them",
    _welded_links(lambda inertia, at: inertia.placed(at.inverse())),
    ADDED,
)
NO_LIGHT_LINKS = Misreading("ignores the inertia of light links", drop("link/inertial", _is_light), ADDED)
KILOGRAM = Misreading("gives links without <inertial> a mass of 1 kg", give_inertial(lambda link: Inertia(1)), WRITE_INERTIAL)
