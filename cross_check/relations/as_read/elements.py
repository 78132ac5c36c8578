"""Elements of URDF documents, read and written."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement

from cross_check.relations.as_read.rewriting import unused
from mechanisms import Inertia, Placement, Rotation
from mechanisms.numbers import Scalar, Vector, exact
from mechanisms.untrusted_xml import vector
from mechanisms.write_urdf import decimal, decimals

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")

FIXED = "joint[@type='fixed'][child]"
"""The path of fixed joints below <robot>."""


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
    with_moments(SubElement(element, "inertia"), moments)


def weld(robot: Element, parent: str, child: str, placement: Placement, angles: Vector) -> None:
    """Append a fixed joint."""
    joint = SubElement(robot, "joint", name=unused(robot, "joint", f"{child}_fixed"), type="fixed")
    SubElement(joint, "origin", xyz=decimals(placement.translation), rpy=decimals(angles))
    SubElement(joint, "parent", link=parent)
    SubElement(joint, "child", link=child)


def origin_of(element: Element) -> Placement:
    """The placement that an element's <origin> gives."""
    origin = element.find("origin")
    if origin is None:
        return Placement()
    roll, pitch, yaw = map(float, vector_of(origin, "rpy"))
    return Placement(Rotation.from_rpy(roll, pitch, yaw), vector_of(origin, "xyz"))


def fixed_joints(robot: Element) -> dict[str, Element]:
    """The fixed joints, by the name of their child."""
    return {child.get("link", ""): joint for joint in robot.findall(FIXED) for child in joint.findall("child")}


def vector_of(origin: Element, name: str) -> tuple[Scalar, Scalar, Scalar]:
    """The vector ``xyz`` or ``rpy`` of an element <origin>."""
    x, y, z = vector(origin, name, "<origin>", "0 0 0")
    return x, y, z


def moments_of(tensor: Element) -> Vector:
    """The six numbers of an element <inertia>."""
    return tuple(exact(tensor.get(name, "0")) for name in MOMENTS)


def with_moments(tensor: Element, moments: Vector) -> None:
    tensor.attrib.update({name: decimal(moment) for name, moment in zip(MOMENTS, moments, strict=True)})


def parent_of(joint: Element) -> str:
    return next((end.get("link", "") for end in joint.findall("parent")), "")


def in_carriers(robot: Element) -> dict[str, Placement]:
    """The placement of every link outboard of fixed joints in the link that carries it, by its name."""
    fixed = fixed_joints(robot)
    found: dict[str, Placement] = {}
    for name in fixed:
        path, link = list[str](), name
        while link in fixed and link not in found and link not in path:
            path.append(link)
            link = parent_of(fixed[link])
        for below in reversed(path):
            above = found.get(parent_of(fixed[below]), Placement())
            found[below] = (above @ origin_of(fixed[below])).shortened()
    return found
