"""Placements in MJCF: positions, and the five ways to write an orientation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.mjcf.words import some
from mechanisms.files.untrusted_xml import naming
from mechanisms.geometry import Placement, Rotation, basis, cross, smallest_turn, unit_vector
from mechanisms.limits import MOST_RADIANS
from mechanisms.numbers.exact import Vector, dot, require_moderate
from mechanisms.numbers.rounded import cosine_sine_of_degrees

LETTERS = "xyz"

ORIENTATIONS = ("quat", "axisangle", "euler", "xyaxes", "zaxis")
"""The attributes that are an orientation; an element has one of them at most."""


@dataclass(frozen=True)
class Angles:
    """How angles are written: in degrees or radians, and the axes of Euler's."""

    degrees: bool = True
    sequence: str = "xyz"

    def turn(self, axis: Vector, angle: Fraction) -> Rotation:
        """By the angle about a unit vector; exact for quarter turns."""
        _require_bounded(angle)
        if not self.degrees:
            return Rotation.about(axis, float(angle))
        if angle % 90 == 0:
            return Rotation.about(axis, float(angle // 90) * (math.pi / 2))
        c, s = map(Fraction, cosine_sine_of_degrees(angle / 2))
        return Rotation(c, *(s * component for component in axis))

    def euler(self, angles: Vector) -> Rotation:
        """The product of three turns; a small letter is about the axis as turned before, a capital one about the fixed axis."""
        if self.sequence == "XYZ" and not self.degrees and max(map(abs, angles)) <= MOST_RADIANS:
            return Rotation.from_rpy(*map(float, angles))
        rotation = Rotation.identity()
        for letter, angle in zip(self.sequence, angles, strict=True):
            turn = self.turn(basis()[LETTERS.index(letter.lower())], angle)
            rotation = rotation @ turn if letter.islower() else turn @ rotation
        return rotation

    def radians(self, angle: Fraction) -> Fraction:
        """The angle in radians: exactly the float64 of quarter turns, otherwise the one that is nearest."""
        _require_bounded(angle)
        if not self.degrees:
            return angle
        return Fraction(float(angle // 90) * (math.pi / 2) if angle % 90 == 0 else math.radians(angle))

    def rotation(self, element: Element) -> Rotation:
        """The orientation of an element, which has one at most."""
        with naming(f"<{element.tag}>", element):
            if len(given := [name for name in ORIENTATIONS if name in element.attrib]) > 1:
                raise MechanismError(f"it has {' and '.join(given)}; give one orientation")
            if "axisangle" in element.attrib:
                *axis, angle = some(element, "axisangle", 4)
                return self.turn(unit_vector(tuple(axis), "axisangle", normalise=True), angle)
            if "euler" in element.attrib:
                return self.euler(some(element, "euler", 3))
            if "xyaxes" in element.attrib:
                six = some(element, "xyaxes", 6)
                return _of_axes(six[:3], six[3:])
            if "zaxis" in element.attrib:
                return smallest_turn(unit_vector(some(element, "zaxis", 3), "zaxis", normalise=True))
            return quaternion(some(element, "quat", 4, "1 0 0 0"), "quat")

    def placement(self, element: Element) -> Placement:
        """The placement of an element."""
        return Placement(self.rotation(element), some(element, "pos", 3, "0 0 0"))


def quaternion(four: Vector, what: str) -> Rotation:
    """The rotation by w x y z of any length but zero."""
    require_moderate(four, what)
    if not any(four):
        raise MechanismError(f"{what} is zero; give any other quaternion, 1 0 0 0 for no rotation")
    return Rotation(*four)


def _of_axes(x: Vector, y: Vector) -> Rotation:
    """The axes x, and y without what it has along x."""
    first = unit_vector(x, "the first axis of xyaxes", normalise=True)
    along = dot(first, y)
    across = tuple(b - along * a for a, b in zip(first, y, strict=True))
    second = unit_vector(across, "the second axis of xyaxes, across the first,", normalise=True)
    third = cross(first, second)
    return Rotation.from_matrix(tuple(zip(first, second, third, strict=True)))


def _require_bounded(angle: Fraction) -> None:
    """Raise :class:`MechanismError` for an angle of which a float64 does not tell the direction well."""
    if abs(angle) > MOST_RADIANS:
        raise MechanismError(f"an angle is more than {MOST_RADIANS}; give a smaller one")
