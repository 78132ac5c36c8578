"""The same inertias, written differently: turned axes, several welded links, links that do not move."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from cross_check.relations.as_read.rewriting import (
    Edit,
    Misreading,
    Rewriting,
    Rewritten,
    document,
    edited,
    is_held,
    text_of,
    unused,
)
from mechanisms import Inertia, Mechanism, Placement, Rotation
from mechanisms.errors import Unsupported
from mechanisms.geometry import Matrix
from mechanisms.numbers import Scalar, Vector, exact
from mechanisms.untrusted_xml import vector
from mechanisms.write_urdf import decimal, decimals, rpy

Angles = tuple[float, float, float]
"""Roll, pitch and yaw (rad)."""

QUARTER = 1.5707963267948966
CYCLE = (QUARTER, 0.0, QUARTER)
"""Roll, pitch and yaw of the rotation that takes x to y, y to z and z to x: it turns decimal numbers into decimal numbers."""

OBLIQUE = (0.5, -0.7, 1.1)
"""Roll, pitch and yaw, none of which may be left out or exchanged."""

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
SHARES = (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))
"""Of a body's inertia: what its own link keeps, and what the links have that are welded to it, one to the other."""

WELD = Placement(Rotation.from_rpy(*CYCLE), (Fraction(1, 8), Fraction(-1, 4), Fraction(1, 2)))
"""Every welded link on the one before."""


def inertial(link: Element, inertia: Inertia, angles: Vector | None = None) -> None:
    """Give the link this inertia, which is in the link's axes; it is written in axes that are turned by ``angles``."""
    for old in link.findall("inertial"):
        link.remove(old)
    moments = inertia.about_com
    element = SubElement(link, "inertial")
    origin = SubElement(element, "origin", xyz=decimals(inertia.com))
    if angles:
        origin.set("rpy", decimals(angles))
        moments = Inertia(inertia.mass, about_com=moments).placed(Placement(Rotation.from_rpy(*angles).inverse())).about_com
    SubElement(element, "mass", value=decimal(inertia.mass))
    SubElement(element, "inertia", {name: decimal(moment) for name, moment in zip(MOMENTS, moments, strict=True)})


def _turned(angles: Angles) -> Callable[[Mechanism], Rewritten]:
    def rewrite(mechanism: Mechanism) -> Rewritten:
        bodies = {body.name: body.inertia for body in mechanism.bodies}
        moments = {name: own.matrix for name, own in bodies.items() if not own.is_massless}
        if not any(_has_axes(matrix) for matrix in moments.values()):
            raise Unsupported("all inertias of its bodies are the same in all directions")

        def edit(robot: Element) -> None:
            for link in robot.findall("link"):
                if link.get("name") in moments:
                    inertial(link, bodies[link.get("name", "")], angles)

        return edited(mechanism, edit)

    return rewrite


def _has_axes(matrix: Matrix) -> bool:
    return any(matrix[i][j] != (matrix[0][0] if i == j else 0) for i in range(3) for j in range(3))


def _welded(mechanism: Mechanism) -> Rewritten:
    robot = document(mechanism)
    bodies = {body.name: body.inertia for body in mechanism.bodies if not body.inertia.is_massless}
    if not bodies:
        raise Unsupported("its bodies have no mass")
    for link in robot.findall("link"):
        whole = bodies.get(link.get("name", ""))
        if whole is None:
            continue
        inertial(link, _share(whole, SHARES[0]))
        holder, back = link.get("name", ""), Placement()
        for share in SHARES[1:]:
            back = WELD.inverse() @ back
            name = unused(robot, "link", f"{holder}_welded")
            inertial(SubElement(robot, "link", name=name), _share(whole, share).placed(back))
            weld(robot, holder, name, WELD, CYCLE)
            holder = name
    return Rewritten(text_of(robot), free_base=is_held(mechanism))


def weld(robot: Element, parent: str, child: str, placement: Placement, angles: Vector) -> None:
    """Append a fixed joint."""
    joint = SubElement(robot, "joint", name=unused(robot, "joint", f"{child}_fixed"), type="fixed")
    SubElement(joint, "origin", xyz=decimals(placement.translation), rpy=decimals(angles))
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)


def _share(whole: Inertia, share: Scalar) -> Inertia:
    return Inertia(share * whole.mass, whole.com, tuple(share * moment for moment in whole.about_com))


