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
from mechanisms.write_urdf import decimal, decimals

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


def _products(factor: int) -> Edit:
    def change(element: Element) -> None:
        for tensor in element.findall("inertia"):
            tensor.attrib.update({name: decimal(factor * exact(tensor.get(name, "0"))) for name in MOMENTS[3:]})

    return links_by(change)


def fixed_children(robot: Element) -> dict[str, Element]:
    """The fixed joints, by the name of their child."""
    return {
        end.get("link", ""): j
        for j in robot.findall("joint")
        if j.get("type") == "fixed" and (end := j.find("child")) is not None
    }


def _welded_links(change: Callable[[Element, Element], None]) -> Edit:
    """Applies ``change`` to every link behind a fixed joint, and to that joint."""

    def edit(robot: Element) -> None:
        welds = fixed_children(robot)
        for link in robot.findall("link"):
            if link.get("name", "") in welds and link.find("inertial") is not None:
                change(link, welds[link.get("name", "")])

    return edit


def _drop(link: Element, joint: Element) -> None:
    for element in link.findall("inertial"):
        link.remove(element)


def _unturned(link: Element, joint: Element) -> None:
    """The moments stay as they are; the centre of mass is where it belongs."""
    origin, tensor = joint.find("origin"), link.find("inertial/inertia")
    if origin is not None and tensor is not None:
        turn = Rotation.from_rpy(*map(float, vector(origin, "rpy", "<origin>", "0 0 0")))
        moments = Inertia(1, about_com=tuple(exact(tensor.get(name, "0")) for name in MOMENTS))
        wrong = moments.placed(Placement(turn.inverse())).about_com
        tensor.attrib.update({name: decimal(moment) for name, moment in zip(MOMENTS, wrong, strict=True)})


def _unmoved(link: Element, joint: Element) -> None:
    """The whole inertia is taken for one in the frame of the link that carries it."""
    if (origin := joint.find("origin")) is not None:
        joint.remove(origin)


def _kilogram(robot: Element) -> None:
    for link in robot.findall("link"):
        if link.find("inertial") is None:
            inertial(link, Inertia(1))


IGNORED_RPY = Misreading("ignores rpy of <inertial>", _without("rpy"))
OPPOSITE_RPY = Misreading("makes roll, pitch and yaw of <inertial> in the opposite order", _angles(opposite_order))
BACKWARD_RPY = Misreading(
    "turns inertias by the inverse of rpy of <inertial>", _angles(lambda angles: Rotation.from_rpy(*angles).inverse())
)
IGNORED_XYZ = Misreading("ignores xyz of <inertial>", _without("xyz"))
PRODUCTS = Misreading("takes products of inertia with the opposite sign", _products(-1))
NO_PRODUCTS = Misreading("ignores products of inertia", _products(0))
DROPPED = Misreading("ignores the inertia of links behind fixed joints", _welded_links(_drop))
UNTURNED = Misreading(
    "does not turn the inertia of links behind fixed joints into the axes of the body", _welded_links(_unturned)
)
UNMOVED = Misreading("ignores the placement of links behind fixed joints when it adds their inertia", _welded_links(_unmoved))
KILOGRAM = Misreading("gives links without <inertial> a mass of 1 kg", _kilogram)

INERTIALS = (
    Rewriting(
        "inertial_rpy",
        "the axes of every <inertial> are turned by quarter turns",
        _turned(CYCLE),
        (IGNORED_RPY, OPPOSITE_RPY, BACKWARD_RPY, PRODUCTS, NO_PRODUCTS),
    ),
    Rewriting(
        "oblique_inertial_rpy",
        "the axes of every <inertial> are turned by oblique angles",
        _turned(OBLIQUE),
        (IGNORED_RPY, OPPOSITE_RPY, BACKWARD_RPY, PRODUCTS, NO_PRODUCTS),
    ),
    Rewriting(
        "welded_links",
        "the inertia of every body is shared among links that are welded to each other, each with a frame of its own",
        _welded,
        (DROPPED, UNTURNED, UNMOVED, IGNORED_XYZ),
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
