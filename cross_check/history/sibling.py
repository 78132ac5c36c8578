"""Another mechanism of the same tree, coordinates and name: every other number of it differs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from mechanisms import Body, Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import Rotation
from mechanisms.numbers import Vector
from mechanisms.write_urdf import source_of

OTHER = Inertia(
    Fraction(17, 10),
    (Fraction(3, 50), Fraction(-1, 20), Fraction(7, 100)),
    tuple(Fraction(n, 1000) for n in (41, 47, 37, 3, -5, 2)),
)
"""Added to the inertia of every body: twice no mass would be no other mass."""

FURTHER = (Fraction(1, 20), Fraction(-3, 100), Fraction(7, 100))
"""Added to the place of every joint but the first, which may be a base that floats (m)."""

TURNED = Rotation(1, 1, 1, 1)
"""Every joint but the first is turned by this, and so are its axes: x, y and z change places, and all stays exact."""

STRONGER = Fraction(3, 2)
"""Factor of armature and damping. What a joint has none of, it still has none of, because code may refuse it."""

GRAVITY: Vector = (1, 2, 3)


def sibling(mechanism: Mechanism, keeps_gravity: bool = False) -> Mechanism:
    """Of a mechanism that was read from a file, the sibling has a file, too, and the same gravity: files have none."""
    bodies = tuple(_other_body(body, is_first=k == 0) for k, body in enumerate(mechanism.bodies))
    same = keeps_gravity or bool(mechanism.source)
    other = replace(mechanism, bodies=bodies, gravity=mechanism.gravity if same else GRAVITY, read_from=None)
    return replace(other, read_from=source_of(other)) if mechanism.source else other


def _other_body(body: Body, is_first: bool) -> Body:
    about = tuple(2 * x + y for x, y in zip(body.inertia.about_com, OTHER.about_com, strict=True))
    com = tuple(x + y for x, y in zip(body.inertia.com, OTHER.com, strict=True))
    joint = body.joint if is_first else _other_joint(body.joint)
    joint = replace(joint, armature=STRONGER * joint.armature, damping=STRONGER * joint.damping)
    return replace(body, inertia=Inertia(2 * body.inertia.mass + OTHER.mass, com, about), joint=joint)


def _other_joint(joint: Joint) -> Joint:
    place = tuple(x + y for x, y in zip(joint.placement.translation, FURTHER, strict=True))
    placement = Placement(joint.placement.rotation @ TURNED, place)
    second = joint.second_axis and _turned(joint.second_axis)
    return replace(joint, placement=placement, axis=_turned(joint.axis), second_axis=second)


def _turned(axis: Vector) -> Vector:
    x, y, z = axis
    return (z, x, y)
