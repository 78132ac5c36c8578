"""A mechanism as URDF text, which any URDF parser reads."""

from __future__ import annotations

import math
from xml.sax.saxutils import quoteattr

from mechanisms.errors import MechanismError
from mechanisms.geometry import Rotation
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.numbers import Vector

TYPES: dict[Kind, str] = {kind: declared.urdf for kind, declared in JOINT_KINDS.items() if declared.urdf}
"""URDF's joint types. A revolute joint is not written as continuous, because some engines give that two coordinates."""

NO_LIMIT = '<limit lower="-1e9" upper="1e9" effort="1e9" velocity="1e9"/>'
"""URDF requires limits, and its parsers refuse infinite ones."""


def write_urdf(mechanism: Mechanism) -> str:
    """``mechanism`` as URDF text.

    Reading the text gives the same mechanism up to float64 rounding, but continuous joints become revolute. Frames become
    links without inertia behind fixed joints. Armature, unusual gravity and the acceptance of impossible inertias are written
    by the extensions that :mod:`mechanisms.urdf` describes. Raises :class:`MechanismError` for a mechanism with symbols, and for
    joints of a kind that URDF does not have.
    """
    try:
        return "\n".join(_lines(mechanism)) + "\n"
    except (TypeError, OverflowError):
        raise MechanismError(f"mechanism {mechanism.name!r} has symbols or numbers too large for float64; give plain numbers") from None


def _lines(mechanism: Mechanism) -> list[str]:
    holders = [mechanism.root, *(body.name for body in mechanism.bodies)]
    accepted = ' unphysical="true"' if mechanism.faults else ""
    lines = ['<?xml version="1.0"?>', f"<robot name={quoteattr(mechanism.name)}{accepted}>"]
    if mechanism.gravity != EARTH:
        lines.append(f'  <gravity xyz="{_numbers(mechanism.gravity)}"/>')
    lines += _link(mechanism.root, Inertia.massless())
    for body in mechanism.bodies:
        lines += [*_link(body.name, body.inertia), *_joint(body.joint, body.parent, body.name)]
    for frame in mechanism.frames:
        weld = Joint(frame.joint, "fixed", placement=frame.placement)
        lines += [*_link(frame.name, Inertia.massless()), *_joint(weld, holders[frame.body + 1], frame.name)]
    return [*lines, "</robot>"]


def _link(name: str, inertia: Inertia) -> list[str]:
    if inertia.is_massless:
        return [f"  <link name={quoteattr(name)}/>"]
    entries = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), inertia.about_com, strict=True)
    return [
        f"  <link name={quoteattr(name)}>",
        "    <inertial>",
        f'      <origin xyz="{_numbers(inertia.com)}"/>',
        f'      <mass value="{_numbers((inertia.mass,))}"/>',
        "      <inertia " + " ".join(f'{entry}="{_numbers((value,))}"' for entry, value in entries) + "/>",
        "    </inertial>",
        "  </link>",
    ]


def _joint(joint: Joint, parent: str, child: str) -> list[str]:
    if joint.kind not in TYPES:
        raise MechanismError(f"joint {joint.name!r} is {joint.kind}, which URDF cannot say; use {', '.join(TYPES)} joints only")
    lines = [
        f'  <joint name={quoteattr(joint.name)} type="{TYPES[joint.kind]}">',
        f'    <origin xyz="{_numbers(joint.placement.translation)}" rpy="{_numbers(rpy(joint.placement.rotation))}"/>',
        f"    <parent link={quoteattr(parent)}/>",
        f"    <child link={quoteattr(child)}/>",
    ]
    if joint.description.has_axis:
        lines.append(f'    <axis xyz="{_numbers(joint.axis)}"/>')
    if joint.nv == 1:
        lines.append(f"    {NO_LIMIT}")
    if joint.armature or joint.damping:
        lines.append(f'    <dynamics damping="{_numbers((joint.damping,))}" armature="{_numbers((joint.armature,))}"/>')
    return [*lines, "  </joint>"]


def rpy(rotation: Rotation) -> Vector:
    """URDF's fixed-axis angles (rad) of ``rotation``.

    Roll is computed after yaw has been undone. So the three angles reproduce the rotation near gimbal lock, and also at
    gimbal lock, where only their combination is determined.
    """
    R = [[float(entry) for entry in row] for row in rotation.matrix]
    yaw = math.atan2(R[1][0], R[0][0])
    c, s = math.cos(yaw), math.sin(yaw)
    pitch = math.atan2(-R[2][0], math.hypot(R[0][0], R[1][0]))
    roll = math.atan2(s * R[0][2] - c * R[1][2], c * R[1][1] - s * R[0][1])
    return (roll, pitch, yaw)


def _numbers(values: Vector) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
