"""What we make of a URDF, in the numbers that every reader must agree on (:mod:`mechanisms.reading`)."""

from __future__ import annotations

import math
from dataclasses import replace
from xml.etree.ElementTree import Element

from mechanisms.errors import MechanismError
from mechanisms.files.reading import poses_of
from mechanisms.files.reading import reading_of as of_mechanism
from mechanisms.files.untrusted_xml import by_name, parse_xml
from mechanisms.files.urdf.read import inertia_of, parse_urdf
from mechanisms.files.urdf.vocabulary import overlooked
from mechanisms.geometry import Placement
from mechanisms.inertia import Inertia
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import DECIMAL, WHITESPACE
from mechanisms.reading import ROOT_JOINT, Mass, Reading, ReadJoint, ReadLink, ReadMimic, mass_about


def reading_of(text: str, free_base: bool = False, source: str = "URDF") -> tuple[Reading, Mechanism]:
    """What we make of the URDF ``text``, and the mechanism. Inertias that no body can have are accepted; errors name ``source``.

    Raises :class:`mechanisms.errors.MechanismError`.
    """
    mechanism = parse_urdf(text, source, free_base, physical=False, ignore_mimic=True)
    robot = parse_xml(text, "robot", "URDF")
    overlooked(robot)
    if free_base and ROOT_JOINT in by_name(robot, "joint"):
        raise MechanismError(
            f"{source}: joint {ROOT_JOINT!r} has the name that readers give to the free joint of the base; rename it"
        )
    read, poses = of_mechanism(mechanism), poses_of(mechanism)
    elements, single = by_name(robot, "joint"), [body.joint.nv == 1 for body in mechanism.bodies]
    joints = tuple(
        _as_written(joint, elements[joint.name], one) if joint.name in elements else joint
        for joint, one in zip(read.joints, single, strict=True)
    )
    names = [joint.name for joint in joints]
    carriers = {mechanism.root: ("", Placement())}
    for link in mechanism.links:
        holder = poses[link.body] if link.body >= 0 else Placement()
        carriers[link.name] = (names[link.body] if link.body >= 0 else "", holder @ link.placement)
    links = tuple(
        ReadLink(name, carriers[name][0], _mass(inertia_of(name, link), carriers[name][1]))
        for name, link in by_name(robot, "link").items()
    )
    return replace(read, joints=joints, links=links, said=mechanism.notes), mechanism


def _as_written(joint: ReadJoint, element: Element, single: bool) -> ReadJoint:
    """The joint with what its element says and no mechanism has: limits, where it has a ``single`` coordinate, and <mimic>."""
    return replace(joint, limits=_limits(element) if single else joint.limits, mimic=_mimic(element))


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
