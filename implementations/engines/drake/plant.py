"""Builds Drake's ``MultibodyPlant`` of a mechanism from Drake's own joints, and converts to the order of their coordinates.

=========== ===================================================================================================
ours        Drake's joint
=========== ===================================================================================================
revolute    RevoluteJoint
continuous  RevoluteJoint
prismatic   PrismaticJoint
helical     ScrewJoint; its pitch is the advance per revolution, ours per radian
universal   UniversalJoint if the axes are orthogonal, as its axes x and y are; else two RevoluteJoints
spherical   BallRpyJoint
planar      PlanarJoint
free        QuaternionFloatingJoint
others      a RevoluteJoint or PrismaticJoint for every angle and distance, with massless bodies between them
=========== ===================================================================================================

The frames of joints are Drake's ``FixedOffsetFrame``: where our triad is not x, y, z, the frames on both bodies are turned, and
the body's frame stays ours. Rotation matrices of placements are rounded once. Drake multiplies them, and moves inertias to the
body's origin. Names are numbers, because Drake gives some names a meaning.

Armature is the rotor's inertia of an actuator with the gear ratio 2, which Drake squares. Drake checks inertias more
strictly than files keep digits, so its check is switched off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from implementations.engines.segments import floats
from implementations.protocol import Array, Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.joint_kinds import Coordinate
from mechanisms.numbers.exact import dot
from mechanisms.quantities import Axis

GEAR_RATIO = 2.0
"""A power of two, so that its square divides without rounding."""

ORTHOGONAL = 1e-15
"""The largest cosine between axes that count as orthogonal; they were rounded to float64."""

OWN = {
    "spherical": "BallRpyJoint",
    "planar": "PlanarJoint",
    "free": "QuaternionFloatingJoint",
    "universal": "UniversalJoint",
}
"""Our kinds with several coordinates that Drake has a joint for."""

LETTERS = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class Built:
    """A finalized ``plant``. For every one of our bodies, in our order: its joints in Drake, and its body."""

    plant: Any
    joints: list[list[Any]]
    bodies: list[Any]
    unmoved: Sequence[Any] = ()
    """Bodies that are welded to the world. Drake counts their masses in the centre of mass, and we do not."""
    frames: Sequence[Any] = ()
    """Drake's frame for every frame of the mechanism, or none."""


def build(drake: Any, mechanism: Mechanism, plant: Any = None) -> Built:
    """The ``plant`` of ``mechanism``, a continuous one if none is given. Raises :class:`Unsupported` for what Drake lacks."""
    plant = plant or drake.MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(floats(mechanism.gravity))
    frames: list[Any] = []
    built = Built(plant, [], [], frames=frames)
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        child = plant.AddRigidBody(f"body{i}", _inertia(drake, body.name, body.inertia))
        on = built.bodies[parent] if parent >= 0 else plant.world_body()
        built.joints.append(_joints(drake, plant, body.joint, f"joint{i}", on, child))
        built.bodies.append(child)
        if body.joint.stiffness != 0:
            plant.AddForceElement(_spring(drake, body.joint, built.joints[i][0]))
        if body.joint.armature != 0:
            actuator = plant.AddJointActuator(f"actuator{i}", built.joints[i][0])
            actuator.set_default_gear_ratio(GEAR_RATIO)
            actuator.set_default_rotor_inertia(float(body.joint.armature) / GEAR_RATIO**2)
    for k, frame in enumerate(mechanism.frames):
        on = built.bodies[frame.body] if frame.body >= 0 else plant.world_body()
        place = _transform(drake, frame.placement)
        frames.append(plant.AddFrame(drake.FixedOffsetFrame(f"frame{k}", on.body_frame(), place)))
    plant.Finalize()
    return built


def _joints(drake: Any, plant: Any, joint: Joint, name: str, parent: Any, child: Any) -> list[Any]:
    """The joints of Drake's, added to the ``plant``, that are one of ours; their names begin with ``name``."""
    own = OWN.get(joint.kind)
    if own == "UniversalJoint" and abs(float(dot(joint.axis, joint.second_axis or joint.axis))) > ORTHOGONAL:
        own = None
    turn = _turn(drake, joint, own)

    def frame(body: Any, place: Any) -> Any:
        if turn is not None:
            place = place @ drake.RigidTransform(turn, np.zeros(3))
        if place.IsExactlyIdentity():
            return body.body_frame()
        return plant.AddFrame(drake.FixedOffsetFrame(f"{name} on {body.name()}", body.body_frame(), place))

    at = frame(parent, _transform(drake, joint.placement))
    if own:
        return [plant.AddJoint(getattr(drake, own)(name, at, frame(child, drake.RigidTransform())))]
    *before, last = joint.description.coordinates
    added = []
    for k, step in enumerate(before):
        to = plant.AddRigidBody(f"{name} {k}", drake.SpatialInertia.Zero()).body_frame()
        added.append(plant.AddJoint(_step(drake, joint, f"{name} {k}", step, at, to)))
        at = to
    to = frame(child, drake.RigidTransform())
    return [*added, plant.AddJoint(_step(drake, joint, f"{name} {len(before)}", last, at, to))]


