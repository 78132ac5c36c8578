"""The inertia of one rigid body: mass, centre of mass, and the inertia about it.

Inertias of homogeneous solids are known in closed form (Featherstone 2008, §2.13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import add

import numpy as np

from mechanisms.errors import MechanismError
from mechanisms.geometry import Matrix, Placement
from mechanisms.numbers.exact import Scalar, Vector, dot, exact, exact_vector, is_number, require_moderate, shortened

TRIANGLE_TOLERANCE = 1e-6
"""Relative to the largest moment: files print six digits, so a flat plate may violate the triangle inequality by this much."""

NEGLIGIBLE = 1e-12
"""Moments below mass × (1 µm)² (m²) are rounding errors: the file means a point mass."""

CENTRE = (0, 0, 0)
"""The centre of mass of a solid that has it at the body's origin."""


@dataclass(frozen=True)
class Inertia:
    """Mass (kg), centre of mass (m) and rotational inertia about the centre of mass (kg m²), in the body's frame.

    ``about_com`` is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), where Ixy is the *entry of the matrix*, −∫ x y dm, as in URDF.
    Use :meth:`massless` for a body without mass. Raises :class:`MechanismError` for a negative mass and for
    numbers that are not finite. :attr:`fault` says whether a body can have these numbers. A mechanism checks it for every
    body that moves, after the bodies welded to it have been added.
    """

    mass: Scalar
    com: Vector = (Fraction(0), Fraction(0), Fraction(0))
    about_com: Vector = (Fraction(0),) * 6

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", exact(self.mass, "mass"))
        object.__setattr__(self, "com", exact_vector(self.com, 3, "centre of mass"))
        object.__setattr__(self, "about_com", exact_vector(self.about_com, 6, "rotational inertia"))
        if is_number(self.mass) and self.mass < 0:
            raise MechanismError(f"mass is {float(self.mass):g} kg; give a positive mass, or no inertia for a massless body")
        require_moderate((self.mass,), "mass")
        require_moderate(self.com, "centre of mass")
        require_moderate(self.about_com, "rotational inertia")

    def shortened(self) -> Inertia:
        """The same inertia, unless its numbers are too long (:func:`mechanisms.numbers.exact.shortened`)."""
        com, about_com = (tuple(map(shortened, vector)) for vector in (self.com, self.about_com))
        return Inertia(shortened(self.mass), com, about_com)

    @cached_property
    def fault(self) -> str | None:
        """Why no rigid body can have this inertia, in one clause; None if one can, or if symbols leave the question open."""
        if self.is_massless or not all(map(is_number, (self.mass, *self.about_com))):
            return None
        if self.mass == 0:
            return "it has rotational inertia and no mass"
        scale = max(map(abs, self.about_com)) or 1
        principal = np.linalg.eigvalsh([[float(entry / scale) for entry in row] for row in self.matrix])
        slack = TRIANGLE_TOLERANCE * max(abs(principal)) + NEGLIGIBLE * float(self.mass / scale)
        moments = "principal moments {:.6g}, {:.6g}, {:.6g} kg m²".format(*(principal * float(scale)))
        if principal[0] < -slack:
            return f"its rotational inertia is not positive semidefinite ({moments})"
        if principal[0] + principal[1] < principal[2] - slack:
            return f"its rotational inertia violates the triangle inequality ({moments})"
        return None

    @classmethod
    def massless(cls) -> Inertia:
        """The inertia of a body that carries no mass."""
        return cls(0)

    @property
    def is_massless(self) -> bool:
        return all(is_number(x) and x == 0 for x in (self.mass, *self.about_com))

    @property
    def matrix(self) -> Matrix:
        """The symmetric 3×3 inertia matrix about the centre of mass."""
        xx, yy, zz, xy, xz, yz = self.about_com
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))

    def about(self, point: Vector) -> Matrix:
        """The 3×3 inertia matrix about ``point`` of the body's frame: I + m (rᵀr 1 − r rᵀ), r from ``point`` to the com."""
        r = tuple(c - p for c, p in zip(self.com, point, strict=True))
        rr, matrix = dot(r, r), self.matrix
        return tuple(tuple(matrix[i][j] + self.mass * ((rr if i == j else 0) - r[i] * r[j]) for j in range(3)) for i in range(3))

    def placed(self, placement: Placement) -> Inertia:
        """The same body's inertia in another frame, in which the body's frame has this placement."""
        if self.is_massless:
            return self
        R = placement.rotation.matrix
        half = [tuple(dot(row, column) for column in self.matrix) for row in R]
        rotated = [[dot(row, other) for other in R] for row in half]
        return Inertia(self.mass, placement(self.com), six(rotated))

    def __add__(self, other: Inertia) -> Inertia:
        """The inertia of two bodies welded together, both in one frame (text 000, eq. 19, without a spatial vector)."""
        if self.is_massless or other.is_massless:
            return other if self.is_massless else self
        mass = self.mass + other.mass
        if is_number(mass) and mass == 0:
            return Inertia(0, about_com=tuple(map(add, self.about_com, other.about_com)))
        com = tuple((self.mass * a + other.mass * b) / mass for a, b in zip(self.com, other.com, strict=True))
        total = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(self.about(com), other.about(com), strict=True)]
        return Inertia(mass, com, six(total))


def box(mass: object, sides: Sequence[object], com: Sequence[object] = CENTRE) -> Inertia:
    """A cuboid with ``sides`` (m) along x, y, z: Ixx = m (b² + c²)/12 and so on."""
    m = exact(mass, "mass")
    aa, bb, cc = (side * side for side in exact_vector(sides, 3, "sides"))
    return Inertia(m, tuple(com), (*(m * pair * Fraction(1, 12) for pair in (bb + cc, aa + cc, aa + bb)), 0, 0, 0))


def cylinder(mass: object, radius: object, length: object, axis: int = 2, com: Sequence[object] = CENTRE) -> Inertia:
    """A cylinder along ``axis``: m r²/2 about it, m (3 r² + l²)/12 about the other axes; a rod where ``radius`` is zero."""
    m, r, l = exact(mass, "mass"), exact(radius, "radius"), exact(length, "length")
    moments: list[Scalar] = [m * (3 * r * r + l * l) * Fraction(1, 12)] * 3
    moments[axis] = m * r * r * Fraction(1, 2)
    return Inertia(m, tuple(com), (*moments, 0, 0, 0))


def six(m: Sequence[Sequence[Scalar]]) -> Vector:
    """The entries xx, yy, zz, xy, xz, yz of a symmetric matrix."""
    return (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])
