"""SDF as JaxSim reads it, through ``rod``. It reads URDF only where Gazebo's program, which is not in packages, makes SDF of it.

It adds links that are welded together and keeps damping, friction and limits of positions. It ignores links without mass, with
their joints, and takes no gravity from the file.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from implementations.engines.declared import imported
from implementations.engines.files import as_file, limits_of, numbers, refusal, require_fixed_root, with_what_it_said
from implementations.engines.jaxsim.adapter import Built, dynamics_of, engine
from implementations.engines.left_out import Completed
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, mass_about


@dataclass(frozen=True)
class JaxSimFile:
    """A model that JaxSim has read; see :class:`implementations.engines.as_read.FileModel`."""

    model: Any
    reading: Reading

    def dynamics(self, mechanism: Mechanism, order: list[int]) -> Completed:
        model = self.model.replace(gravity=float(mechanism.arrays.gravity[2]))
        return dynamics_of(mechanism, Built(model, order))


def read(text: str, form: Form, free_base: bool) -> JaxSimFile:
    """See :class:`implementations.engines.as_read.Reader`."""
    js = engine()
    require_fixed_root(form, free_base)
    with as_file(text, "model.sdf") as path:
        try:
            model, said = with_what_it_said(lambda: js.model.JaxSimModel.build_from_model_description(path, is_urdf=False))
        except Exception as error:
            raise refusal("JaxSim", error) from error
    return JaxSimFile(model, replace(_reading(js, model), said=said))


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
    """The inertia of a link, from the spatial inertia that JaxSim makes of it, linear part first."""
    spatial = np.asarray(link.inertia, float)
    mass, lever, about_origin = float(link.mass), spatial[3:, :3], spatial[3:, 3:]
    com = np.array([lever[2, 1], lever[0, 2], lever[1, 0]]) / mass
    inertia = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
    R, p = pose[:3, :3], pose[:3, 3]
    return mass_about(mass, R @ com + p, R @ inertia @ R.T)
