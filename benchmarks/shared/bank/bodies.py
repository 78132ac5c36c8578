"""Faults of inertias and of homogeneous solids."""

from __future__ import annotations

from shared.fault import faults

FAULTS = (
    *faults(
        "inertia",
        (
            "products of inertia are negated",
            "((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))",
            "((xx, -xy, -xz), (-xy, yy, -yz), (-xz, -yz, zz))",
        ),
        (
            "Ixz and Iyz are exchanged where the matrix is made",
            "xx, yy, zz, xy, xz, yz = self.about_com",
            "xx, yy, zz, xy, yz, xz = self.about_com",
        ),
        ("Ixz and Iyz are exchanged where a matrix is kept", "m[0][1], m[0][2], m[1][2])", "m[0][1], m[1][2], m[0][2])"),
        (
            "the parallel-axis theorem has a wrong sign",
            "(rr if i == j else 0) - r[i] * r[j])",
            "(rr if i == j else 0) + r[i] * r[j])",
        ),
        ("the parallel-axis theorem is left out", "matrix[i][j] + self.mass * (", "matrix[i][j] + 0 * self.mass * ("),
        ("inertia about a point is about the opposite point", "tuple(c - p for c, p in", "tuple(c + p for c, p in"),
        (
            "the rotational inertia of a body without mass is not turned",
            "if self.is_massless:\n            return self\n        R",
            "if is_number(self.mass) and self.mass == 0:\n            return self\n        R",
        ),
        ("an inertia is turned the wrong way", "R = placement.rotation.matrix", "R = placement.rotation.inverse().matrix"),
        ("an inertia is moved and not turned", "placement(self.com), _six(rotated))", "placement(self.com), self.about_com)"),
        ("the centre of mass stays where it was", "placement(self.com), _six(rotated))", "self.com, _six(rotated))"),
        (
            "the centre of mass is turned and not moved",
            "placement(self.com), _six(rotated))",
            "placement.rotation(self.com), _six(rotated))",
        ),
        (
            "the centre of mass of two bodies ignores their masses",
            "(self.mass * a + other.mass * b) / mass for a, b",
            "(a + b) / 2 for a, b",
        ),
        (
            "two bodies welded have no parallel-axis terms",
            "zip(self.about(com), other.about(com)",
            "zip(self.matrix, other.matrix",
        ),
        ("of two bodies welded, the mass of the first alone counts", "mass = self.mass + other.mass", "mass = self.mass"),
        (
            "a welded body without mass loses its rotational inertia",
            "if self.is_massless or other.is_massless:\n            return other if self.is_massless else self",
            "if is_number(other.mass) and other.mass == 0:\n            return self\n"
            "        if self.is_massless:\n            return other",
        ),
        (
            "of two bodies without mass, the inertia of the first alone counts",
            "about_com=tuple(map(add, self.about_com, other.about_com))",
            "about_com=self.about_com",
        ),
        (
            "an inertia with long numbers loses its centre of mass",
            "return Inertia(shortened(self.mass), com, about_com)",
            "return Inertia(shortened(self.mass), about_com=about_com)",
        ),
        ("a cuboid has four times its moments", "(*(m * pair * Fraction(1, 12) for", "(*(m * pair * Fraction(1, 3) for"),
        ("a cylinder has its axial moment about another axis", "moments[axis] = m * r", "moments[axis - 1] = m * r"),
    ),
)
