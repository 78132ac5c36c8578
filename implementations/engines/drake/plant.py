"""Builds Drake's ``MultibodyPlant`` of a mechanism from Drake's own joints.

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

from implementations.protocol import Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.joint_kinds import Coordinate
from mechanisms.numbers import Vector, dot

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


def build(drake: Any, mechanism: Mechanism) -> Built:
    """The plant of ``mechanism``. Raises :class:`Unsupported` for what Drake cannot represent."""
    plant = drake.MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(_floats(mechanism.gravity))
    frames: list[Any] = []
    built = Built(plant, [], [], frames=frames)
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        child = plant.AddRigidBody(f"body{i}", _inertia(drake, body.name, body.inertia))
        on = built.bodies[parent] if parent >= 0 else plant.world_body()
        built.joints.append(_Joints(drake, plant, body.joint, f"joint{i}").between(on, child))
        built.bodies.append(child)
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


@dataclass
class _Joints:
    """Adds the joints of one of ours to the ``plant``; their names begin with ``name``."""

    drake: Any
    plant: Any
    joint: Joint
    name: str

    def between(self, parent: Any, child: Any) -> list[Any]:
        joint = self.joint
        own = OWN.get(joint.kind)
        if own == "UniversalJoint" and abs(float(dot(joint.axis, joint.second_axis or joint.axis))) > ORTHOGONAL:
            own = None
        steps = joint.description.coordinates if own is None else (None,)
        turn = self._turn(own)
        at = self._frame(parent, _transform(self.drake, joint.placement), turn)
        added = []
        for k, step in enumerate(steps):
            if k + 1 < len(steps):
                between = self.plant.AddRigidBody(f"{self.name} {k}", self.drake.SpatialInertia.Zero())
                to = between.body_frame()
            else:
                to = self._frame(child, self.drake.RigidTransform(), turn)
            # A joint with one velocity is one step.
            made = self._own(own, at, to) if step is None else self._step(f"{self.name} {k}", step, at, to)
            added.append(self.plant.AddJoint(made))
            at = to
        return added

    def _own(self, own: Any, at: Any, to: Any) -> Any:
        return getattr(self.drake, own)(self.name, at, to)

    def _step(self, name: str, step: Coordinate, at: Any, to: Any) -> Any:
        joint, damping = self.joint, float(self.joint.damping)
        along = {"axis": joint.axis, "second axis": joint.second_axis}.get(step.direction)
        axis = np.array(LETTERS[step.direction]) if along is None else _floats(along)
        if not step.turns:
            return self.drake.PrismaticJoint(name, at, to, axis, damping=damping)
        if step.advance == "pitch":
            return self.drake.ScrewJoint(name, at, to, axis, 2 * math.pi * float(joint.pitch), damping)
        return self.drake.RevoluteJoint(name, at, to, axis, damping=damping)

    def _turn(self, own: str | None) -> Any:
        """From the axes of the frames in Drake to those of the joint; None where they are the same."""
        joint = self.joint
        if own == "UniversalJoint" and joint.second_axis is not None:
            x, y = _floats(joint.axis), _floats(joint.second_axis)
            return self.drake.RotationMatrix(np.column_stack([x, y, np.cross(x, y)]))
        if not any(coordinate.direction in LETTERS for coordinate in joint.description.coordinates):
            return None
        x, y, z = _floats(joint.axis)
        if (across := math.hypot(x, y)) == 0:
            return None if z > 0 else self.drake.RotationMatrix.MakeXRotation(math.pi)
        return self.drake.RotationMatrix(
            self.drake.AngleAxis(angle=math.atan2(across, z), axis=np.array([-y / across, x / across, 0]))
        )

    def _frame(self, body: Any, place: Any, turn: Any) -> Any:
        if turn is not None:
            place = place @ self.drake.RigidTransform(turn, np.zeros(3))
        if place.IsExactlyIdentity():
            return body.body_frame()
        return self.plant.AddFrame(self.drake.FixedOffsetFrame(f"{self.name} on {body.name()}", body.body_frame(), place))


def _transform(drake: Any, placement: Placement) -> Any:
    # Drake's conversion of a quaternion would round more often.
    rotation = drake.RotationMatrix(np.array(placement.rotation.matrix, dtype=float))
    return drake.RigidTransform(rotation, _floats(placement.translation))


def _inertia(drake: Any, name: str, inertia: Inertia) -> Any:
    if inertia.is_massless:
        return drake.SpatialInertia.Zero()
    mass, com = float(inertia.mass), _floats(inertia.com)
    if mass == 0:
        raise Unsupported(f"Drake multiplies unit inertias by masses; body {name!r} has rotational inertia and no mass")
    about_origin = drake.RotationalInertia(*map(float, inertia.about_com)).ShiftFromCenterOfMass(mass, -com)
    unit = drake.UnitInertia(1, 1, 1)
    unit.SetFromRotationalInertia(about_origin, mass)
    return drake.SpatialInertia(mass, com, unit, skip_validity_check=True)


def _floats(numbers: Vector) -> Any:
    return np.array(numbers, dtype=float)
