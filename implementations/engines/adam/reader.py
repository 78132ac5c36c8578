"""URDF as adam reads it, through ``urdf_parser_py``.

adam keeps links apart; what a joint carries is summed here. It ignores ``<mimic>``, damping and gravity, and refuses joints
and inertias without ``<origin>``. It uses ``<axis>`` as long as it is written, so the reading has it so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from implementations.engines.adam.adapter import (
    Adam,
    computations,
    engine,
    model_factory,
    require_subspaces,
)
from implementations.engines.files import EARTH, numbers
from implementations.engines.left_out import Completed
from implementations.engines.segments import HINGES_AND_SLIDES
from implementations.protocol import Array, Unsupported
from mechanisms import Mechanism
from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, combined, mass_about

KINDS = {"continuous": "revolute", "floating": "free"}


@dataclass(frozen=True)
class AdamFile:
    """A model that adam has read; see :class:`implementations.engines.as_read.FileModel`."""

    text: str
    reading: Reading
    fixed_mass: bool
    """Whether a link that does not move has mass."""
    links: tuple[str, ...]
    """The link that each joint of the reading moves."""

    def dynamics(self, mechanism: Mechanism, order: list[int]) -> Completed:
        names = [joint.name for joint in self.reading.joints]
        free = names[0] == ROOT_JOINT
        return Adam().dynamics_of(self.text, names[free:], list(self.links), mechanism, order, self.fixed_mass)


def read(text: str, form: Form, free_base: bool) -> AdamFile:
    """See :class:`implementations.engines.as_read.Reader`."""
    engine()
    if form != "urdf":
        raise Unsupported("adam reads URDF alone")
    if "<robot" not in text:
        # It would take the text for the path of a file.
        raise Unsupported("adam refuses the file: it has no <robot>")
    try:
        description = model_factory(text)
        joints = description.get_joints()
        require_subspaces(joints)
        moving = [joint.name for joint in joints if joint.type != "fixed"]
        computed = computations(text, moving)
        reading, fixed_mass, links = _reading(description, joints, computed, moving, free_base)
    except Unsupported:
        raise
    except Exception as error:
        # Where an element is missing, its exceptions name neither the element nor the joint.
        reason = _lacking(text) or f"{type(error).__name__}: {error!s}"
        raise Unsupported(f"adam refuses the file: {one_line(reason, 300)}") from error
    return AdamFile(text, reading, fixed_mass, links)


def _reading(
    description: Any, joints: Any, computed: Any, moving: list[str], free: bool
) -> tuple[Reading, bool, tuple[str, ...]]:
    """The reading, whether a link that does not move has mass, and the link that each joint moves."""
    parents = {joint.child: joint for joint in joints}
    links = {link.name: link for link in (*description.get_links(), *description.get_frames())}
    root = next(name for name in links if name not in parents)
    zero = np.zeros(len(moving))
    poses = {name: np.asarray(computed.forward_kinematics(name, np.eye(4), zero)) for name in links}
    carriers = {name: _carrier(name, parents, free) for name in links}
    names = [ROOT_JOINT, *moving] if free else moving
    by_name = {joint.name: joint for joint in joints}
    made, ends = [], []
    for name in names:
        joint = by_name.get(name)
        child = joint.child if joint else root
        carried = [_mass(links[link], poses[link]) for link, carrier in carriers.items() if carrier == name]
        made.append(
            ReadJoint(
                name,
                KINDS.get(joint.type, joint.type) if joint else "free",
                carriers[joint.parent] if joint else "",
                numbers(poses[child][:3, 3]),
                _axis(joint, poses[child]) if joint else (),
                combined(carried),
            )
        )
        ends.append(child)
    still = combined(_mass(links[link], poses[link]) for link, carrier in carriers.items() if not carrier)
    return Reading(str(description.name), tuple(made), EARTH), still.mass != 0, tuple(ends)


def _lacking(text: str) -> str:
    """What adam needs, and the first joint or link of the file ``text`` that lacks it; empty if all have it."""
    try:
        robot = parse_xml(text, "robot", "URDF")
    except MechanismError:
        return ""
    moving = [joint for joint in robot.findall("joint") if joint.get("type") in HINGES_AND_SLIDES]
    # <origin> comes first, because adam asks for it first.
    for part, needed, what, elements in (
        ("origin", "<origin>", "joint", robot.findall("joint")),
        ("inertial/origin", "<origin>", "<inertial> of link", robot.findall("link[inertial]")),
        ("inertial/inertia", "<inertia>", "<inertial> of link", robot.findall("link[inertial]")),
        ("axis", "<axis>", "joint", moving),
    ):
        for element in elements:
            if element.find(part) is None:
                return f"it needs {needed}, which {what} {element.get('name', '')!r} lacks"
    return ""


def _carrier(link: str, parents: dict[str, Any], free: bool) -> str:
    while (joint := parents.get(link)) is not None:
        if joint.type != "fixed":
            return str(joint.name)
        link = joint.parent
    return ROOT_JOINT if free else ""


def _axis(joint: Any, pose: Array) -> tuple[float, ...]:
    if joint.axis is None:
        return ()
    axis = np.asarray(getattr(joint.axis, "array", joint.axis), dtype=float)
    return numbers(pose[:3, :3] @ axis)


def _mass(link: Any, pose: Array) -> Mass:
    """The inertia of a link, from the spatial inertia that adam makes of it, linear part first."""
    spatial = np.asarray(getattr(link.spatial_inertia(), "array", link.spatial_inertia()), dtype=float)
    mass, lever, about_origin = float(spatial[0, 0]), spatial[3:, :3], spatial[3:, 3:]
    com = np.array([lever[2, 1], lever[0, 2], lever[1, 0]]) / mass if mass else np.zeros(3)
    inertia = about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com))
    R, p = pose[:3, :3], pose[:3, 3]
    return mass_about(mass, R @ com + p, R @ inertia @ R.T)
