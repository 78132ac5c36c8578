"""The same inertias, written differently, and what faulty readers make of them.

Axes are turned, links are welded to each other, links do not move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from xml.etree.ElementTree import Element, SubElement

from cross_check.relations.as_read.rewriting import (
    MOMENTS,
    Edit,
    Misreading,
    Rewriting,
    Rewritten,
    at,
    by,
    document,
    edited,
    in_carriers,
    inertial,
    is_held,
    moments_of,
    origin_of,
    text_of,
    unused,
    vector_of,
    weld,
    with_moments,
)
from mechanisms import Inertia, Mechanism, Placement, Rotation
from mechanisms.errors import Unsupported
from mechanisms.geometry import Matrix
from mechanisms.numbers import Scalar, exact
from mechanisms.write_urdf import decimal, decimals, rpy

Angles = tuple[float, float, float]
"""Roll, pitch and yaw (rad)."""

INERTIAL = "link/inertial[1]"


def _without(attribute: str) -> Edit:
    return at(f"{INERTIAL}/origin[1]", lambda origin: origin.attrib.pop(attribute, None))


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

    return at(INERTIAL, read)


def opposite_order(angles: Angles) -> Rotation:
    """Rx(roll) Ry(pitch) Rz(yaw)."""
    return Rotation.from_rpy(*(-x for x in angles)).inverse()


def _opposite(origin: Element) -> None:
    roll, pitch, yaw = map(float, vector_of(origin, "rpy"))
    origin.set("rpy", decimals(rpy(opposite_order((roll, pitch, yaw)))))


turned_origins = at("joint/origin", _opposite)
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

    return at(f"{INERTIAL}/inertia", change)


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


def _without_light_inertial(link: Element) -> None:
    for element in link.findall("inertial"):
        mass = element.find("mass")
        if mass is not None and abs(exact(mass.get("value", "0"))) <= Fraction(1, 1000):
            link.remove(element)


def _kilogram(link: Element) -> None:
    if link.find("inertial") is None:
        inertial(link, Inertia(1))


IGNORED_RPY = Misreading("ignores rpy of <inertial>", _without("rpy"))
OPPOSITE_RPY = Misreading("makes roll, pitch and yaw of <inertial> in the opposite order", _angles(opposite_order))
ALL_OPPOSITE_RPY = Misreading("makes roll, pitch and yaw in the opposite order", _all_opposite)
BACKWARD_RPY = Misreading(
    "turns inertias by the inverse of rpy of <inertial>", _angles(lambda angles: Rotation.from_rpy(*angles).inverse())
)
YAW_ALONE = Misreading("takes yaw alone of rpy of <inertial>", _angles(lambda angles: Rotation.from_rpy(0.0, 0.0, angles[2])))
TURNED_COM = Misreading("turns xyz of <inertial> by its rpy", at(INERTIAL, _turned_com))
EXCHANGED = Misreading("exchanges ixz and iyz", at(f"{INERTIAL}/inertia", _exchanged))
IGNORED_XYZ = Misreading("ignores xyz of <inertial>", _without("xyz"))
PRODUCTS = Misreading("takes products of inertia with the opposite sign", _products(-1))
NO_PRODUCTS = Misreading("ignores products of inertia", _products(0))
DROPPED = Misreading(
    "ignores the inertia of links outboard of fixed joints", _welded_links(lambda inertia, place: Inertia.massless())
)
UNTURNED = Misreading("does not turn the moments of inertia of links outboard of fixed joints", _welded_links(_unturned))
WHOLLY_UNTURNED = Misreading(
    "does not turn the inertia and the centre of mass of links outboard of fixed joints",
    _welded_links(lambda inertia, place: inertia.placed(Placement(place.rotation.inverse()))),
)
UNMOVED = Misreading("ignores where links outboard of fixed joints are when it adds their inertia", _welded_links(_unmoved))
UNPLACED = Misreading(
    "takes the inertia of links outboard of fixed joints for one in the frame of the link that carries them",
    _welded_links(lambda inertia, place: inertia.placed(place.inverse())),
)
NO_LIGHT_LINKS = Misreading("ignores the inertia of light links", at("link", _without_light_inertial))
KILOGRAM = Misreading("gives links without <inertial> a mass of 1 kg", at("link", _kilogram))


QUARTER = 1.5707963267948966
CYCLE = (QUARTER, 0.0, QUARTER)
"""Roll, pitch and yaw of the rotation that takes x to y, y to z and z to x: it turns decimal numbers into decimal numbers."""

OBLIQUE = (0.5, -0.7, 1.1)
"""Roll, pitch and yaw, none of which may be left out or exchanged."""

SHARES = (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
"""Of a body's inertia: what its own link keeps, and what the links have that are welded to it, one to the other."""

