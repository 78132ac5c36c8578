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
    vector_of,
    with_moments,
)
from cross_check.read.as_read.rewriting import Edit
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


EDITS: dict[str, Edit] = {
    "opposite-rpy-of-inertials": _angles(opposite_order),
    "all-opposite-rpy": _all_opposite,
    "backward-rpy": _angles(lambda angles: Rotation.from_rpy(*angles).inverse()),
    "yaw-alone": _angles(lambda angles: Rotation.from_rpy(0.0, 0.0, angles[2])),
    "turned-com": each(FIRST, _turned_com),
    "exchanged-products": each(FIRST + "/inertia", _exchanged),
    "opposite-products": _products(-1),
    "no-products": _products(0),
    "no-welded-inertias": _welded_links(lambda inertia, at: Inertia.massless()),
    "unturned-moments": _welded_links(_unturned),
    "unturned-inertias": _welded_links(lambda inertia, at: inertia.placed(Placement(at.rotation.inverse()))),
    "unmoved-inertias": _welded_links(_unmoved),
    "unplaced-inertias": _welded_links(lambda inertia, at: inertia.placed(at.inverse())),
    "no-light-links": drop("link/inertial", _is_light),
    "kilogram": give_inertial(lambda link: Inertia(1)),
}
