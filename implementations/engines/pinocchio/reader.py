"""Files as Pinocchio's own readers understand them.

Pinocchio welds links and keeps only the sums of their inertias. It keeps damping, friction and limits of joints, and ignores
gravity in a file: that stays its own.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from implementations.engines.files import FileModel, as_file, numbers, placed
from implementations.engines.left_out import Completed
from implementations.engines.pinocchio.adapter import dynamics_of, engine
from implementations.engines.pinocchio.composites import taken_apart
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Reading, ReadJoint

KINDS = {
    "FreeFlyer": "free",
    "Planar": "planar",
    "Translation": "translation",
    "Spherical": "spherical",
    "SphericalZYX": "euler-zyx",
}


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    pin = engine()
    try:
        model = _model(pin, text, form, free_base)
    except (RuntimeError, ValueError) as error:
        raise Unsupported(f"Pinocchio refuses the file: {one_line(str(error), 300)}") from error
    return FileModel(_reading(pin, model), partial(_dynamics, pin, model))


def _dynamics(pin: Any, model: Any, mechanism: Mechanism, order: list[int]) -> Completed:
    model.gravity.linear[:] = mechanism.arrays.gravity
    return dynamics_of(pin, mechanism, model, order, np.zeros((len(order), 3, 3)) + np.eye(3))


def _model(pin: Any, text: str, form: Form, free_base: bool) -> Any:
    root = [pin.JointModelFreeFlyer(), ROOT_JOINT] if free_base else []
    if form == "urdf":
        return pin.buildModelFromXML(text, *root)
    bodies = [
        [joint.get("name", "") for joint in body.findall("joint")] for body in parse_xml(text, "mujoco", "MJCF").iter("body")
    ]
    with as_file(text, "model.xml") as path:
        return taken_apart(pin, pin.buildModelFromMJCF(str(path)), {names[0]: names for names in bodies if names})


def _reading(pin: Any, model: Any) -> Reading:
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    names = ["", *list(model.names)[1:]]
    joints = tuple(_joint(pin, model, data, names, k) for k in range(1, model.njoints))
    return Reading(model.name, joints, numbers(model.gravity.linear))


def _joint(pin: Any, model: Any, data: Any, names: list[str], k: int) -> ReadJoint:
    joint, place, at, inertia = model.joints[k], data.oMi[k], model.joints[k].idx_v, model.inertias[k]
    single = joint.nv == 1
    return ReadJoint(
        names[k],
        _kind(joint),
        names[model.parents[k]],
        numbers(place.translation),
        _axis(pin, model, data, k),
        placed(inertia.mass, inertia.lever, inertia.inertia, place.rotation, place.translation),
        _limits(model, joint) if single else (None,) * 4,
        float(model.damping[at]) if single else None,
        float(model.armature[at]) if single else None,
        float(model.friction[at]) if single and hasattr(model, "friction") else None,
    )


def _kind(joint: Any) -> str:
    name = joint.shortname().removeprefix("JointModel")
    families = {"R": "revolute", "P": "prismatic", "H": "helical"}
    return KINDS.get(name) or families.get(name[0], name)


def _axis(pin: Any, model: Any, data: Any, k: int) -> tuple[float, ...]:
    """The axis along the root's axes: the direction of the joint's one motion, or the normal of its plane."""
    joint = model.joints[k]
    # Pinocchio returns a single column as a vector.
    J = pin.computeJointJacobian(model, data, pin.neutral(model), k).reshape(6, -1)[:, joint.idx_v : joint.idx_v + joint.nv]
    if joint.nv == 1:
        turn, slide = J[3:, 0], J[:3, 0]
        return numbers(data.oMi[k].rotation @ (turn if np.any(turn) else slide))
    return numbers(data.oMi[k].rotation[:, 2]) if joint.nv == 3 and _kind(joint) == "planar" else ()


def _limits(model: Any, joint: Any) -> tuple[float | None, ...]:
    q, v = joint.idx_q, joint.idx_v
    if joint.nq != 1:
        return (None, None, _known(model.velocityLimit, v), _known(model.effortLimit, v))
    ends = (_known(model.lowerPositionLimit, q), _known(model.upperPositionLimit, q))
    return (*ends, _known(model.velocityLimit, v), _known(model.effortLimit, v))


def _known(limits: Array, k: int) -> float | None:
    """A limit; None for one that is not there."""
    return float(limits[k]) if abs(limits[k]) < np.finfo(float).max else None
