"""SDF as JaxSim reads it, through ``rod``. It reads URDF only where Gazebo's program, which is not in packages, makes SDF of it.

It adds links that are welded together and keeps damping, friction and limits of positions. It ignores links without mass, with
their joints, and takes no gravity from the file.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from implementations.engines.declared import imported
from implementations.engines.files import FileModel, as_file, limits_of, numbers, placed_spatial, refusal, with_what_it_said
from implementations.engines.jaxsim.adapter import Built, dynamics_of, engine
from implementations.engines.left_out import Completed
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    js = engine()
    with as_file(text, "model.sdf") as path:
        try:
            model, said = with_what_it_said(lambda: js.model.JaxSimModel.build_from_model_description(path, is_urdf=False))
        except Exception as error:
            raise refusal("JaxSim", error) from error
    return FileModel(replace(_reading(js, model), said=said), partial(_dynamics, model))


def _dynamics(model: Any, mechanism: Mechanism, order: list[int]) -> Completed:
    return dynamics_of(mechanism, Built(model.replace(gravity=float(mechanism.arrays.gravity[2])), order))


def _reading(js: Any, model: Any) -> Reading:
    joints = imported("JaxSim", "jaxsim", "jaxsim.parsers.descriptions").JointType
    kinds = {joints.Revolute: "revolute", joints.Prismatic: "prismatic"}
    poses = np.asarray(js.model.forward_kinematics(model, js.data.JaxSimModelData.zero(model)))
    links, described = list(model.description), model.description.joints_dict
    carriers = {links[0].name: ROOT_JOINT if model.floating_base() else ""}
    carriers |= {joint.child.name: joint.name for joint in described.values()}
    made = []
    if model.floating_base():
        made.append(ReadJoint(ROOT_JOINT, "free", "", numbers(poses[0][:3, 3]), (), _mass(links[0], poses[0])))
    for name, link, pose in zip(model.joint_names(), links[1:], poses[1:], strict=True):
        joint = described[name]
        made.append(
            ReadJoint(
                name,
                kinds[joint.jtype],
                carriers[joint.parent.name],
                numbers(pose[:3, 3]),
                numbers(pose[:3, :3] @ joint.axis),
                _mass(link, pose),
                limits_of(*(end if abs(end) < 1e300 else None for end in joint.position_limit), None, None),
                float(joint.friction_viscous),
                None,
                float(joint.friction_static),
            )
        )
    return Reading(model.name(), tuple(made), (0.0, 0.0, float(model.gravity)), tells_mimic=False)


def _mass(link: Any, pose: Array) -> Mass:
    return placed_spatial(link.inertia, pose[:3, :3], pose[:3, 3])
