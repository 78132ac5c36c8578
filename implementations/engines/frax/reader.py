"""URDF as frax reads it, with a reader that it has from Genesis and urdfpy.

It welds the links that do not move relative to their parents. It ignores ``<mimic>``, damping and friction. It refuses planar and
floating joints, and a root or a moving link without ``<inertial>``; links with nothing inside get zeros from us. An axis shorter
than 1e-4 is x. Its limits of speed and force are 100 where a file has none.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from implementations.engines.files import EARTH, FileModel, limits_of, numbers, placed, refusal
from implementations.engines.frax.adapter import BASE, dynamics_of, engine, robot_of
from implementations.protocol import Array
from mechanisms.reading import ROOT_JOINT, Form, Reading, ReadJoint


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    engine()
    try:
        with warnings.catch_warnings(action="ignore"):
            robot = robot_of(text, free_base)
    except Exception as error:
        raise refusal("frax", error) from error
    # It does not keep the robot's name.
    return FileModel(Reading("", tuple(_joints(robot, free_base)), EARTH), partial(dynamics_of, robot))


def _joints(robot: Any, free_base: bool) -> Iterator[ReadJoint]:
    poses: list[Array] = []
    names = [ROOT_JOINT] * BASE + robot.joint_names[BASE:] if free_base else robot.joint_names
    for k, (parent, step, name) in enumerate(zip(robot.parent_idxs, robot.joint_to_prev_joint_tfs, names, strict=True)):
        poses.append((poses[parent] if parent >= 0 else np.eye(4)) @ step)
        mass = poses[k] @ robot.link_com_to_prev_joint_tfs[k]
        carries = placed(robot.link_masses[k], np.zeros(3), robot.link_local_inertias[k], mass[:3, :3], mass[:3, 3])
        on, origin = names[parent] if parent >= 0 else "", numbers(poses[k][:3, 3])
        own = k - robot.nv_floating
        if own >= 0:
            limits = (
                robot.actuated_joint_lower_limits[own],
                robot.actuated_joint_upper_limits[own],
                robot.actuated_joint_max_velocities[own],
                robot.actuated_joint_max_forces[own],
            )
            kind = "prismatic" if robot.joint_types[k] else "revolute"
            yield ReadJoint(name, kind, on, origin, numbers(poses[k][:3, :3] @ robot.joint_axes[k]), carries, limits_of(*limits))
        elif own == -1:
            yield ReadJoint(name, "free", "", origin, (), carries)