def _massive_root(mechanism: Mechanism) -> Rewritten:
    root = mechanism.root

    def edit(robot: Element) -> None:
        for link in robot.findall("link"):
            if link.get("name") == root:
                inertial(link, Inertia(3, ("0.25", "-0.5", "1"), ("0.5", "0.25", "0.375", "0.0625", "-0.03125", "0.125")))

    if is_held(mechanism):
        raise Unsupported("its root link moves")
    return edited(mechanism, edit)


def _zeros(mechanism: Mechanism) -> Rewritten:
    def edit(robot: Element) -> None:
        for link in robot.findall("link"):
            if link.find("inertial") is None:
                inertial(link, Inertia.massless())

    return edited(mechanism, edit)


# What faulty readers make of a file.


def links_by(change: Edit) -> Edit:
    """Applies ``change`` to the element <inertial> of every link that has one."""

    def edit(robot: Element) -> None:
        for link in robot.findall("link"):
            if (found := link.find("inertial")) is not None:
                change(found)

    return edit


def _without(attribute: str) -> Edit:
    def change(element: Element) -> None:
        if (origin := element.find("origin")) is not None:
            origin.attrib.pop(attribute, None)

    return links_by(change)


def _angles(change: Callable[[Angles], Rotation]) -> Edit:
    """The orientation of every inertia is another one: the moments are written in the link's axes."""

    def read(element: Element) -> None:
        origin, tensor = element.find("origin"), element.find("inertia")
        if origin is None or tensor is None or "rpy" not in origin.attrib:
            return
        roll, pitch, yaw = map(float, vector(origin, "rpy", "<origin>"))
        moments = Inertia(1, about_com=tuple(exact(tensor.get(name, "0")) for name in MOMENTS))
        wrong = moments.placed(Placement(change((roll, pitch, yaw)))).about_com
        tensor.attrib.update({name: decimal(moment) for name, moment in zip(MOMENTS, wrong, strict=True)})
        del origin.attrib["rpy"]

    return links_by(read)


def opposite_order(angles: Angles) -> Rotation:
    """Rx(roll) Ry(pitch) Rz(yaw)."""
    return Rotation.from_rpy(*(-x for x in angles)).inverse()


def turned_origins(robot: Element) -> None:
    """The rotations of all joints are made in the opposite order."""
    for joint in robot.findall("joint"):
        for origin in joint.findall("origin"):
            roll, pitch, yaw = map(float, vector(origin, "rpy", "<origin>", "0 0 0"))
            origin.set("rpy", decimals(rpy(opposite_order((roll, pitch, yaw)))))


def _all_opposite(robot: Element) -> None:
    _angles(opposite_order)(robot)
    turned_origins(robot)


def _products(factor: int) -> Edit:
    def change(element: Element) -> None:
        for tensor in element.findall("inertia"):
            tensor.attrib.update({name: decimal(factor * exact(tensor.get(name, "0"))) for name in MOMENTS[3:]})

    return links_by(change)


def fixed_children(robot: Element) -> dict[str, Element]:
    """The fixed joints, by the name of their child."""
    fixed = [joint for joint in robot.findall("joint") if joint.get("type") == "fixed"]
    return {child.get("link", ""): joint for joint in fixed for child in joint.findall("child")}


def in_carriers(robot: Element) -> dict[str, Placement]:
    """The placement of every link behind fixed joints in the link that carries it, by its name."""
    fixed = fixed_children(robot)
    found: dict[str, Placement] = {}
    for name in fixed:
        placement, link, seen = Placement(), name, {name}
        while link in fixed:
            placement = origin_of(fixed[link]) @ placement
            link = next((end.get("link", "") for end in fixed[link].findall("parent")), "")
            if link in seen:
                break
            seen.add(link)
        found[name] = placement
    return found


def origin_of(element: Element) -> Placement:
    """The placement that an element's <origin> gives."""
    origin = element.find("origin")
    if origin is None:
        return Placement()
    roll, pitch, yaw = map(float, vector(origin, "rpy", "<origin>", "0 0 0"))
    return Placement(Rotation.from_rpy(roll, pitch, yaw), vector(origin, "xyz", "<origin>", "0 0 0"))


