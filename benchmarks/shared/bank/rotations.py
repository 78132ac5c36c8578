"""Faults of rotations, placements and directions."""

from __future__ import annotations

from shared.fault import faults

HALF_TURN = "Rotation(o, 1 + o, o, o) if is_zero(1 + z)"

FAULTS = faults(
    "geometry",
    (
        "the matrix of a rotation turns the wrong way about z",
        "2 * (x * y - w * z) / n, 2 * (x * z + w * y) / n),\n            (2 * (x * y + w * z) / n",
        "2 * (x * y + w * z) / n, 2 * (x * z + w * y) / n),\n            (2 * (x * y - w * z) / n",
    ),
    (
        "the matrix of a rotation has one wrong sign",
        "(2 * (x * z - w * y) / n, 2 * (y * z + w * x) / n",
        "(2 * (x * z - w * y) / n, 2 * (y * z - w * x) / n",
    ),
    (
        "the matrix of a rotation is not divided by the square of the quaternion's length",
        "n = Fraction(w * w + x * x + y * y + z * z)",
        "n = Fraction(w * w)",
    ),
    (
        "the product of two rotations has them in the other order",
        "a, b, c, d = self.quaternion\n        w, x, y, z = other.quaternion",
        "a, b, c, d = other.quaternion\n        w, x, y, z = self.quaternion",
    ),
    (
        "the product of two rotations has one wrong sign",
        "dot((a, -b, c, d), (y, z, w, x))",
        "dot((a, b, c, d), (y, z, w, x))",
    ),
    (
        "the inverse of a rotation is the rotation",
        "return Rotation(self.w, -self.x, -self.y, -self.z)",
        "return Rotation(self.w, self.x, self.y, self.z)",
    ),
    (
        "roll, pitch and yaw are applied in the other order",
        "cls.about(z, yaw) @ cls.about(y, pitch) @ cls.about(x, roll)",
        "cls.about(x, roll) @ cls.about(y, pitch) @ cls.about(z, yaw)",
    ),
    ("pitch has the wrong sign", "cls.about(y, pitch)", "cls.about(y, -pitch)"),
    (
        "roll and yaw are exchanged",
        "cls.about(z, yaw) @ cls.about(y, pitch) @ cls.about(x, roll)",
        "cls.about(z, roll) @ cls.about(y, pitch) @ cls.about(x, yaw)",
    ),
    ("a turn about an axis is by twice the angle", "cosine_sine(float(angle) / 2)", "cosine_sine(float(angle))"),
    ("three quarter turns are one", "(0, 1), (-1, 1))[turns % 4]", "(0, 1), (1, 1))[turns % 4]"),
    (
        "angles within a milliradian of a quarter turn become the quarter turn",
        "if float(angle) == turns * (math.pi / 2):",
        "if abs(float(angle) - turns * (math.pi / 2)) < 1e-3:",
    ),
    (
        "a rotation that is read from a matrix is turned the wrong way about x",
        "w = (1 + trace, R[2][1] - R[1][2]",
        "w = (1 + trace, R[1][2] - R[2][1]",
    ),
    (
        "the product of two placements has their rotations in the other order",
        "Placement(self.rotation @ other.rotation, self(other.translation))",
        "Placement(other.rotation @ self.rotation, self(other.translation))",
    ),
    (
        "the product of two placements adds their translations unturned",
        "Placement(self.rotation @ other.rotation, self(other.translation))",
        "Placement(self.rotation @ other.rotation, tuple(map(sum, zip(self.translation, other.translation))))",
    ),
    (
        "a point that is placed is turned and not moved",
        "return tuple(r + p for r, p in zip(self.rotation(point)",
        "return tuple(r for r, p in zip(self.rotation(point)",
    ),
    (
        "the inverse of a placement keeps its translation's axes",
        "tuple(-p for p in back(self.translation))",
        "tuple(-p for p in self.translation)",
    ),
    ("the half turn for an axis −z is about y", HALF_TURN, HALF_TURN.replace("(o, 1 + o, o, o)", "(o, o, 1 + o, o)")),
    ("the turn from z to an axis has the wrong sense", "Rotation(1 + z, -y, x, o)", "Rotation(1 + z, y, -x, o)"),
    ("the turn from z to an axis is by twice the angle", "Rotation(1 + z, -y, x, o)", "Rotation(z, -y, x, o)"),
    (
        "the vector product has the wrong sign",
        "(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])",
        "(a[2] * b[1] - a[1] * b[2], a[0] * b[2] - a[2] * b[0], a[1] * b[0] - a[0] * b[1])",
    ),
    ("a direction of rational length keeps its length", "tuple(x / exact_length for x in u)", "u"),
    ("a direction with a negative largest component is mirrored", "sign = 1 if u[k] > 0 else -1", "sign = 1"),
    ("the components of a direction are permuted", "point[(i - k) % 3]", "point[(i + k) % 3]"),
    ("a direction is projected from the wrong pole", "pole = 1 + abs(float(u[k])) / length", "pole = 1 + abs(float(u[k]))"),
)
