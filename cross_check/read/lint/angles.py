"""Angles of a file that seem to be in the other unit: degrees that are read as radians, and radians that are read as degrees."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from cross_check.read.lint.links import moved_by
from cross_check.read.lint.written import Angle, Written
from mechanisms import Body, Inertia, Mechanism

TURNS, MOST_DEGREES = 2, 720
"""A limit of more turns is taken for degrees; one beyond the second number, for no limit."""

BALANCED = 0.05
"""What turns about its own axis, as a drum does, has its centre of mass nearer to it, relative to its radius of gyration."""

DIGITS_OF_RADIANS = 3
"""A limit or an orientation in degrees that is a multiple of π/2 to so many digits is taken for radians."""

ROUNDED = 1e-3
"""Whole turns may be rounded so much, relative to themselves."""


def degrees(mechanism: Mechanism, written: Written) -> Iterator[tuple[Angle, str]]:
    """Angles in radians that seem to be degrees. Drums, screws and wheels turn many times, where nothing else is amiss."""
    many = [angle for angle in written.angles if angle.unit == 1 and _is_many_turns(angle)]
    balanced = {
        body.joint.name for body, inertia in zip(mechanism.bodies, moved_by(mechanism), strict=True) if _turns(body, inertia)
    }
    if any(angle.joint.rpartition("::")[2] not in balanced for angle in many):
        for angle in many:
            yield angle, f"degrees; {angle.text} degrees are {math.radians(angle.value):.6g} rad"


def _is_many_turns(angle: Angle) -> bool:
    if not angle.joint:
        return abs(angle.value) > 1.01 * 2 * math.pi
    whole = abs(angle.value) / (2 * math.pi)
    return TURNS < whole <= MOST_DEGREES / (2 * math.pi) and abs(whole - round(whole)) > ROUNDED * whole


def _turns(body: Body, inertia: Inertia) -> bool:
    """Whether a joint turns what it carries about an axis of that itself."""
    if body.joint.kind != "revolute" or not inertia.mass:
        return False
    com, axis = np.array(inertia.com, float), np.array(body.joint.axis, float)
    gyration = math.sqrt(max(axis @ np.array(inertia.matrix, float) @ axis, 0) / float(inertia.mass))
    return float(np.linalg.norm(np.cross(axis, com))) <= BALANCED * gyration


def radians(written: Written) -> Iterator[tuple[Angle, str]]:
    """Angles in degrees that seem to be radians: multiples of π/2, or limits that are all within a turn in radians."""
    cause = 'radians; write <compiler angle="radian"/> in MJCF, or give degrees'
    quarters = [angle for angle in written.angles if _is_quarter(angle)]
    limits = [angle for angle in written.angles if angle.joint and angle.unit != 1 and angle.value]
    within = all(abs(angle.value) < 2 * math.pi for angle in limits)
    fine = [angle for angle in limits if len(_digits(angle.text)) >= DIGITS_OF_RADIANS]
    if not quarters and within and len(fine) > max(2, len(limits) / 2) and any(abs(a.value) > math.pi / 2 for a in limits):
        quarters = fine
    for angle in quarters:
        yield angle, cause


def _digits(text: str) -> str:
    return re.sub(r"e.*|\D", "", text.lower()).lstrip("0")


def _is_quarter(angle: Angle) -> bool:
    """Whether an angle is one to four times π/2 degrees, to all of its digits."""
    degrees = abs(angle.value) * angle.unit * 180 / math.pi
    quarters = round(degrees / (math.pi / 2))
    last = 10.0 ** int(Decimal(angle.text).as_tuple().exponent) * angle.unit * 180 / math.pi
    return len(_digits(angle.text)) >= DIGITS_OF_RADIANS and 1 <= quarters <= 4 and abs(degrees - quarters * math.pi / 2) <= last