def _welded_links(change: Callable[[Inertia, Placement], Inertia]) -> Edit:
    """Changes the inertia of every link behind fixed joints, given its placement in the link that carries it."""

    def edit(robot: Element) -> None:
        placements = in_carriers(robot)
        for link in robot.findall("link"):
            element, name = link.find("inertial"), link.get("name", "")
            if element is not None and name in placements:
                mass, tensor = element.find("mass"), element.find("inertia")
                if mass is not None and tensor is not None:
                    moments = tuple(exact(tensor.get(moment, "0")) for moment in MOMENTS)
                    read = Inertia(exact(mass.get("value", "0")), about_com=moments).placed(origin_of(element))
                    inertial(link, change(read, placements[name]))

    return edit


def _unturned(inertia: Inertia, placement: Placement) -> Inertia:
    """The moments stay as they are; the centre of mass is where it belongs."""
    back = Placement(placement.rotation.inverse())
    return Inertia(inertia.mass, inertia.com, Inertia(1, about_com=inertia.about_com).placed(back).about_com)


def _unmoved(inertia: Inertia, placement: Placement) -> Inertia:
    moved = placement.rotation.inverse()(placement.translation)
    return Inertia(inertia.mass, tuple(c - m for c, m in zip(inertia.com, moved, strict=True)), inertia.about_com)


def _kilogram(robot: Element) -> None:
    for link in robot.findall("link"):
        if link.find("inertial") is None:
            inertial(link, Inertia(1))


IGNORED_RPY = Misreading("ignores rpy of <inertial>", _without("rpy"))
OPPOSITE_RPY = Misreading("makes roll, pitch and yaw of <inertial> in the opposite order", _angles(opposite_order))
ALL_OPPOSITE_RPY = Misreading("makes roll, pitch and yaw in the opposite order", _all_opposite)
BACKWARD_RPY = Misreading(
    "turns inertias by the inverse of rpy of <inertial>", _angles(lambda angles: Rotation.from_rpy(*angles).inverse())
)
IGNORED_XYZ = Misreading("ignores xyz of <inertial>", _without("xyz"))
PRODUCTS = Misreading("takes products of inertia with the opposite sign", _products(-1))
NO_PRODUCTS = Misreading("ignores products of inertia", _products(0))
DROPPED = Misreading("ignores the inertia of links behind fixed joints", _welded_links(lambda inertia, at: Inertia.massless()))
UNTURNED = Misreading("does not turn the moments of inertia of links behind fixed joints", _welded_links(_unturned))
WHOLLY_UNTURNED = Misreading(
    "does not turn the inertia and the centre of mass of links behind fixed joints",
    _welded_links(lambda inertia, at: inertia.placed(Placement(at.rotation.inverse()))),
)
UNMOVED = Misreading("ignores where links behind fixed joints are when it adds their inertia", _welded_links(_unmoved))
UNPLACED = Misreading(
    "takes the inertia of links behind fixed joints for one in the frame of the link that carries them",
    _welded_links(lambda inertia, at: inertia.placed(at.inverse())),
)
KILOGRAM = Misreading("gives links without <inertial> a mass of 1 kg", _kilogram)

INERTIALS = (
    Rewriting(
        "inertial_rpy",
        "the axes of every <inertial> are turned by quarter turns",
        _turned(CYCLE),
        (IGNORED_RPY, OPPOSITE_RPY, ALL_OPPOSITE_RPY, BACKWARD_RPY, PRODUCTS, NO_PRODUCTS),
    ),
    Rewriting(
        "oblique_inertial_rpy",
        "the axes of every <inertial> are turned by oblique angles",
        _turned(OBLIQUE),
        (IGNORED_RPY, OPPOSITE_RPY, ALL_OPPOSITE_RPY, BACKWARD_RPY, PRODUCTS, NO_PRODUCTS),
    ),
    Rewriting(
        "welded_links",
        "the inertia of every body is shared among links that are welded to each other, each with a frame of its own",
        _welded,
        (DROPPED, UNTURNED, WHOLLY_UNTURNED, UNMOVED, UNPLACED, IGNORED_XYZ),
    ),
    Rewriting(
        "massive_root",
        "the link that does not move has inertia",
        _massive_root,
        suspect="counts the inertia of a link that does not move",
    ),
    Rewriting(
        "zero_inertia", "links without inertia have an <inertial> of zeros", _zeros, suspect="does not expect zeros in <inertial>"
    ),
)
