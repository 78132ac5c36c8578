"""The inertia of one rigid body: mass, centre of mass, and the inertia about it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechanisms.errors import MechanismError
from mechanisms.geometry import Matrix, Placement
from mechanisms.numbers import Scalar, Vector, dot, exact, exact_vector, is_number

TRIANGLE_TOLERANCE = 1e-6
"""Relative to the trace: files print six digits, so a flat plate may miss the triangle inequality by as much."""


@dataclass(frozen=True)
class Inertia:
    """Mass (kg), centre of mass (m) and rotational inertia about the centre of mass (kg m²), in the body's frame.

    ``about_com`` is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), where Ixy is the *entry of the matrix*, −∫ x y dm, as in URDF.
    Raises :class:`MechanismError` for data that no rigid body can have: a mass that is not positive, an inertia that
    is not positive semidefinite or whose principal moments violate the triangle inequality. A body without mass is
    said so by :meth:`massless`.
    """

    mass: Scalar
    com: Vector = (Fraction(0), Fraction(0), Fraction(0))
    about_com: Vector = (Fraction(0),) * 6

    def __post_init__(self) -> None:
        object.__setattr__(self, "mass", exact(self.mass, "mass"))
        object.__setattr__(self, "com", exact_vector(self.com, 3, "centre of mass"))
        object.__setattr__(self, "about_com", exact_vector(self.about_com, 6, "rotational inertia"))
        numbers = (self.mass, *self.com, *self.about_com)
        if self.is_massless or not all(map(is_number, numbers)):
            return
        if self.mass <= 0:
            raise MechanismError(f"mass is {float(self.mass):g} kg; give a positive mass, or no inertia at all for a massless body")
        Ixx, Iyy, Izz, Ixy, Ixz, Iyz = map(float, self.about_com)
        principal = np.linalg.eigvalsh([[Ixx, Ixy, Ixz], [Ixy, Iyy, Iyz], [Ixz, Iyz, Izz]])
        slack = TRIANGLE_TOLERANCE * max(abs(principal))
        moments = "principal moments {:.6g}, {:.6g}, {:.6g} kg m²".format(*principal)
        if principal[0] < -slack:
            raise MechanismError(f"rotational inertia is not positive semidefinite ({moments}); no body has it: correct the signs or the units")
        if principal[0] + principal[1] < principal[2] - slack:
            raise MechanismError(f"rotational inertia violates the triangle inequality ({moments}); no body has it: correct the moments")

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
        """The 3×3 inertia matrix about ``point`` of the body's frame: I + m (|r|² 1 − r rᵀ), r from ``point`` to the com."""
        r = tuple(c - p for c, p in zip(self.com, point, strict=True))
        rr = dot(r, r)
        return tuple(
            tuple(self.matrix[i][j] + self.mass * ((rr if i == j else 0) - r[i] * r[j]) for j in range(3)) for i in range(3)
        )

    def placed(self, placement: Placement) -> Inertia:
        """The same body's inertia, expressed in the frame in which its own frame has this placement."""
        if self.is_massless:
            return self
        R = placement.rotation.matrix
        rotated = [[sum(R[i][k] * self.matrix[k][l] * R[j][l] for k in range(3) for l in range(3)) for j in range(3)] for i in range(3)]
        return Inertia(self.mass, placement(self.com), _six(rotated))

    def __add__(self, other: Inertia) -> Inertia:
        """The inertia of two bodies welded together, both in one frame (seed 000, eq. 19, without a spatial vector)."""
        if self.is_massless or other.is_massless:
            return other if self.is_massless else self
        mass = self.mass + other.mass
        com = tuple((self.mass * a + other.mass * b) / mass for a, b in zip(self.com, other.com, strict=True))
        total = [[a + b for a, b in zip(*rows, strict=True)] for rows in zip(self.about(com), other.about(com), strict=True)]
        return Inertia(mass, com, _six(total))


def _six(m: object) -> Vector:
    return (m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])  # type: ignore[index]