def _step(drake: Any, joint: Joint, name: str, step: Coordinate, at: Any, to: Any) -> Any:
    """Drake's joint for one coordinate."""
    along = {"axis": joint.axis, "second axis": joint.second_axis}.get(step.direction)
    axis = np.array(LETTERS[step.direction]) if along is None else floats(along)
    damping = float(joint.damping)
    if not step.turns:
        return drake.PrismaticJoint(name, at, to, axis, damping=damping)
    if step.advance == "pitch":
        return drake.ScrewJoint(name, at, to, axis, 2 * math.pi * float(joint.pitch), damping)
    return drake.RevoluteJoint(name, at, to, axis, damping=damping)


def _spring(drake: Any, joint: Joint, made: Any) -> Any:
    """Drake's spring for a joint. Raises :class:`Unsupported` for a helical joint."""
    springs = {"revolute": drake.RevoluteSpring, "prismatic": drake.PrismaticSpring}
    if joint.kind not in springs:
        raise Unsupported(f"Drake has springs for revolute and prismatic joints, and joint {joint.name!r} is {joint.kind}")
    return springs[joint.kind](made, float(joint.rest), float(joint.stiffness))


def _turn(drake: Any, joint: Joint, own: str | None) -> Any:
    """From the axes of the frames in Drake to those of the joint; None where they are the same."""
    if own == "UniversalJoint" and joint.second_axis is not None:
        x, y = floats(joint.axis), floats(joint.second_axis)
        return drake.RotationMatrix(np.column_stack([x, y, np.cross(x, y)]))
    if not any(coordinate.direction in LETTERS for coordinate in joint.description.coordinates):
        return None
    x, y, z = floats(joint.axis)
    if (across := math.hypot(x, y)) == 0:
        return None if z > 0 else drake.RotationMatrix.MakeXRotation(math.pi)
    return drake.RotationMatrix(drake.AngleAxis(angle=math.atan2(across, z), axis=np.array([-y / across, x / across, 0])))


def _transform(drake: Any, placement: Placement) -> Any:
    # Drake's conversion of a quaternion would round more often.
    rotation = drake.RotationMatrix(np.array(placement.rotation.matrix, dtype=float))
    return drake.RigidTransform(rotation, floats(placement.translation))


def _inertia(drake: Any, name: str, inertia: Inertia) -> Any:
    if inertia.is_massless:
        return drake.SpatialInertia.Zero()
    mass, com = float(inertia.mass), floats(inertia.com)
    if mass == 0:
        raise Unsupported(f"Drake multiplies unit inertias by masses; body {name!r} has rotational inertia and no mass")
    about_origin = drake.RotationalInertia(*map(float, inertia.about_com)).ShiftFromCenterOfMass(mass, -com)
    unit = drake.UnitInertia(1, 1, 1)
    unit.SetFromRotationalInertia(about_origin, mass)
    return drake.SpatialInertia(mass, com, unit, skip_validity_check=True)


class DrakeCoordinates:
    """Our q, v, a and τ, after the conversions of :mod:`implementations.conventions`, in the order of Drake's joints.

    See :class:`implementations.state_by_state.Coordinates`.
    """

    def __init__(self, drake: Any, mechanism: Mechanism, built: Built) -> None:
        self._drake = drake
        self._nq = built.plant.num_positions()
        self._from: list[int] = []
        self._to: list[int] = []
        self._balls: list[tuple[int, int]] = []
        self._v: list[int] = []
        ours = 0
        for body, joints in zip(mechanism.bodies, built.joints, strict=True):
            for joint in joints:
                q, v = joint.position_start(), joint.velocity_start()
                if joint.type_name() == "ball_rpy":
                    self._balls.append((ours, q))
                    ours += 4
                else:
                    self._from += range(ours, ours + joint.num_positions())
                    self._to += range(q, q + joint.num_positions())
                    ours += joint.num_positions()
                own = np.arange(v, v + joint.num_velocities())
                # Drake's planar velocity has its angle at the end.
                self._v += list(np.roll(own, 1) if body.joint.kind == "planar" else own)
        self._back = np.argsort(self._v)

    def position(self, q: Array) -> Array:
        """q (batch, n), with quaternions w x y z for ball joints, as Drake's q (batch, Drake's nq)."""
        there = np.empty((len(q), self._nq))
        there[:, self._to] = q[:, self._from]
        for ours, theirs in self._balls:
            for state, own in zip(there, q[:, ours : ours + 4], strict=True):
                quaternion = self._drake.Quaternion(own / np.linalg.norm(own))
                state[theirs : theirs + 3] = self._drake.RollPitchYaw(quaternion).vector()
        return there

    def _our_position(self, there: Array) -> Array:
        """The inverse of ``position``."""
        q = np.empty((len(there), len(self._from) + 4 * len(self._balls)))
        q[:, self._from] = there[:, self._to]
        for ours, theirs in self._balls:
            angles = (self._drake.RollPitchYaw(state[theirs : theirs + 3]) for state in there)
            q[:, ours : ours + 4] = [one.ToQuaternion().wxyz() for one in angles]
        return q

    def rates(self, x: Array) -> Array:
        return x[:, self._back]

    def to_ours(self, x: Array, axis: int, entries: Axis) -> Array:
        if entries == "next":
            return np.concatenate([self._our_position(x[:, : self._nq]), x[:, self._nq :][:, self._v]], axis=1)
        return np.take(x, self._v, axis) if entries == "nv" else x
