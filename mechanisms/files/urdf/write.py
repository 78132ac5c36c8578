"""A mechanism as URDF text, which any URDF parser reads."""

from __future__ import annotations

from mechanisms.errors import MechanismError, Unsupported
from mechanisms.files.attributes import decimal, decimals, direction, quoted, rpy
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.source import Source

TYPES: dict[Kind, str] = {kind: declared.urdf for kind, declared in JOINT_KINDS.items() if declared.urdf}
"""URDF's joint types. A revolute joint is not written as continuous, because some engines give that two coordinates."""

NO_LIMIT = '<limit lower="-1e9" upper="1e9" effort="1e9" velocity="1e9"/>'
"""URDF requires limits, and its parsers refuse infinite ones."""


def write_urdf(mechanism: Mechanism, free_base: bool = False) -> str:
    """``mechanism`` as URDF text.

    Reading the text gives the same mechanism, but continuous joints become revolute. Decimal numbers and axes are written
    exactly, and so are rotations that were made from URDF's angles. Numbers that no decimal text can express, which come from
    welded bodies, and angles of other rotations are rounded to float64. Written and read a second time, nothing changes any more.
    Frames become links without inertia outboard of fixed joints. Armature, unusual gravity and the acceptance of impossible
    inertias are written by the extensions that :mod:`mechanisms.files.urdf.read` describes.

    With ``free_base`` the text has neither the root nor its free joint, which readers of robots that move freely add themselves.

    Raises :class:`MechanismError` for a mechanism with symbols, for joints of a kind that URDF does not have, for names that
    XML cannot contain, and with ``free_base`` for frames on the root, or if there is no free base.
    """
    try:
        return "\n".join(_lines(mechanism, free_base)) + "\n"
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


def _lines(mechanism: Mechanism, free_base: bool) -> list[str]:
    if free_base and not (mechanism.has_free_base and all(frame.body >= 0 for frame in mechanism.frames)):
        raise MechanismError(f"mechanism {mechanism.name!r} needs its root; write it without free_base")
    holders = [mechanism.root, *(body.name for body in mechanism.bodies)]
    accepted = ' unphysical="true"' if mechanism.faults else ""
    lines = ['<?xml version="1.0"?>', f"<robot name={quoted(mechanism.name)}{accepted}>"]
    if mechanism.gravity != EARTH:
        lines.append(f'  <gravity xyz="{decimals(mechanism.gravity)}"/>')
    lines += _link(mechanism.root, Inertia.massless()) if not free_base else []
    for i, body in enumerate(mechanism.bodies):
        lines += _link(body.name, body.inertia)
        lines += _joint(body.joint, body.parent, body.name) if i or not free_base else []
    for frame in mechanism.frames:
        weld = Joint(frame.joint, "fixed", placement=frame.placement)
        lines += [*_link(frame.name, Inertia.massless()), *_joint(weld, holders[frame.body + 1], frame.name)]
    return [*lines, "</robot>"]


def _link(name: str, inertia: Inertia) -> list[str]:
    if inertia.is_massless:
        return [f"  <link name={quoted(name)}/>"]
    entries = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia.about_com, strict=True)
    return [
        f"  <link name={quoted(name)}>",
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
        f'  <joint name={quoted(joint.name)} type="{TYPES[joint.kind]}">',
        f'    <origin xyz="{decimals(joint.placement.translation)}" rpy="{decimals(angles)}"/>',
        f"    <parent link={quoted(parent)}/>",
        f"    <child link={quoted(child)}/>",
    ]
    if joint.description.has_axis:
        lines.append(f'    <axis xyz="{direction(joint.axis)}"/>')
    if joint.nv == 1:
        lines.append(f"    {NO_LIMIT}")
    if joint.mimic:
        k, c = decimal(joint.mimic.multiplier), decimal(joint.mimic.offset)
        lines.append(f'    <mimic joint={quoted(joint.mimic.joint)} multiplier="{k}" offset="{c}"/>')
    if joint.armature or joint.damping:
        lines.append(f'    <dynamics damping="{decimals((joint.damping,))}" armature="{decimals((joint.armature,))}"/>')
    return [*lines, "  </joint>"]
