"""Rotations, placements and directions, exact over any field.

A rotation is kept as a quaternion of any length. Its matrix is a rational function of the four numbers, and is in SO(3)
exactly, over the rationals and over a finite field. A matrix of rounded cosines is in SO(3) only approximately. Quarter
turns, the commonest rotations in robots, become exact zeros and ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mechanisms.errors import MechanismError
from mechanisms.numbers.exact import Scalar, Vector, dot, exact_vector, integers, is_number, is_zero, require_moderate, shortened
from mechanisms.numbers.rounded import cosine_sine, square_root

Matrix = tuple[Vector, ...]

UNIT_LENGTH_TOLERANCE = 1e-6
"""How far from 1 the length of a direction may be: files print six digits."""


@dataclass(frozen=True)
class Rotation:
    """A rotation by the unnormalised quaternion w + x i + y j + z k; it maps child coordinates to parent coordinates."""

    w: Scalar
    x: Scalar
    y: Scalar
    z: Scalar

    def __post_init__(self) -> None:
        for name, value in zip("wxyz", exact_vector((self.w, self.x, self.y, self.z), 4, "quaternion"), strict=True):
            object.__setattr__(self, name, value)
        if all(is_number(part) and part == 0 for part in self.quaternion):
            raise MechanismError("a rotation's quaternion is zero; give any other")

    @property
    def quaternion(self) -> Vector:
        """(w, x, y, z), not normalised."""
        return (self.w, self.x, self.y, self.z)

    @cached_property
    def rpy(self) -> tuple[float, float, float] | None:
        """URDF's fixed-axis angles (rad), if it was made from them. A quaternion does not determine them to the last bit."""
        return None

    @classmethod
    def identity(cls) -> Rotation:
        return cls(1, 0, 0, 0)

    @classmethod
    def about(cls, axis: Vector, angle: float) -> Rotation:
        """By ``angle`` (rad) about the unit vector ``axis``; exact where ``angle`` is the float64 of quarter turns."""
        turns = round(float(angle) / (math.pi / 2))
        if float(angle) == turns * (math.pi / 2):
            half: tuple[float, float] = ((1, 0), (1, 1), (0, 1), (-1, 1))[turns % 4]
        else:
            half = cosine_sine(float(angle) / 2)
        c, s = (Fraction(part) for part in half)
        return cls(c, *(s * component for component in axis))

    @classmethod
    def from_rpy(cls, roll: float, pitch: float, yaw: float) -> Rotation:
        """URDF's fixed-axis angles (rad): R = Rz(yaw) Ry(pitch) Rx(roll)."""
        x, y, z = basis()
        rotation = cls.about(z, yaw) @ cls.about(y, pitch) @ cls.about(x, roll)
        rotation.__dict__["rpy"] = (float(roll), float(pitch), float(yaw))
        return rotation

    @classmethod
    def from_matrix(cls, rows: Matrix) -> Rotation:
        """The rotation nearest to a 3×3 matrix, exact when the matrix is.

        This is Shepperd's method without its square root, which only a normalised quaternion needs.
        Raises :class:`MechanismError` where the matrix is not a rotation.
        """
        R = tuple(exact_vector(row, 3, "row of a rotation matrix") for row in rows)
        d = [R[k][k] for k in range(3)]
        trace = sum(d, Fraction(0))
        w = (1 + trace, R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
        x = (w[1], 1 + 2 * d[0] - trace, R[1][0] + R[0][1], R[2][0] + R[0][2])
        y = (w[2], x[2], 1 + 2 * d[1] - trace, R[2][1] + R[1][2])
        z = (w[3], x[3], y[3], 1 + 2 * d[2] - trace)
        rotation = cls(*max((w, x, y, z), key=lambda column: float(dot(column, column))))
        pairs = zip(sum(R, ()), sum(rotation.matrix, ()), strict=True)
        off = max(abs(float(given - nearest)) for given, nearest in pairs)
        if not off <= UNIT_LENGTH_TOLERANCE:
            raise MechanismError(f"a rotation matrix is off by {off:.1e} from any rotation; give orthonormal rows, right-handed")
        return rotation

    @cached_property
    def matrix(self) -> Matrix:
        """The 3×3 matrix R, orthonormal exactly: parent coordinates = R · child coordinates."""
        w, x, y, z = self.quaternion
        if all(map(is_number, self.quaternion)):
            # Integers are faster than fractions: only the results are reduced to lowest terms.
            w, x, y, z = integers(self.quaternion)[0]
            n = Fraction(w * w + x * x + y * y + z * z)
        else:
            n = w * w + x * x + y * y + z * z
        return (
            ((w * w + x * x - y * y - z * z) / n, 2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n),
            (2 * (x * y + w * z) / n, (w * w - x * x + y * y - z * z) / n, 2 * (y * z - w * x) / n),
            (2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n, (w * w - x * x - y * y + z * z) / n),
        )

    def inverse(self) -> Rotation:
        return Rotation(self.w, -self.x, -self.y, -self.z)

    @property
    def is_one(self) -> bool:
        """Whether the quaternion is the number one."""
        w, *vector = self.quaternion
        return is_number(w) and w == 1 and all(map(is_zero, vector))

    def __matmul__(self, other: Rotation) -> Rotation:
        # The angles that the other was made from are kept.
        if self.is_one or other.is_one:
            return other if self.is_one else self
        a, b, c, d = self.quaternion
        w, x, y, z = other.quaternion
        return Rotation(
            dot((a, -b, -c, -d), (w, x, y, z)),
            dot((a, b, c, -d), (x, w, z, y)),
            dot((a, -b, c, d), (y, z, w, x)),
            dot((a, b, -c, d), (z, y, x, w)),
        )

    def shortened(self) -> Rotation:
        """The same rotation, unless its numbers are too long (:func:`mechanisms.numbers.exact.shortened`)."""
        short = tuple(map(shortened, self.quaternion))
        return self if short == self.quaternion else Rotation(*short)

    def __call__(self, vector: Vector) -> Vector:
        return vector if self.is_one else tuple(dot(row, vector) for row in self.matrix)


@dataclass(frozen=True)
class Placement:
    """Where a child frame sits in its parent frame: x_parent = rotation · x_child + translation (m)."""

    rotation: Rotation = Rotation(1, 0, 0, 0)
    translation: Vector = (Fraction(0), Fraction(0), Fraction(0))

    def __post_init__(self) -> None:
        object.__setattr__(self, "translation", exact_vector(self.translation, 3, "translation of a placement"))
        require_moderate(self.translation, "translation of a placement")

    def shortened(self) -> Placement:
        """The same placement, unless its numbers are too long (:func:`mechanisms.numbers.exact.shortened`)."""
        return Placement(self.rotation.shortened(), tuple(map(shortened, self.translation)))

    def __matmul__(self, other: Placement) -> Placement:
        return Placement(self.rotation @ other.rotation, self(other.translation))

    def __call__(self, point: Vector) -> Vector:
        return tuple(r + p for r, p in zip(self.rotation(point), self.translation, strict=True))

    def inverse(self) -> Placement:
        back = self.rotation.inverse()
        return Placement(back, tuple(-p for p in back(self.translation)))


def basis() -> tuple[Vector, Vector, Vector]:
    """The unit vectors x, y, z."""
    one, zero = Fraction(1), Fraction(0)
    return (one, zero, zero), (zero, one, zero), (zero, zero, one)


def smallest_turn(axis: Vector) -> Rotation:
    """The smallest rotation that takes z to the unit vector ``axis``; for −z, the half turn about x."""
    x, y, z = axis
    o = 0 * z  # numbers of another field do not mix with Fractions
    return Rotation(o, 1 + o, o, o) if is_zero(1 + z) else Rotation(1 + z, -y, x, o)


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product a × b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit_vector(direction: Vector, what: str = "axis", normalise: bool = False) -> Vector:
    """The rational vector of length exactly 1 nearest to ``direction``.

    It is exactly parallel to ``direction`` if the length of that is rational, and otherwise to within float64 rounding.
    It uses stereographic projection, which takes rational points of the plane to rational points of the sphere, so that the
    model contains no square root. Raises :class:`MechanismError` for the zero vector and, unless ``normalise``, for a length that
    is not 1.
    """
    u = exact_vector(direction, 3, what)
    if not all(map(is_number, u)) or dot(u, u) == 1:
        return u
    require_moderate(u, what)
    length = square_root(dot(u, u))
    if length == 0:
        raise MechanismError(f"{what} is zero; give a direction")
    if not normalise and abs(length - 1) > UNIT_LENGTH_TOLERANCE:
        raise MechanismError(f"{what} has length {length:.9g}; give a unit vector")
    if exact_length := _square_root(dot(u, u)):
        return tuple(x / exact_length for x in u)
    k = max(range(3), key=lambda i: abs(u[i]))
    sign = 1 if u[k] > 0 else -1
    pole = 1 + abs(float(u[k])) / length
    X, Y = (Fraction(float(u[(k + i) % 3]) / length / pole) for i in (1, 2))
    point = (sign * (1 - X * X - Y * Y), 2 * X, 2 * Y)
    return tuple(point[(i - k) % 3] / (1 + X * X + Y * Y) for i in range(3))


def _square_root(square: Fraction) -> Fraction | None:
    """The square root of a positive rational number, if it is rational."""
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    return root if root * root == square else None
