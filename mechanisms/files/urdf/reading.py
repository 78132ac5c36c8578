"""What we make of a URDF, in the numbers that every reader must agree on (:mod:`mechanisms.reading`)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from mechanisms.body import Body
from mechanisms.files.untrusted_xml import by_name, parse_xml
from mechanisms.files.urdf.read import inertia_of, parse_urdf
from mechanisms.files.urdf.vocabulary import overlooked
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import DECIMAL, WHITESPACE
from mechanisms.reading import Mass, Numbers, Reading, ReadJoint, ReadLink, ReadMimic, mass_about


def reading_of(text: str, free_base: bool = False) -> tuple[Reading, Mechanism]:
    """What we make of the URDF ``text``, and the mechanism. Inertias that no body can have are accepted.

    Raises :class:`mechanisms.errors.MechanismError`.
    """
    mechanism = parse_urdf(text, "the file", free_base, physical=False, ignore_mimic=True)
    robot = parse_xml(text, "robot", "URDF")
    overlooked(robot)
    elements = by_name(robot, "joint")
    poses = poses_of(mechanism)
    carriers = {body.name: (body.joint.name, pose) for body, pose in zip(mechanism.bodies, poses, strict=True)}
    names = [body.joint.name for body in mechanism.bodies]
    joints = tuple(
        joint_of(body, names[parent] if parent >= 0 else "", pose, elements.get(body.joint.name))
        for body, parent, pose in zip(mechanism.bodies, mechanism.parents, poses, strict=True)
    )
    carriers[mechanism.root] = ("", Placement())
    for frame in mechanism.frames:
        holder = poses[frame.body] if frame.body >= 0 else Placement()
        carriers[frame.name] = (names[frame.body] if frame.body >= 0 else "", holder @ frame.placement)
    links = tuple(
        ReadLink(name, carriers[name][0], _mass(inertia_of(name, link), carriers[name][1]))
        for name, link in by_name(robot, "link").items()
    )
    return Reading(mechanism.name, joints, _floats(mechanism.gravity), links, mechanism.notes), mechanism


def poses_of(mechanism: Mechanism) -> list[Placement]:
    """Every body's frame in the root's, where every position is zero."""
    poses: list[Placement] = []
    for body, parent in zip(mechanism.bodies, mechanism.parents, strict=True):
        placement = body.joint.placement
        # Along a chain, exact numbers grow without limit.
        poses.append((poses[parent] @ placement).shortened() if parent >= 0 else placement)
    return poses


def joint_of(body: Body, parent: str, pose: Placement, element: Element | None) -> ReadJoint:
    """What readers must agree on about a body and its joint; ``element`` is the joint's in a URDF."""
    joint = body.joint
    has_axis = joint.description.has_axis
    has_dynamics = joint.description.takes_armature_and_damping
    return ReadJoint(
        joint.name,
        "revolute" if joint.kind == "continuous" else joint.kind,
        parent,
        _floats(pose.translation),
        _floats(pose.rotation(joint.axis)) if has_axis else (),
        _mass(body.inertia, pose),
        _limits(element) if element is not None and joint.nv == 1 else (None,) * 4,
        float(joint.damping) if has_dynamics else None,
        float(joint.armature) if has_dynamics else None,
        mimic=None if element is None else _mimic(element),
    )


def _mimic(joint: Element) -> ReadMimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    return ReadMimic(mimic.get("joint", ""), float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0")))


def _limits(joint: Element) -> tuple[float | None, ...]:
    """Least and largest position, speed, force, as the file has them; a continuous joint has no ends."""
    limit = joint.find("limit")
    if limit is None:
        return (None,) * 4
    names = ("lower", "upper", "velocity", "effort")
    ends = joint.get("type") != "continuous"
    return tuple(_number(limit.get(name, "0")) if ends or name not in names[:2] else None for name in names)


def _number(text: str) -> float | None:
    """The number that is written, by the grammar of all numbers of a mechanism; None if there is none, or none of float64."""
    written = text.strip(WHITESPACE)
    value = float(written) if DECIMAL.fullmatch(written) else math.inf
    return value if math.isfinite(value) else None


def _mass(inertia: Inertia, pose: Placement) -> Mass:
    placed = inertia.placed(pose)
    return mass_about(placed.mass, placed.com, placed.matrix)


def _floats(numbers: Sequence[object]) -> Numbers:
    return tuple(float(x) for x in numbers)  # type: ignore[arg-type]
