"""Files as Drake's own parser understands them.

Drake keeps welded links as bodies of their own, and keeps damping, limits of positions and velocities, and inertias of rotors.
It calls a link "world" its own world. A floating joint of URDF becomes a free body: its parent and its origin are lost, and its
name is found again by its child. It makes a constraint of ``<mimic>``, with which only plants with discrete time can be
evaluated, so it is removed: the joint moves on its own. Geometry is not read, except in MJCF, where meshes have to exist: those
that do not are cut out of the text.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any
from xml.etree.ElementTree import tostring

import numpy as np

from implementations.engines.drake.adapter import dynamics_of, engine
from implementations.engines.drake.plant import Built
from implementations.engines.files import FileModel, limits_of, numbers, require_kinds
from implementations.protocol import Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, mass_about

TYPES = {"urdf": "urdf", "mjcf": "xml", "sdf": "sdf"}
"""What Drake calls the forms."""

KINDS = {"screw": "helical", "ball_rpy": "spherical", "quaternion_floating": "free"}
"""Our words for Drake's, where they differ."""

AXES = {"revolute": "revolute_axis", "prismatic": "translation_axis", "screw": "screw_axis"}

REFUSALS = (RuntimeError, ValueError, SystemExit)
"""What Drake raises about files. Its assertions are SystemExit, so that they end programs that take no notice."""

LONGEST = 600
"""So many characters of one message are kept. Drake's messages about inertias say what is wrong at their end."""

REMOVED = "constraints of the file, which plants with continuous time refuse, were removed: {}; mimic joints move on their own"


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    drake, names = engine(), _lost_names(text, form)
    try:
        with _listening() as said:
            plant = _parsed(drake, text, form, said)
            _place_base(drake, plant, form, free_base, names)
            if constraints := plant.GetConstraintIds():
                said.append(REMOVED.format(len(constraints)))
            for constraint in constraints:
                plant.RemoveConstraint(constraint)
            plant.Finalize()
    except REFUSALS as error:
        raise Unsupported(f"Drake refuses the file: {one_line(str(error))}") from error
    moving = [joint for joint in map(plant.get_joint, plant.GetJointIndices()) if joint.num_velocities()]
    moving.sort(key=lambda joint: joint.velocity_start())
    return FileModel(PlantNumbers(drake, plant, moving, names).reading(tuple(said)), partial(dynamics, drake, plant, moving))


def dynamics(drake: Any, plant: Any, moving: list[Any], mechanism: Mechanism, order: list[int]) -> Dynamics:
    """What Drake answers about a plant; ``order`` has the index of our body for each of the joints that move."""
    plant.mutable_gravity_field().set_gravity_vector(mechanism.arrays.gravity)
    joints: list[list[Any]] = [[] for _ in order]
    for i, joint in zip(order, moving, strict=True):
        require_kinds("Drake", mechanism, [(i, kind_of(joint))])
        joints[i] = [joint]
    bodies = [joint.child_body() for (joint,) in joints]
    unmoved = [body for body in welded(plant, plant.world_body()) if body.index() != 0]
    return dynamics_of(drake, mechanism, Built(plant, joints, bodies, unmoved))


def _parsed(drake: Any, text: str, form: Form, said: list[str]) -> Any:
    plant = drake.MultibodyPlant(0.0)
    # Of text that is not UTF-8, pydrake says that there is no such function.
    text.encode()
    try:
        # Without a scene graph, geometry is not read.
        drake.Parser(plant).AddModelsFromString(text, TYPES[form])
    except RuntimeError as error:
        if form != "mjcf" or "mesh" not in str(error):
            raise
        cut, count = _without_meshes(text)
        if not count:
            raise
        said.append(f"{count} elements that name meshes were cut out of the text, because Drake needs the files")
        return _parsed(drake, cut, form, said)
    return plant


def _without_meshes(text: str) -> tuple[str, int]:
    """The text of MJCF without elements that name meshes, and how many were cut out."""
    try:
        model = parse_xml(text, "mujoco", "MJCF")
    except MechanismError:
        return text, 0
    count = 0
    for parent in list(model.iter()):
        for child in list(parent):
            if (parent.tag == "asset" and child.tag == "mesh") or (child.tag == "geom" and child.get("mesh")):
                parent.remove(child)
                count += 1
    return tostring(model, "unicode"), count


def _lost_names(text: str, form: Form) -> dict[str, str]:
    """The names of floating joints, by the link that moves freely."""
    try:
        if form == "urdf":
            joints = [j for j in parse_xml(text, "robot", "URDF").iter("joint") if j.get("type") == "floating"]
            return {child.get("link", ""): joint.get("name", "") for joint in joints for child in joint.iter("child")}
        if form == "mjcf":
            bodies = parse_xml(text, "mujoco", "MJCF").iter("body")
            free = ((body.get("name", ""), [*body.findall("freejoint"), *body.findall("joint[@type='free']")]) for body in bodies)
            return {name: found[0].get("name", "") for name, found in free if found and found[0].get("name")}
    except MechanismError:
        # Drake reads the file, and names of its own do.
        pass
    return {}


def _place_base(drake: Any, plant: Any, form: Form, free_base: bool, names: dict[str, str]) -> None:
    """Weld the root link of URDF to the world, or give it a free joint. Other forms say what moves freely."""
    if form != "urdf":
        return
    joints = [plant.get_joint(k) for k in plant.GetJointIndices()]
    carried = {int(joint.child_body().index()) for joint in joints}
    bodies = (plant.get_body(drake.BodyIndex(k)) for k in range(1, plant.num_bodies()))
    roots = [body for body in bodies if int(body.index()) not in carried and body.name() not in names]
    world = plant.world_frame()
    if not free_base:
        if roots:
            plant.WeldFrames(world, roots[0].body_frame())
    elif roots:
        plant.AddJoint(drake.QuaternionFloatingJoint(ROOT_JOINT, world, roots[0].body_frame()))
    else:
        first = [joint for joint in joints if joint.parent_body().index() == 0]
        if len(first) > 1 or any(joint.type_name() != "weld" for joint in first):
            raise Unsupported('the root link is called "world", which is the world itself in Drake, and cannot move')
        for weld in first:
            name, at, to = weld.name(), weld.frame_on_parent(), weld.frame_on_child()
            plant.RemoveJoint(weld)
            plant.AddJoint(drake.QuaternionFloatingJoint(name, at, to))


@contextmanager
def _listening() -> Iterator[list[str]]:
    """What Drake logs meanwhile, one line each; nothing of it is printed."""
    lines: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(one_line(re.sub(r"^<literal-string>\.\w+:", "line ", record.getMessage()), LONGEST))

    logger, listener = logging.getLogger("drake"), Listener()
    before = logger.propagate
    logger.addHandler(listener)
    logger.propagate = False
    try:
        yield lines
    finally:
        logger.removeHandler(listener)
        logger.propagate = before


class PlantNumbers:
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
        if len({*self._names.values()}) < len(moving):
            # Joints of nested models may have one name.
            models = {joint.index(): plant.GetModelInstanceName(joint.model_instance()) for joint in moving}
            self._names = {index: f"{models[index]}::{name}" for index, name in self._names.items()}
            if len({model.partition("::")[0] for model in models.values()}) == 1:
                self._names = {index: name.partition("::")[2] for index, name in self._names.items()}
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
