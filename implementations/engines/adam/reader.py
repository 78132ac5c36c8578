"""URDF as adam reads it, through ``urdf_parser_py``.

adam keeps links apart; what a joint carries is summed here. It ignores ``<mimic>``, damping and gravity, and refuses joints
and inertias without ``<origin>``. It uses ``<axis>`` as long as it is written, so the reading has it so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.adam.adapter import (
    Adam,
    computations,
    engine,
    model_factory,
    require_subspaces,
)
from implementations.engines.files import EARTH, FileModel, carrier_of, numbers, placed_spatial
from implementations.engines.segments import HINGES_AND_SLIDES
from implementations.protocol import Array, Unsupported
from mechanisms.errors import MechanismError
from mechanisms.files.untrusted_xml import parse_xml
from mechanisms.plain_text import one_line
from mechanisms.reading import ROOT_JOINT, Form, Mass, Reading, ReadJoint, combined

KINDS = {"continuous": "revolute", "floating": "free"}


def read(text: str, form: Form, free_base: bool) -> FileModel:
    """See :class:`implementations.engines.as_read.Reader`."""
    engine()
    if "<robot" not in text:
        # It would take the text for the path of a file.
        raise Unsupported("adam refuses the file: it has no <robot>")
    try:
        description = model_factory(text)
        joints = description.get_joints()
        require_subspaces(joints)
        moving = [joint.name for joint in joints if joint.type != "fixed"]
        computed = computations(text, moving)
        return _model(text, description, joints, computed, moving, free_base)
    except Unsupported:
        raise
    except Exception as error:
        # Where an element is missing, its exceptions name neither the element nor the joint.
        reason = _lacking(text) or f"{type(error).__name__}: {error!s}"
        raise Unsupported(f"adam refuses the file: {one_line(reason, 300)}") from error


def _model(text: str, description: Any, joints: Any, computed: Any, moving: list[str], free: bool) -> FileModel:
    inboard = {joint.child: (joint.parent, "" if joint.type == "fixed" else str(joint.name)) for joint in joints}
    links = {link.name: link for link in (*description.get_links(), *description.get_frames())}
    root = next(name for name in links if name not in inboard)
    zero = np.zeros(len(moving))
    poses = {name: np.asarray(computed.forward_kinematics(name, np.eye(4), zero)) for name in links}
    carriers = {name: carrier_of(inboard, name, ROOT_JOINT if free else "") for name in links}
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
    return FileModel(
        Reading(str(description.name), tuple(made), EARTH),
        lambda mechanism, order: Adam().dynamics_of(text, moving, ends, mechanism, order, fixed_mass=still.mass != 0),
    )


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


def _axis(joint: Any, pose: Array) -> tuple[float, ...]:
    if joint.axis is None:
        return ()
    axis = np.asarray(getattr(joint.axis, "array", joint.axis), dtype=float)
    return numbers(pose[:3, :3] @ axis)


def _mass(link: Any, pose: Array) -> Mass:
    spatial = link.spatial_inertia()
    return placed_spatial(getattr(spatial, "array", spatial), pose[:3, :3], pose[:3, 3])
