"""Inertias of links: as they are written, or those of homogeneous solids."""

from __future__ import annotations

from collections.abc import Callable
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.sdf.documents import text_of
from mechanisms.files.sdf.values import number, placement_of, vector
from mechanisms.files.sdf.vocabulary import boolean, require_known
from mechanisms.files.solids import shape_of, size_of
from mechanisms.files.untrusted_xml import naming, place_of
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia
from mechanisms.numbers.exact import Scalar, Vector

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

    def given(name: str) -> Vector:
        default = "0.5" if (shape.tag, name) == ("capsule", "radius") else 1
        return vector(shape, name, (1, 1, 1)) if name in ("size", "radii") else (number(shape, name, default),)

    lengths = size_of(shape.tag, given)
    if min(lengths) <= 0:
        raise MechanismError(f"<{shape.tag}> has a length of zero or less; give positive ones", place_of(shape))
    made = shape_of(shape.tag, lengths)
    return made.of_mass(density * made.content)
