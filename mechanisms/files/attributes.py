"""Exact numbers, directions, angles and names as the text of XML attributes."""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from mechanisms.errors import MechanismError
from mechanisms.geometry import Rotation, unit_vector
from mechanisms.limits import MOST_DIGITS
from mechanisms.numbers.exact import WHITESPACE, Scalar, Vector, dot, integers
from mechanisms.numbers.rounded import arctangent, cosine_sine, square_root
from mechanisms.plain_text import UNPRINTABLE

NEGLIGIBLE = 1e-60
"""Components of a unit vector that are smaller than this are written as zero, if they would make the others too long."""

UNIT = 1e-15
"""So far the squared length of a quaternion may be from one in a reader that does not normalise it."""

NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document can contain."""

EXACTLY = MOST_DIGITS - 20
"""The most digits of a number that is written exactly; the rest is room for sign, point, zeros and exponent."""


def rpy(rotation: Rotation) -> Vector:
    """URDF's fixed-axis angles (rad) of ``rotation``.

    Roll is computed after yaw has been undone. So the three angles reproduce the rotation near gimbal lock, and also at
    gimbal lock, where only their combination is determined.
    """
    R = rotation.matrix
    yaw = arctangent(R[1][0], R[0][0])
    c, s = map(Fraction, cosine_sine(yaw))
    pitch = arctangent(-R[2][0], Fraction(square_root(R[0][0] ** 2 + R[1][0] ** 2)))
    roll = arctangent(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return (roll, pitch, yaw)


def direction(axis: Vector) -> str:
    """A direction from which :func:`mechanisms.geometry.unit_vector` makes exactly this unit vector, of length about 1."""
    whole, length = integers(axis)
    context = Context(prec=EXACTLY, traps=[Inexact])
    # One factor for all components keeps the direction exact, and their length rational.
    factor = Context(prec=17).divide(1, Decimal(length))
    try:
        return " ".join(str(context.multiply(Decimal(x), factor)) if x else "0.0" for x in whole)
    except Inexact:
        floats = map(float, axis)
        return direction(unit_vector(tuple(x if abs(x) > NEGLIGIBLE else 0 for x in floats), normalise=True))


def unit_quaternion(rotation: Rotation) -> Vector:
    """The quaternion w x y z of exactly this rotation in decimals, of length about 1: some readers do not normalise it."""
    own = rotation.quaternion
    if abs(dot(own, own) - 1) < UNIT and are_decimals(own):
        return own
    whole = integers(own)[0]
    squares = Fraction(sum(x * x for x in whole))
    # The root has to be a float64.
    power = 2 ** max(0, squares.numerator.bit_length() // 2 - 1000)
    length = Context(prec=EXACTLY).multiply(Decimal(square_root(squares / power**2)), power)
    factor = Fraction(Context(prec=17).divide(1, length))
    return tuple(x * factor for x in whole)


def are_decimals(values: Vector) -> bool:
    """Whether :func:`decimals` is exact."""
    return all(Fraction(decimal(value)) == value for value in values)


def decimals(values: Vector) -> str:
    return " ".join(map(decimal, values))


def decimal(value: Scalar) -> str:
    """The number in decimals, exactly if that takes at most :data:`EXACTLY` digits; otherwise the nearest float64."""
    short = repr(float(value) + 0.0)
    if not isinstance(value, Fraction) or Fraction(short) == value:
        return short
    context = Context(prec=EXACTLY)
    exactly = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return short if context.flags[Inexact] else str(exactly)


def quoted(name: str) -> str:
    """The quoted attribute. Characters that would turn or erase what a terminal shows are written as references."""
    if not name or name != name.strip(WHITESPACE) or NO_XML.search(name):
        raise MechanismError(f"the name {name!r} cannot be written to XML; give one without control characters and outer spaces")
    # It imports an HTTP client, which would cost every process a tenth of its start.
    from xml.sax.saxutils import quoteattr

    return UNPRINTABLE.sub(lambda match: f"&#{ord(match[0])};", quoteattr(name))
