"""Elements of URDF documents, read, written and edited."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.rewriting import Edit, unused
from mechanisms import Inertia, Placement, Rotation
from mechanisms.files.attributes import decimal, decimals
from mechanisms.files.untrusted_xml import vector
from mechanisms.numbers.exact import Scalar, Vector, exact

MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


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


def always(element: Element) -> bool:
    return True


def each(path: str, change: Callable[[Element], object], where: Callable[[Element], bool] = always) -> Edit:
    """Changes the elements on a path below <robot>, such as "joint[@type='planar']/origin", for which ``where`` holds."""

    def edit(robot: Element) -> None:
        for element in robot.findall(path):
            if where(element):
                change(element)

    return edit


def put(path: str, **attributes: str) -> Edit:
    """Gives the elements on a path these attributes."""
    return each(path, lambda element: element.attrib.update(attributes))


def unset(path: str, *attributes: str) -> Edit:
    """Takes these attributes from the elements on a path."""
    return each(path, lambda element: [element.attrib.pop(name, None) for name in attributes])


def drop(path: str, where: Callable[[Element], bool] = always) -> Edit:
    """Removes the elements on a path for which ``where`` holds."""
    above, _, tag = path.rpartition("/")
    # Above what may be anywhere is any element.
    above += "/*" if above.endswith("/") else ""

    def change(parent: Element) -> None:
        for element in parent.findall(tag):
            if where(element):
                parent.remove(element)

    return each(above or ".", change)


def give_inertial(inertia: Callable[[Element], Inertia | None]) -> Edit:
    """Gives links without <inertial> an inertia, if there is one for the link."""

    def change(link: Element) -> None:
        if (own := inertia(link)) is not None:
            inertial(link, own)

    return each("link", change, lambda link: link.find("inertial") is None)


def origin_of(element: Element) -> Placement:
    """The placement that an element's <origin> gives."""
    origin = element.find("origin")
    if origin is None:
        return Placement()
    roll, pitch, yaw = map(float, vector_of(origin, "rpy"))
    return Placement(Rotation.from_rpy(roll, pitch, yaw), vector_of(origin, "xyz"))


def fixed_joints(robot: Element) -> dict[str, Element]:
    """The fixed joints, by the name of their child."""
    fixed = [joint for joint in robot.findall("joint") if joint.get("type") == "fixed"]
    return {child.get("link", ""): joint for joint in fixed for child in joint.findall("child")}


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
