"""The inertia of a body of MJCF: from <inertial>, or from its geoms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.mesh_inertia import Content
from mechanisms.files.mjcf.settings import Settings
from mechanisms.files.mjcf.words import called, is_true, one, some, values, whole, word
from mechanisms.files.solids import SHAPES, Shape, shape_of
from mechanisms.files.untrusted_xml import naming
from mechanisms.geometry import Matrix, Placement
from mechanisms.inertia import Inertia
from mechanisms.numbers.exact import Vector, dot
from mechanisms.numbers.rounded import long_root

TYPES = (*(kind for kind in SHAPES if kind != "cone"), "plane", "hfield", "mesh", "sdf")

NO_MASS = Fraction(1, 10**14)
"""Geoms of less mass (kg) have no inertia, as in MuJoCo."""

Placed = tuple[Element, Placement]
"""A geom, with the placement of the <frame> that it is in."""


@dataclass(frozen=True)
class Inertias:
    """Makes inertias of bodies."""

    settings: Settings
    _meshes: dict[str, Content] = field(default_factory=dict)

    def of_body(self, inertial: Placed | None, geoms: Sequence[Placed]) -> Inertia:
        """The inertia in the frame of the body. Raises :class:`MechanismError`."""
        settings = self.settings
        own = Inertia.massless() if inertial is None else self._explicit(inertial[0]).placed(inertial[1])
        if settings.from_geoms == "true" or (settings.from_geoms == "auto" and inertial is None):
            parts = [self._of_geom(geom).placed(frame) for geom, frame in geoms if whole(geom, "group", "0") in settings.groups]
            if parts := [part for part in parts if part.mass > NO_MASS]:
                own = sum(parts[1:], parts[0]).shortened()
        return self._bounded(own)

    def _explicit(self, inertial: Element) -> Inertia:
        with naming("<inertial>", inertial):
            if "pos" not in inertial.attrib or "mass" not in inertial.attrib:
                raise MechanismError("it has no pos or no mass; give both")
            mass, com = one(inertial, "mass", ""), some(inertial, "pos", 3)
            if "fullinertia" not in inertial.attrib:
                diagonal = some(inertial, "diaginertia", 3, "0 0 0")
                rotation = self.settings.angles.rotation(inertial)
                return Inertia(mass, about_com=(*diagonal, 0, 0, 0)).placed(Placement(rotation, com))
            if inertial.attrib.keys() - {"pos", "mass", "fullinertia"}:
                raise MechanismError("it has fullinertia, and diaginertia or an orientation; give one of them")
            return Inertia(mass, com, some(inertial, "fullinertia", 6))

    def _bounded(self, inertia: Inertia) -> Inertia:
        """The inertia with the least mass and moments, and balanced, as <compiler> asks."""
        least, smallest = self.settings.bound("boundmass"), self.settings.bound("boundinertia")
        about = inertia.about_com
        if not is_semidefinite(
            tuple(tuple(x - smallest * (i == j) for j, x in enumerate(row)) for i, row in enumerate(inertia.matrix))
        ):
            if smallest == 0:
                raise MechanismError("a principal moment is negative; correct the inertia")
            if any(about[3:]):
                remedy = "give the body an <inertial> with diaginertia, or remove boundinertia"
                raise MechanismError(f"a principal moment is below boundinertia, and has no exact axis; {remedy}")
            about = (*(max(x, smallest) for x in about[:3]), 0, 0, 0)
        if inertia.mass < least and inertia.mass == 0:
            # Where the mass is, the format does not say; MuJoCo 4.0 puts it at the body's pos, in the body's own frame.
            raise MechanismError("boundmass gives mass to it, and nothing says where; give it an <inertial>")
        bounded = replace(inertia, mass=max(inertia.mass, least), about_com=about)
        if is_true(self.settings.compiler, "balanceinertia"):
            half = sum(about[:3], Fraction(0)) / 2
            doubled = tuple(tuple(half * (i == j) - x for j, x in enumerate(row)) for i, row in enumerate(bounded.matrix))
            if not is_semidefinite(doubled):
                return replace(bounded, about_com=(half * Fraction(2, 3),) * 3 + (0, 0, 0))
        return bounded

    def _of_geom(self, geom: Element) -> Inertia:
        with naming(called(geom), geom):
            kind = word(geom, "type", TYPES, "sphere")
            mass = one(geom, "mass", "") if "mass" in geom.attrib else None
            density = one(geom, "density", "1000")
            if kind == "plane" or mass == 0 or (mass is None and density == 0):
                return Inertia.massless()
            if min(density, mass or 0) < 0:
                raise MechanismError("its mass or density is negative; give zero or more")
            if kind in ("hfield", "sdf"):
                raise MechanismError(
                    f"the mass of a geom of type {kind} is not computed; give it mass 0, or the body an <inertial>"
                )
            if kind == "mesh":
                return self._of_mesh(geom, density, mass)
            if "mesh" in geom.attrib:
                raise MechanismError(
                    f"a {kind} that is fitted to a mesh has no exact size; give its size, or the body an <inertial>"
                )
            return self._of_shape(geom, kind, density, mass)

    def _of_mesh(self, geom: Element, density: Fraction, mass: Fraction | None) -> Inertia:
        if "fromto" in geom.attrib or is_true(geom, "shellinertia"):
            raise MechanismError("it is a mesh, and has fromto or shellinertia; give the mesh the attribute inertia")
        content, com, second = self.settings.content(geom.get("mesh", ""), self._meshes)
        total = density * content if mass is None else mass
        xx, yy, zz, xy, xz, yz = (x * total / content for x in second)
        about = (yy + zz, xx + zz, xx + yy, -xy, -xz, -yz)
        return Inertia(total, com, about).placed(self.settings.angles.placement(geom)).shortened()

    def _of_shape(self, geom: Element, kind: str, density: Fraction, mass: Fraction | None) -> Inertia:
        known, size = SHAPES[kind], values(geom, "size")
        ends = some(geom, "fromto", 6) if "fromto" in geom.attrib else None
        if ends:
            if not known.ends or any(values(geom, "pos")):
                raise MechanismError(
                    f"it has fromto, and is a {kind} or has pos; give only capsules, cylinders, ellipsoids and boxes fromto"
                )
            span = tuple(a - b for a, b in zip(ends[:3], ends[3:], strict=True))
            half = long_root(dot(span, span)) / 2
            size = (*size[:1], half) if known.sizes == 2 else (*size[:1], *size[:1], half)
        if len(size) < known.sizes:
            raise MechanismError(f"its size has {len(size)} numbers; a {kind} needs {known.sizes}")
        shape = shape_of(kind, size[: known.sizes], is_true(geom, "shellinertia"))
        total = density * shape.content if mass is None else mass
        if ends is None:
            return shape.of_mass(total).placed(self.settings.angles.placement(geom))
        middle = tuple((a + b) / 2 for a, b in zip(ends[:3], ends[3:], strict=True))
        return Inertia(total, middle, tuple(total * x for x in _about_span(shape, span)))


def _about_span(shape: Shape, span: Vector) -> Vector:
    """The moments per mass of a shape whose third axis is along ``span``, in the axes of that vector; no root is needed."""
    across, along = shape.moments[0], shape.moments[2]
    square = dot(span, span)
    entries = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return tuple(across * (i == j) + (along - across) * span[i] * span[j] / square for i, j in entries)


def is_semidefinite(m: Matrix) -> bool:
    """Whether no eigenvalue of a symmetric 3×3 matrix is negative: no principal minor is."""
    pairs = [m[i][i] * m[j][j] - m[i][j] ** 2 for i, j in ((0, 1), (0, 2), (1, 2))]
    det = (
        m[0][0] * pairs[2] - m[0][1] * (m[0][1] * m[2][2] - m[0][2] * m[1][2]) + m[0][2] * (m[0][1] * m[1][2] - m[0][2] * m[1][1])
    )
    return min(m[0][0], m[1][1], m[2][2], *pairs, det) >= 0
