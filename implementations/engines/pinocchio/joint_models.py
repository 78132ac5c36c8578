"""Builds Pinocchio's model of a mechanism from Pinocchio's own joints.

=========== ===================================================================================================
ours        Pinocchio's ``JointModel…``; X, Y, Z where the axis is exactly x, y or z
=========== ===================================================================================================
revolute    RX …, else RevoluteUnaligned
continuous  RUBX …, else RevoluteUnboundedUnaligned
prismatic   PX …, else PrismaticUnaligned
helical     HX …, else HelicalUnaligned
universal   Universal if the axes are orthogonal, which it requires; else Composite
translation Translation
euler-zyx   SphericalZYX
spherical   Spherical
planar      Planar
free        FreeFlyer
others      Composite: one joint for every angle and distance
a mimic     Mimic of any of these
=========== ===================================================================================================
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.pinocchio.mimic import following
from implementations.engines.turned import turn_to
from implementations.protocol import Array, Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis
from mechanisms.joint import Screw
from mechanisms.joint_kinds import Slot
from mechanisms.numbers import Vector, dot

OWN = {"spherical": "Spherical", "free": "FreeFlyer"}
"""Our kinds that have no axis."""

OWN_ALONG_Z = {"translation": "Translation", "euler-zyx": "SphericalZYX", "planar": "Planar"}
"""Our kinds whose triad can only be x, y, z."""

ORTHOGONAL = 1e-15
"""The largest cosine between axes that count as orthogonal; they were rounded to float64."""


def model_of(pin: Any, mechanism: Mechanism, order: list[int]) -> Any:
    """The ``pinocchio.Model`` of ``mechanism``, with its joints added in this ``order``: see :func:`depth_first`."""
    model = pin.Model()
    model.name = mechanism.name
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    data = mechanism.arrays
    by_coordinate = np.array([data.per_coordinate(data.armature), data.per_coordinate(data.damping)])
    joint_id, turn, columns = {-1: 0}, {-1: Placement()}, list[int]()
    for i in order:
        body, parent = mechanism.bodies[i], mechanism.parents[i]
        turn[i] = _turn(body.joint)
        placement = turn[parent].inverse() @ body.joint.placement @ turn[i]
        # The number keeps a joint called "universe" apart from Pinocchio's own.
        name = f"{i} {body.joint.name}"
        joint_id[i] = model.addJoint(joint_id[parent], _joint(pin, body.joint), _placement(pin, placement), name)
        model.appendBodyToJoint(joint_id[i], _inertia(pin, body.inertia.placed(turn[i].inverse())), pin.SE3.Identity())
        if body.joint.mimic is None:
            columns += range(mechanism.v_slices[i].start, mechanism.v_slices[i].stop)
    if mechanism.has_mimics:
        model = following(pin, model, mechanism, order)
    model.armature, damping = by_coordinate[:, columns]
    if damping.any():
        model.damping = damping
    return model


def turns(mechanism: Mechanism) -> Array:
    """(bodies, 3, 3): from every body's axes to those of its joint in Pinocchio."""
    return np.array([_turn(body.joint).rotation.inverse().matrix for body in mechanism.bodies], dtype=float)


def _turn(joint: Joint) -> Placement:
    return turn_to(joint.axis) if joint.kind in OWN_ALONG_Z else Placement()


def _joint(pin: Any, joint: Joint) -> Any:
    if own := (OWN | OWN_ALONG_Z).get(joint.kind):
        return getattr(pin, f"JointModel{own}")()
    if joint.velocity_is_body_twist:
        raise Unsupported(f"Pinocchio has no {joint.kind} joint, which joint {joint.name!r} is")
    motions = list(zip(joint.slots, joint.screws, strict=True))
    if len(motions) == 1:
        return _single(pin, *motions[0])
    axes = [screw.axis for screw in joint.screws]
    if joint.kind == "universal" and abs(float(dot(*axes))) < ORTHOGONAL:
        return pin.JointModelUniversal(*map(_floats, axes))
    first, *others = motions
    composite = pin.JointModelComposite(_single(pin, *first))
    for motion in others:
        composite.addJoint(_single(pin, *motion), pin.SE3.Identity())
    return composite


def _single(pin: Any, slot: Slot, screw: Screw) -> Any:
    if slot.form == "circle":
        return _unbounded(pin, screw.axis)
    letter, family = _letter(screw.axis), "Prismatic" if not screw.turns else "Helical" if screw.advance else "Revolute"
    pitch = [float(screw.advance)] if family == "Helical" else []
    if letter:
        return getattr(pin, f"JointModel{family[0]}{letter}")(*pitch)
    return getattr(pin, f"JointModel{family}Unaligned")(_floats(screw.axis), *pitch)


def _unbounded(pin: Any, axis: Vector) -> Any:
    if letter := _letter(axis):
        return getattr(pin, f"JointModelRUB{letter}")()
    # The Python class has no way to give the axis; URDF has.
    xyz = " ".join(map(repr, _floats(axis).tolist()))
    urdf = (
        '<robot name=""><link name="parent"/><link name="child"/><joint name="joint" type="continuous">'
        f'<parent link="parent"/><child link="child"/><axis xyz="{xyz}"/></joint></robot>'
    )
    return pin.buildModelFromXML(urdf).joints[1]


def _letter(axis: Vector) -> str:
    return "XYZ"[basis().index(axis)] if axis in basis() else ""


def _placement(pin: Any, placement: Placement) -> Any:
    return pin.SE3(_floats(placement.rotation.matrix), _floats(placement.translation))


def _inertia(pin: Any, inertia: Inertia) -> Any:
    result = pin.Inertia.Zero()
    # Set part by part, for the constructor refuses what rounding makes of a point mass: moments of −1e-20.
    result.mass = float(inertia.mass)
    result.lever = _floats(inertia.com)
    result.inertia = _floats(inertia.matrix)
    return result


def _floats(numbers: Any) -> Any:
    return np.array(numbers, dtype=float)
