"""The numbers of a plant that Drake's parser made of a file.

Links that are welded to each other are added by Drake itself, in the frame of the link that carries them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.files import limits_of, numbers
from mechanisms.reading import ROOT_JOINT, Mass, Reading, ReadJoint, ReadLink, mass_about

KINDS = {"screw": "helical", "ball_rpy": "spherical", "quaternion_floating": "free"}
"""Our words for Drake's, where they differ."""

AXES = {"revolute": "revolute_axis", "prismatic": "translation_axis", "screw": "screw_axis"}


class Numbers:
    """The numbers of a plant where every position is zero."""

    def __init__(self, drake: Any, plant: Any, moving: list[Any], names: dict[str, str]) -> None:
        self._drake, self._plant, self._moving = drake, plant, moving
        self._context = plant.CreateDefaultContext()
        q = np.zeros(plant.num_positions())
        for joint in moving:
            if joint.type_name() == "quaternion_floating":
                q[joint.position_start()] = 1
        plant.SetPositions(self._context, q)
        lost = [joint for joint in moving if joint.is_ephemeral()]
        self._names = {joint.index(): joint.name() for joint in moving}
        for joint in lost:
            name = joint.child_body().name()
            self._names[joint.index()] = names.get(name) or (ROOT_JOINT if len(lost) == 1 else name)
        self._carriers = {
            int(body.index()): self._names[joint.index()] for joint in moving for body in welded(plant, joint.child_body())
        }
        actuators = [plant.get_joint_actuator(k) for k in plant.GetJointActuatorIndices()]
        self._actuators = {joint.index(): [a for a in actuators if a.joint().index() == joint.index()] for joint in moving}

    def reading(self, said: tuple[str, ...]) -> Reading:
        bodies = [self._plant.get_body(self._drake.BodyIndex(k)) for k in range(1, self._plant.num_bodies())]
        links = tuple(ReadLink(body.name(), self._carriers.get(int(body.index()), ""), self._mass([body])) for body in bodies)
        model = self._plant.GetModelInstanceName(bodies[0].model_instance()) if bodies else ""
        gravity = numbers(self._plant.gravity_field().gravity_vector())
        return Reading(model, tuple(map(self._joint, self._moving)), gravity, links, said, tells_mimic=False)

    def _joint(self, joint: Any) -> ReadJoint:
        place, actuators = joint.frame_on_parent().CalcPoseInWorld(self._context), self._actuators[joint.index()]
        single = joint.num_velocities() == 1
        return ReadJoint(
            self._names[joint.index()],
            kind_of(joint),
            self._carriers.get(int(joint.parent_body().index()), ""),
            numbers(place.translation()),
            self._axis(joint, place),
            self._mass(welded(self._plant, joint.child_body())),
            self._limits(joint, actuators) if single else (None,) * 4,
            float(joint.default_damping_vector()[0]) if single else None,
            float(sum(actuator.default_reflected_inertia() for actuator in actuators)) if single else None,
        )

    def _axis(self, joint: Any, place: Any) -> tuple[float, ...]:
        kind = joint.type_name()
        if kind in AXES:
            return numbers(place.rotation() @ getattr(joint, AXES[kind])())
        column = {"planar": 2, "universal": 0}.get(kind)
        return () if column is None else numbers(place.rotation().matrix()[:, column])

    def _limits(self, joint: Any, actuators: list[Any]) -> tuple[float | None, ...]:
        forces = [actuator.effort_limit() for actuator in actuators] or [np.inf]
        limits = (joint.position_lower_limits(), joint.position_upper_limits(), joint.velocity_upper_limits(), forces)
        return limits_of(*(limit[0] for limit in limits))

    def _mass(self, bodies: list[Any]) -> Mass:
        """Of bodies that are welded to each other, which Drake adds in the frame of the first."""
        frame, indices = bodies[0].body_frame(), [body.index() for body in bodies]
        place = frame.CalcPoseInWorld(self._context)
        total = self._plant.CalcSpatialInertia(self._context, frame, indices)
        mass = total.get_mass()
        if mass == 0:
            return mass_about(0, place.translation(), np.zeros((3, 3)).tolist())
        com = total.get_com()
        central = total.Shift(com).CalcRotationalInertia().ReExpress(place.rotation())
        return mass_about(mass, place @ com, central.CopyToFullMatrix3())


def welded(plant: Any, body: Any) -> list[Any]:
    """The body, and all that are welded to it."""
    return [body, *(other for other in plant.GetBodiesWeldedTo(body) if other.index() != body.index())]


def kind_of(joint: Any) -> str:
    """The kind of a joint of Drake's, in our words."""
    name = joint.type_name()
    return KINDS.get(name, name)