WELD_ANGLES = (CYCLE, (QUARTER, 0.0, 0.0))
WELDS = tuple(Placement(Rotation.from_rpy(*angles), (Fraction(1, 8), Fraction(-1, 4), Fraction(1, 2))) for angles in WELD_ANGLES)
"""Every welded link on the one before. The order of their rotations matters."""

LIGHT = Fraction(1, 1000)
"""The mass of light links at most (kg)."""


def _turned(angles: Angles) -> Callable[[Mechanism], Rewritten]:
    def rewrite(mechanism: Mechanism) -> Rewritten:
        bodies = {body.name: body.inertia for body in mechanism.bodies}
        moments = {name: own.matrix for name, own in bodies.items() if not own.is_massless}
        if not any(_has_axes(matrix) for matrix in moments.values()):
            raise Unsupported("all inertias of its bodies are the same in all directions")

        def change(link: Element) -> None:
            if link.get("name") in moments:
                inertial(link, bodies[link.get("name", "")], angles)

        return edited(mechanism, at("link", change))

    return rewrite


def _has_axes(matrix: Matrix) -> bool:
    return any(matrix[i][j] != (matrix[0][0] if i == j else 0) for i in range(3) for j in range(3))


def _light_share(whole: Inertia) -> tuple[Fraction, ...]:
    """What the link keeps, and a negative power of two of its mass, which is between half of :data:`LIGHT` and that."""
    part = Fraction(1, 2)
    while part * abs(whole.mass) > LIGHT:
        part /= 2
    return 1 - part, part


def _shared(mechanism: Mechanism, shares_of: Callable[[Inertia], Sequence[Fraction]]) -> Rewritten:
    robot = document(mechanism)
    bodies = {body.name: body.inertia for body in mechanism.bodies if not body.inertia.is_massless}
    if not bodies:
        raise Unsupported("its bodies have no mass")
    for link in robot.findall("link"):
        whole = bodies.get(link.get("name", ""))
        if whole is None:
            continue
        own, *shares = shares_of(whole)
        inertial(link, _share(whole, own))
        holder, back = link.get("name", ""), Placement()
        for share, placement, angles in zip(shares, WELDS, WELD_ANGLES, strict=False):
            back = placement.inverse() @ back
            name = unused(robot, "link", f"{holder}_welded")
            inertial(SubElement(robot, "link", name=name), _share(whole, share).placed(back))
            weld(robot, holder, name, placement, angles)
            holder = name
    return Rewritten(text_of(robot), free_base=is_held(mechanism))


def _share(whole: Inertia, share: Scalar) -> Inertia:
    return Inertia(share * whole.mass, whole.com, tuple(share * moment for moment in whole.about_com))


def _massive_root(mechanism: Mechanism) -> Rewritten:
    def change(link: Element) -> None:
        if link.get("name") == mechanism.root:
            inertial(link, Inertia(3, ("0.25", "-0.5", "1"), ("0.5", "0.25", "0.375", "0.0625", "-0.03125", "0.125")))

    if is_held(mechanism):
        raise Unsupported("its root link moves")
    return edited(mechanism, at("link", change))


def _zeros(link: Element) -> None:
    if link.find("inertial") is None:
        inertial(link, Inertia.massless())


ROTATED = (
    IGNORED_RPY,
    YAW_ALONE,
    OPPOSITE_RPY,
    ALL_OPPOSITE_RPY,
    BACKWARD_RPY,
    TURNED_COM,
    PRODUCTS,
    NO_PRODUCTS,
    EXCHANGED,
)
"""What shows where the axes of an <inertial> are turned."""

INERTIALS = (
    Rewriting(
        "inertial_rpy",
        "the axes of every <inertial> are turned by quarter turns",
        _turned(CYCLE),
        ROTATED,
    ),
    Rewriting(
        "oblique_inertial_rpy",
        "the axes of every <inertial> are turned by oblique angles",
        _turned(OBLIQUE),
        ROTATED,
    ),
    Rewriting(
        "welded_links",
        "the inertia of every body is shared among links that are welded to each other, each with a frame of its own",
        partial(_shared, shares_of=lambda whole: SHARES),
        (DROPPED, UNTURNED, WHOLLY_UNTURNED, UNMOVED, UNPLACED, IGNORED_XYZ),
    ),
    Rewriting(
        "light_links",
        "a part of every body's inertia, 1 g at most, is that of a link that is welded to it",
        partial(_shared, shares_of=_light_share),
        (NO_LIGHT_LINKS,),
    ),
    Rewriting(
        "massive_root",
        "the link that does not move has inertia",
        _massive_root,
        suspect="counts the inertia of a link that does not move",
    ),
    Rewriting(
        "zero_inertia",
        "links without inertia have an <inertial> of zeros",
        by(at("link", _zeros)),
        suspect="does not expect zeros in <inertial>",
    ),
)
