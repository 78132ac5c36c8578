"""Files as iDynTree's own reader of URDF understands them.

It reads revolute, continuous, prismatic and fixed joints, and its own extension "spherical", and refuses others. It keeps welded
links apart, but turns a link without mass that is welded to just one other link into a frame of that link. It has no gravity.
A file that it refuses gives it an empty model, and what it says is printed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from implementations.engines.files import EARTH, FileModel, carrier_of, numbers, with_what_it_said
from implementations.engines.idyntree.adapter import dynamics_of, engine
from implementations.engines.idyntree.model import Built
from implementations.protocol import Dynamics, Unsupported
from mechanisms import Mechanism
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, ReadLink, combined, mass_about


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    id, loader = engine(), engine().ModelLoader()
    ok, said = with_what_it_said(lambda: loader.loadModelFromString(text, form))
    model = loader.model().copy()
    if not ok or not model.getNrOfLinks():
        errors = [line for line in said if line.startswith("[ERROR]")] or ["it does not say why"]
        raise Unsupported(f"iDynTree refuses the file: {'; '.join(errors)[:300]}")
    root = _root(text, model)
    return FileModel(_reading(id, model, root, free_base, said), partial(_dynamics, id, model, root, free_base))


def _dynamics(id: Any, read: Any, root: str, free_base: bool, mechanism: Mechanism, order: list[int]) -> Dynamics:
    model = read.copy()
    for link, joint in enumerate(_carriers(model, ROOT_JOINT if free_base else "")):
        if not joint:
            model.getLink(link).setInertia(id.SpatialInertia.Zero())
    children = [model.getLinkName(joint.getSecondAttachedLink()) for _, joint in _moving(model)]
    made = Built(model, root, free_base, [root, *children] if free_base else children)
    return dynamics_of(id, mechanism, made, range(mechanism.nv), order)


def _root(text: str, model: Any) -> str:
    """The name of the root link: iDynTree keeps it as the name of a link or of a frame, but not that it is the root."""
    robot = parse_xml(text, "robot", "URDF")
    children = {child.get("link") for child in robot.iterfind("joint/child")}
    roots = [name for link in robot.iterfind("link") if (name := link.get("name")) not in children]
    name = roots[0] if roots else None
    return name if name and model.isFrameNameUsed(name) else model.getLinkName(model.getDefaultBaseLink())


def _moving(model: Any) -> list[tuple[str, Any]]:
    """The joints that move, in the order of their coordinates, with their names."""
    joints = [(model.getJointName(k), model.getJoint(k)) for k in range(model.getNrOfJoints())]
    return sorted((pair for pair in joints if pair[1].getNrOfDOFs()), key=lambda pair: pair[1].getDOFsOffset())


def _reading(id: Any, model: Any, root: str, free_base: bool, said: tuple[str, ...]) -> Reading:
    places = _places(id, model, root)
    carriers = _carriers(model, ROOT_JOINT if free_base else "")
    carried = {name: id.SpatialInertia.Zero() for name in carriers}
    links = []
    for link, place in enumerate(places):
        own = place * model.getLink(link).getInertia()
        carried[carriers[link]] = carried[carriers[link]] + own
        links.append(ReadLink(model.getLinkName(link), carriers[link], _mass(own)))
    for frame in range(model.getNrOfLinks(), model.getNrOfFrames()):
        links.append(ReadLink(model.getFrameName(frame), carriers[model.getFrameLink(frame)], combined(())))
    joints = [ReadJoint(ROOT_JOINT, "free", "", (0.0, 0.0, 0.0), (), _mass(carried[ROOT_JOINT]))] if free_base else []
    joints += [_joint(name, joint, places, carriers, _mass(carried[name])) for name, joint in _moving(model)]
    return Reading("", tuple(joints), EARTH, tuple(links), said)


def _places(id: Any, model: Any, root: str) -> list[Any]:
    """The pose of every link in the root's frame, where every position is zero."""
    asked = id.KinDynComputations()
    asked.loadRobotModel(model)
    asked.setFloatingBase(root)
    rest = np.zeros(model.getNrOfPosCoords())
    for _, joint in _moving(model):
        joint.setJointPosCoordsToRest(rest)
    still, weightless = id.VectorDynSize(np.zeros(model.getNrOfDOFs())), id.Vector3(np.zeros(3))
    asked.setRobotState(id.Transform.Identity(), id.VectorDynSize(rest), id.Twist.Zero(), still, weightless)
    return [asked.getWorldTransform(link) for link in range(model.getNrOfLinks())]


def _carriers(model: Any, of_root: str) -> list[str]:
    """For every link the name of the joint that moves it."""
    joints = [(model.getJointName(k), model.getJoint(k)) for k in range(model.getNrOfJoints())]
    inboard = {
        joint.getSecondAttachedLink(): (joint.getFirstAttachedLink(), name if joint.getNrOfDOFs() else "")
        for name, joint in joints
    }
    return [carrier_of(inboard, link, of_root) for link in range(model.getNrOfLinks())]


def _joint(name: str, joint: Any, places: list[Any], carriers: list[str], carries: Mass) -> ReadJoint:
    parent, child = joint.getFirstAttachedLink(), joint.getSecondAttachedLink()
    place = places[child]
    origin = numbers(place.getPosition().toNumPy())
    if joint.getNrOfDOFs() != 1:
        return ReadJoint(name, "spherical", carriers[parent], origin, (), carries)
    motion = joint.getMotionSubspaceVector(0, child, parent).toNumPy()
    axis = numbers(place.getRotation().toNumPy() @ (motion[3:] if joint.isRevoluteJoint() else motion[:3]))
    ends = (joint.getMinPosLimit(0), joint.getMaxPosLimit(0)) if joint.hasPosLimits() else (None, None)
    speed = joint.getVelocityLimit(0) if joint.hasVelocityLimits() else None
    force = joint.getEffortLimit(0) if joint.hasEffortLimits() else None
    kind = "revolute" if joint.isRevoluteJoint() else "prismatic"
    limits = (*ends, speed, force)
    return ReadJoint(
        name, kind, carriers[parent], origin, axis, carries, limits, joint.getDamping(0), friction=joint.getStaticFriction(0)
    )


def _mass(inertia: Any) -> Mass:
    about_com = inertia.getRotationalInertiaWrtCenterOfMass().toNumPy()
    com = numbers(inertia.getCenterOfMass().toNumPy()) if inertia.getMass() else (0.0, 0.0, 0.0)
    return mass_about(inertia.getMass(), com, about_com)
