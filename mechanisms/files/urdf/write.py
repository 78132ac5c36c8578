"""A mechanism as URDF text, which any URDF parser reads."""

from __future__ import annotations

from mechanisms.body import GRAVITY_COMPENSATION, Body
from mechanisms.errors import MechanismError
from mechanisms.files.attributes import decimal, decimals, direction, rpy
from mechanisms.files.written import element, plain_numbers, welded
from mechanisms.inertia import Inertia
from mechanisms.joint_forces import JOINT_FORCES
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.mechanism import EARTH, Mechanism

TYPES: dict[Kind, str] = {kind: declared.urdf for kind, declared in JOINT_KINDS.items() if declared.urdf}
"""URDF's joint types. A revolute joint is not written as continuous, because some engines give that two coordinates."""


def write_urdf(mechanism: Mechanism, free_base: bool = False) -> str:
    """``mechanism`` as URDF text.

    Reading the text gives the same mechanism, but continuous joints become revolute. Decimal numbers and axes are written
    exactly, and so are rotations that were made from URDF's angles. Numbers that no decimal text can express, and angles of other
    rotations are rounded to float64. Written and read a second time, nothing changes any more.
    Welded links are written as they were given; other frames become links without inertia outboard of fixed joints. Armature,
    unusual gravity and the acceptance of impossible inertias are written by the extensions that
    :mod:`mechanisms.files.urdf.read` describes.

    With ``free_base`` the text has neither the root nor its free joint, which readers of robots that move freely add themselves.

    Raises :class:`MechanismError` for a mechanism with symbols, for joints of a kind that URDF does not have, for names that
    XML cannot contain, and with ``free_base`` for frames on the root, or if there is no free base.
    """
    with plain_numbers(mechanism):
        return "\n".join(['<?xml version="1.0"?>', *_lines(mechanism, free_base)]) + "\n"


def _lines(mechanism: Mechanism, free_base: bool) -> list[str]:
    if free_base and not (mechanism.has_free_base and all(frame.body >= 0 for frame in mechanism.frames)):
        raise MechanismError(f"mechanism {mechanism.name!r} needs its root; write it without free_base")
    inside = element("gravity", xyz=decimals(mechanism.gravity)) if mechanism.gravity != EARTH else []
    inside += element("link", name=mechanism.root) if not free_base else []
    for i, body in enumerate(welded(mechanism)):
        if body.is_lifted:
            raise MechanismError(f"body {body.name!r} has {GRAVITY_COMPENSATION}, which URDF cannot say; remove it")
        inside += element("link", _inertial(body.inertia), name=body.name)
        inside += _joint(body) if i or not free_base else []
    return element("robot", inside, name=mechanism.name, unphysical="true" if mechanism.faults else None)


def _inertial(inertia: Inertia) -> list[str]:
    if inertia.is_massless:
        return []
    entries = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), map(decimal, inertia.about_com), strict=True)
    origin, mass = element("origin", xyz=decimals(inertia.com)), element("mass", value=decimal(inertia.mass))
    return element("inertial", [*origin, *mass, *element("inertia", **dict(entries))])


def _joint(body: Body) -> list[str]:
    joint = body.joint
    if joint.kind not in TYPES:
        raise MechanismError(f"joint {joint.name!r} is {joint.kind}, which URDF cannot say; use {', '.join(TYPES)} joints only")
    for name, numbers in joint.forces.items():
        if name != "damping":
            zero = f"set its {next(iter(numbers))} to 0"
            raise MechanismError(f"joint {joint.name!r} has {JOINT_FORCES[name].words}, which URDF cannot say; {zero}")
    angles = joint.placement.rotation.rpy or rpy(joint.placement.rotation)
    inside = element("origin", xyz=decimals(joint.placement.translation), rpy=decimals(angles))
    inside += [*element("parent", link=body.parent), *element("child", link=body.name)]
    if joint.description.has_axis:
        inside += element("axis", xyz=direction(joint.axis))
    if joint.nv == 1:
        # URDF requires limits, and its parsers refuse infinite ones.
        inside += element("limit", lower="-1e9", upper="1e9", effort="1e9", velocity="1e9")
    if joint.mimic:
        k, c = decimal(joint.mimic.multiplier), decimal(joint.mimic.offset)
        inside += element("mimic", joint=joint.mimic.joint, multiplier=k, offset=c)
    if joint.armature or joint.damping:
        inside += element("dynamics", damping=decimal(joint.damping), armature=decimal(joint.armature))
    return element("joint", inside, name=joint.name, type=TYPES[joint.kind])
