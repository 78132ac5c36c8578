"""Faults of joints: their axes, triads, screws, and what is declared of their kinds."""

from __future__ import annotations

from shared.fault import faults

TWIST = "(*(x * int(self.turns) for x in self.axis), *(x * self.advance for x in self.axis))"
PLANAR = '(turn("z", "w"), slide("x", "vx"), slide("y", "vy"))'

FAULTS = (
    *faults(
        "joint",
        (
            "a screw's twist has the advance first",
            TWIST,
            "(*(x * self.advance for x in self.axis), *(x * int(self.turns) for x in self.axis))",
        ),
        ("a screw's twist has no advance", TWIST, "(*(x * int(self.turns) for x in self.axis), *(x * 0 for x in self.axis))"),
        (
            "a screw's advance has the wrong sign",
            TWIST,
            "(*(x * int(self.turns) for x in self.axis), *(x * -self.advance for x in self.axis))",
        ),
        ("every screw turns", TWIST, "(*self.axis, *(x * self.advance for x in self.axis))"),
        (
            "the triad has rows for columns",
            "zip(*smallest_turn(self.axis).matrix, strict=True)",
            "smallest_turn(self.axis).matrix",
        ),
        ("the triad is left-handed: e₁ and e₂ are exchanged", "return e1, e2, e3", "return e2, e1, e3"),
        ("the triad is always x, y, z", "return e1, e2, e3", "return basis()"),
        ("a pitch has the wrong sign", '"pitch": self.pitch}', '"pitch": -self.pitch}'),
        ("a given second axis is ignored", '"second axis": self.second_axis or self.axis}', '"second axis": self.triad[0]}'),
        (
            "a second axis is negated",
            '"second axis": self.second_axis or self.axis}',
            '"second axis": tuple(-x for x in self.second_axis or self.axis)}',
        ),
        ("the default second axis is e₂", "second = self.triad[0] if", "second = self.triad[1] if"),
        (
            "an axis is turned round",
            'unit_vector(self.axis, f"axis of {where}") if kind.has_axis',
            'tuple(-x for x in unit_vector(self.axis, f"axis of {where}")) if kind.has_axis',
        ),
        ("an axis is always z", 'unit_vector(self.axis, f"axis of {where}") if kind.has_axis else basis()[2]', "basis()[2]"),
        (
            "damping is doubled",
            "object.__setattr__(self, what, value)",
            'object.__setattr__(self, what, value * (2 if what == "damping" else 1))',
        ),
        (
            "armature is dropped",
            "object.__setattr__(self, what, value)",
            'object.__setattr__(self, what, value * (0 if what == "armature" else 1))',
        ),
    ),
    *faults(
        "joint_kinds",
        ("Euler angles z, y, x are about x, y, z", 'euler("z", "y", "x")', 'euler("x", "y", "z")'),
        ("Euler angles x, y, z are about x, z, y", 'euler("x", "y", "z")', 'euler("x", "z", "y")'),
        (
            "a universal joint turns about its second axis first",
            '(turn("axis", "first"), turn("second axis", "second"))',
            '(turn("second axis", "first"), turn("axis", "second"))',
        ),
        (
            "a translation joint slides along z, y, x",
            '(slide("x", "x"), slide("y", "y"), slide("z", "z"))',
            '(slide("z", "x"), slide("y", "y"), slide("x", "z"))',
        ),
        ("a planar joint slides along y and x", PLANAR, '(turn("z", "w"), slide("y", "vx"), slide("x", "vy"))'),
        ("a planar joint's plane is spanned by y and z", PLANAR, '(turn("x", "w"), slide("y", "vx"), slide("z", "vy"))'),
        (
            "the angular velocity of a ball has its components in the order z, y, x",
            '(turn("x", "wx"), turn("y", "wy"), turn("z", "wz"))',
            '(turn("z", "wx"), turn("y", "wy"), turn("x", "wz"))',
        ),
        ("the position of a helical joint does not advance", 'coordinate.advance != "nothing"', 'coordinate.advance == "one"'),
        (
            "a helical joint takes a pitch and advances by one",
            'JointKind((Coordinate("", "axis", True, "pitch"),)',
            'JointKind((Coordinate("", "axis", True, "one"),)',
        ),
        (
            "the distances of a free joint belong to its angular velocity",
            "slice(turning + k, turning + k + 1) if form",
            "slice(k, k + 1) if form",
        ),
        ("the names of a quaternion's parts begin with w", '("qx", "qy", "qz", "qw")', '("qw", "qx", "qy", "qz")'),
    ),
)
