"""A mechanism as URDF text, which any URDF parser reads."""

from __future__ import annotations

import re
from decimal import Context, Decimal, Inexact
from fractions import Fraction

from mechanisms.errors import MechanismError, Unsupported
from mechanisms.geometry import Rotation, unit_vector
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.limits import MOST_DIGITS
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.numbers.exact import WHITESPACE, Scalar, Vector, integers
from mechanisms.numbers.rounded import arctangent, cosine_sine, square_root
from mechanisms.plain_text import UNPRINTABLE
from mechanisms.source import Source

TYPES: dict[Kind, str] = {kind: declared.urdf for kind, declared in JOINT_KINDS.items() if declared.urdf}
"""URDF's joint types. A revolute joint is not written as continuous, because some engines give that two coordinates."""

NO_LIMIT = '<limit lower="-1e9" upper="1e9" effort="1e9" velocity="1e9"/>'
"""URDF requires limits, and its parsers refuse infinite ones."""


NEGLIGIBLE = 1e-60
"""Components of a unit vector that are smaller than this are written as zero, if they would make the others too long."""

NO_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML document can contain."""

EXACTLY = MOST_DIGITS - 20
"""The most digits of a number that is written exactly; the rest is room for sign, point, zeros and exponent."""


def write_urdf(mechanism: Mechanism) -> str:
    """``mechanism`` as URDF text.

    Reading the text gives the same mechanism, but continuous joints become revolute. Decimal numbers and axes are written
    exactly, and so are rotations that were made from URDF's angles. Numbers that no decimal text can express, which come from
    welded bodies, and angles of other rotations are rounded to float64. Written and read a second time, nothing changes any more.
    Frames become links without inertia outboard of fixed joints. Armature, unusual gravity and the acceptance of impossible
    inertias are written by the extensions that :mod:`mechanisms.files.urdf` describes.

    Raises :class:`MechanismError` for a mechanism with symbols, for joints of a kind that URDF does not have, and for names that
    XML cannot contain.
    """
    try:
        return "\n".join(_lines(mechanism)) + "\n"
    except (TypeError, OverflowError):
        raise MechanismError(
            f"mechanism {mechanism.name!r} has symbols or numbers too large for float64; give plain numbers"
        ) from None


def source_of(mechanism: Mechanism) -> Source:
    """The URDF file that the mechanism was read from; if there is none, one that :func:`write_urdf` writes, without a path.

    Raises :class:`Unsupported` for a mechanism that URDF cannot describe.
    """
    if mechanism.source:
        return mechanism.source
    try:
        return Source(write_urdf(mechanism), fingerprint=mechanism.fingerprint)
    except MechanismError as error:
        raise Unsupported(str(error)) from None


def _lines(mechanism: Mechanism) -> list[str]:
    holders = [mechanism.root, *(body.name for body in mechanism.bodies)]
    accepted = ' unphysical="true"' if mechanism.faults else ""
    lines = ['<?xml version="1.0"?>', f"<robot name={_name(mechanism.name)}{accepted}>"]
    if mechanism.gravity != EARTH:
        lines.append(f'  <gravity xyz="{decimals(mechanism.gravity)}"/>')
    lines += _link(mechanism.root, Inertia.massless())
    for body in mechanism.bodies:
        lines += [*_link(body.name, body.inertia), *_joint(body.joint, body.parent, body.name)]
    for frame in mechanism.frames:
        weld = Joint(frame.joint, "fixed", placement=frame.placement)
        lines += [*_link(frame.name, Inertia.massless()), *_joint(weld, holders[frame.body + 1], frame.name)]
    return [*lines, "</robot>"]


def _link(name: str, inertia: Inertia) -> list[str]:
    if inertia.is_massless:
        return [f"  <link name={_name(name)}/>"]
    entries = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia.about_com, strict=True)
    return [
        f"  <link name={_name(name)}>",
        "    <inertial>",
        f'      <origin xyz="{decimals(inertia.com)}"/>',
        f'      <mass value="{decimals((inertia.mass,))}"/>',
        "      <inertia " + " ".join(f'{entry}="{decimals((value,))}"' for entry, value in entries) + "/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint(joint: Joint, parent: str, child: str) -> list[str]:
    if joint.kind not in TYPES:
        raise MechanismError(f"joint {joint.name!r} is {joint.kind}, which URDF cannot say; use {', '.join(TYPES)} joints only")
    angles = joint.placement.rotation.rpy or rpy(joint.placement.rotation)
    lines = [
        f'  <joint name={_name(joint.name)} type="{TYPES[joint.kind]}">',
        f'    <origin xyz="{decimals(joint.placement.translation)}" rpy="{decimals(angles)}"/>',
        f"    <parent link={_name(parent)}/>",
        f"    <child link={_name(child)}/>",
    ]
    if joint.description.has_axis:
        lines.append(f'    <axis xyz="{_axis(joint.axis)}"/>')
    if joint.nv == 1:
        lines.append(f"    {NO_LIMIT}")
    if joint.mimic:
        k, c = decimal(joint.mimic.multiplier), decimal(joint.mimic.offset)
        lines.append(f'    <mimic joint={_name(joint.mimic.joint)} multiplier="{k}" offset="{c}"/>')
    if joint.armature or joint.damping:
        lines.append(f'    <dynamics damping="{decimals((joint.damping,))}" armature="{decimals((joint.armature,))}"/>')
    return [*lines, "  </joint>"]


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


def _axis(axis: Vector) -> str:
    """A direction from which :func:`mechanisms.geometry.unit_vector` makes exactly this unit vector, of length about 1."""
    whole, length = integers(axis)
    context = Context(prec=EXACTLY, traps=[Inexact])
    # One factor for all components keeps the direction exact, and their length rational.
    factor = Context(prec=17).divide(1, Decimal(length))
    try:
        return " ".join(str(context.multiply(Decimal(x), factor)) if x else "0.0" for x in whole)
    except Inexact:
        floats = map(float, axis)
        return _axis(unit_vector(tuple(x if abs(x) > NEGLIGIBLE else 0 for x in floats), normalise=True))


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


def _name(name: str) -> str:
    """The quoted attribute. Characters that would turn or erase what a terminal shows are written as references."""
    if not name or name != name.strip(WHITESPACE) or NO_XML.search(name):
        raise MechanismError(f"the name {name!r} cannot be written to XML; give one without control characters and outer spaces")
    # It imports an HTTP client, which would cost every process a tenth of its start.
    from xml.sax.saxutils import quoteattr

    return UNPRINTABLE.sub(lambda match: f"&#{ord(match[0])};", quoteattr(name))
