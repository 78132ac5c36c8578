"""The values of SDF's elements: vectors and poses, exactly."""

from __future__ import annotations

import math
from fractions import Fraction
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.sdf.vocabulary import boolean
from mechanisms.files.untrusted_xml import naming
from mechanisms.geometry import Placement, Rotation
from mechanisms.limits import MOST_RADIANS
from mechanisms.numbers.exact import Scalar, Vector, exact, exact_vector, require_moderate

PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798")
"""π to a hundred digits."""


def number(parent: Element, tag: str, default: object = 0) -> Scalar:
    """The number in a child."""
    child = parent.find(tag)
    with naming(f"<{parent.tag}>", child):
        return exact(default) if child is None or not (child.text or "").split() else exact(child.text or "", f"<{tag}>")


def vector(parent: Element, tag: str, default: tuple[object, ...]) -> Vector:
    """The three numbers in a child."""
    child = parent.find(tag)
    with naming(f"<{parent.tag}>", child):
        words = [] if child is None else (child.text or "").split()
        return exact_vector(words or default, 3, f"<{tag}>")


def placement_of(pose: Element | None) -> Placement:
    """The placement that <pose> gives, relative to whatever it is relative to."""
    words = [] if pose is None else (pose.text or "").split()
    if pose is None:
        return Placement()
    with naming("<pose>", pose):
        form, in_degrees = pose.get("rotation_format") or "euler_rpy", boolean(pose.get("degrees"), False)
        if form not in ("euler_rpy", "quat_xyzw"):
            raise MechanismError(f"rotation_format is {form!r}; give euler_rpy or quat_xyzw")
        if form == "quat_xyzw":
            if in_degrees:
                raise MechanismError("it has a quaternion and degrees; remove degrees")
            values = exact_vector(words or [0, 0, 0, 0, 0, 0, 1], 7, "it")
            require_moderate(values[3:], "its quaternion")
            if not any(values[3:]):
                raise MechanismError("its quaternion is zero; give any other, 0 0 0 1 for no rotation")
            x, y, z, w = values[3:]
            return Placement(Rotation(w, x, y, z), values[:3])
        values = exact_vector(words or [0] * 6, 6, "it")
        angles = [_radians(angle, in_degrees) for angle in values[3:]]
        return Placement(Rotation.from_rpy(*angles), values[:3])


def _radians(angle: Scalar, in_degrees: bool) -> float:
    if abs(angle) > MOST_RADIANS:
        raise MechanismError(f"it has an angle of more than {MOST_RADIANS}; give a smaller one")
    if not in_degrees:
        return float(angle)
    quarters = angle / 90
    return quarters.numerator * (math.pi / 2) if quarters.denominator == 1 else float(angle * PI / 180)
