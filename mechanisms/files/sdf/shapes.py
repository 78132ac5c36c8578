"""Inertias of links: as they are written, or those of homogeneous solids.

The volumes of solids contain π, which is taken to a hundred digits. A capsule's length is that of its cylinder, and a cone's
origin is half way between its tip and its base.
"""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.sdf.documents import text_of
from mechanisms.files.sdf.values import PI, number, placement_of, vector
from mechanisms.files.sdf.vocabulary import boolean, require_known
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia, box, cylinder
from mechanisms.numbers.exact import Scalar

ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")

WATER = 1000
"""The density of shapes that have none (kg/m³)."""


def inertia_of(link: Element, placement: Callable[[Element], Placement]) -> Inertia:
    """The inertia of <link>, in the link's frame; ``placement`` gives that of a <collision> in it."""
    inertial = link.find("inertial")
    if inertial is None:
        return Inertia(1, about_com=(1, 1, 1, 0, 0, 0))
    with naming("<inertial>", inertial):
        if boolean(inertial.get("auto"), False):
            return _of_shapes(link, inertial, placement)
        pose, tensor = inertial.find("pose"), inertial.find("inertia")
        if pose is not None and pose.get("relative_to"):
            raise MechanismError("its <pose> has relative_to; give the numbers in the link's frame", place_of(pose))
        given = Element("inertia") if tensor is None else tensor
        about_com = tuple(number(given, f"i{entry}", int(entry[0] == entry[1])) for entry in ENTRIES)
        return Inertia(number(inertial, "mass", 1), about_com=about_com).placed(placement_of(pose))


def _of_shapes(link: Element, inertial: Element, placement: Callable[[Element], Placement]) -> Inertia:
    collisions = link.findall("collision")
    if not collisions:
        raise MechanismError("it takes the inertia from shapes, and the link has no <collision>; add one")
    default = number(inertial, "density", WATER)
    whole = Inertia.massless()
    for collision in collisions:
        with naming(f"collision {collision.get('name', '')!r}", collision):
            require_known(collision, "collision")
            whole += _solid(collision, number(collision, "density", default)).placed(placement(collision))
    if text_of(inertial, "mass", ""):
        if whole.mass == 0:
            raise MechanismError("it gives a mass to shapes without volume; write <inertia> without auto")
        scale = number(inertial, "mass") / whole.mass
        whole = Inertia(whole.mass * scale, whole.com, tuple(entry * scale for entry in whole.about_com))
    return whole


def _solid(collision: Element, density: Scalar) -> Inertia:
    geometry = collision.find("geometry")
    shapes = [] if geometry is None else list(geometry)
    if len(shapes) != 1:
        raise MechanismError("its <geometry> has no shape, or several; give one")
    (shape,) = shapes
    if shape.tag in ("empty", "plane"):
        return Inertia.massless()
    if shape.tag == "box":
        a, b, c = _lengths(shape, *vector(shape, "size", (1, 1, 1)))
        return box(density * a * b * c, (a, b, c))
    if shape.tag == "ellipsoid":
        a, b, c = _lengths(shape, *vector(shape, "radii", (1, 1, 1)))
        mass = density * PI * a * b * c * 4 / 3
        return Inertia(mass, about_com=(*(mass * (x * x + y * y) / 5 for x, y in ((b, c), (a, c), (a, b))), 0, 0, 0))
    if shape.tag == "sphere":
        return _capsule(density, _lengths(shape, number(shape, "radius", 1))[0], 0)
    r, l = _lengths(shape, number(shape, "radius", "0.5" if shape.tag == "capsule" else 1), number(shape, "length", 1))
    if shape.tag == "capsule":
        return _capsule(density, r, l)
    if shape.tag == "cylinder":
        return cylinder(density * PI * r * r * l, r, l)
    mass = density * PI * r * r * l / 3
    across, along = mass * 3 * (4 * r * r + l * l) / 80, mass * 3 * r * r / 10
    return Inertia(mass, (0, 0, -l / 4), (across, across, along, 0, 0, 0))


def _capsule(density: Scalar, radius: Scalar, length: Scalar) -> Inertia:
    """A cylinder along z, and half a ball on each end, whose centre of mass is 3 r/8 from its plane."""
    half = density * PI * radius**3 * 2 / 3
    tube = cylinder(density * PI * radius * radius * length, radius, length)
    along = half * radius * radius * 2 / 5
    across = along - half * (3 * radius / 8) ** 2
    ends = [Inertia(half, (0, 0, sign * (length / 2 + 3 * radius / 8)), (across, across, along, 0, 0, 0)) for sign in (1, -1)]
    return tube + ends[0] + ends[1]


def _lengths(shape: Element, *lengths: Scalar) -> tuple[Scalar, ...]:
    if any(length <= 0 for length in lengths):
        raise MechanismError(f"<{shape.tag}> has a length of zero or less; give positive ones", place_of(shape))
    return lengths
