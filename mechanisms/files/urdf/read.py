"""Mechanisms from URDF: the tree, its joints and its inertias.

This module reads ``<link>`` with ``<inertial>``, and ``<joint>`` with its origin, axis, ``<dynamics damping>`` and ``<mimic>``.
It opens no other file. Visuals, collisions, meshes, limits, transmissions and simulator plugins do not enter the dynamics and
are skipped.
Whatever else is in the elements that describe bodies and joints is ignored aloud: :attr:`Mechanism.notes` says it.
:mod:`mechanisms.files.urdf.vocabulary` declares every element and attribute.

Where the format leaves something open, the reading is that of urdfdom, the parser of ROS.

Three extensions express what URDF cannot; other parsers skip them: ``<dynamics armature>`` (rotor inertia seen at the
joint, kg m² or kg), ``<gravity xyz>`` under ``<robot>`` (m/s²), and ``<robot unphysical="true">``, which accepts inertias
that no rigid body can have.

Decimal text is kept exactly.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Container
from itertools import chain, count
from pathlib import Path
from xml.etree.ElementTree import Element

from mechanisms.body import Body
from mechanisms.errors import MechanismError, Place
from mechanisms.files.bounded_file import read_robot
from mechanisms.files.untrusted_xml import attribute, by_name, in_file, naming, numbers, parse_xml, place_of, vector
from mechanisms.files.urdf.vocabulary import overlooked
from mechanisms.geometry import Placement, Rotation, basis, unit_vector
from mechanisms.inertia import Inertia
from mechanisms.joint import Joint
from mechanisms.joint_kinds import JOINT_KINDS, Kind
from mechanisms.limits import MOST_BODIES, MOST_LINKS, MOST_RADIANS
from mechanisms.mechanism import EARTH, Mechanism
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import exact, require_moderate
from mechanisms.reading import ROOT_JOINT
from mechanisms.source import Source, source_text

KINDS: dict[str, Kind] = {declared.urdf: kind for kind, declared in JOINT_KINDS.items() if declared.urdf}
KINDS |= {"continuous": "revolute"}
"""The kind of joint for each of URDF's types. A continuous joint is read as revolute: an angle has no bounds here."""


def read_urdf(path: str | Path, free_base: bool = False, *, physical: bool = True, ignore_mimic: bool = False) -> Mechanism:
    """The mechanism in a URDF file; see :func:`parse_urdf` for the options and errors."""
    mechanism = parse_urdf(read_robot(path, "a URDF file"), str(path), free_base, physical=physical, ignore_mimic=ignore_mimic)
    found = mechanism.read_from
    return dataclasses.replace(mechanism, read_from=found and dataclasses.replace(found, path=str(path)))


def parse_urdf(
    text: str | bytes, source: str = "URDF", free_base: bool = False, *, physical: bool = True, ignore_mimic: bool = False
) -> Mechanism:
    """The mechanism in URDF ``text``; errors name ``source``.

    The root link becomes the root, which does not move. With ``free_base`` a free joint "root_joint" connects it to a new
    root instead; the name has underscores at its end if a joint of the file has it. There are two exceptions, both for a root
    link without inertia that has a single joint. If that joint is floating, the base is free already. If it is fixed and the
    root link is called "world", the joint itself becomes free.

    ``physical=False``, like the file's own ``unphysical``, accepts inertias that no rigid body can have
    (:attr:`Mechanism.faults` names them), as some published robots have; ``ignore_mimic`` lets mimic joints move on their own,
    as Pinocchio does unless it is told otherwise. The mechanism keeps the text: :attr:`Mechanism.source`.

    Raises :class:`MechanismError`, one sentence that names the source and the element, for everything that is wrong.
    """
    places: dict[tuple[str, str], Place | None] = {}
    with in_file(source, places):
        robot = parse_xml(text, "robot", "URDF")
        notes = overlooked(robot)
        links, joints = by_name(robot, "link"), by_name(robot, "joint")
        if not links:
            raise MechanismError("<robot> has no <link>; give at least one", place_of(robot))
        links, note = _with_world(links, joints)
        notes = (*notes, *note)
        for kind, elements in (("body", links), ("joint", joints)):
            places |= {(kind, name): place_of(element) for name, element in elements.items()}
        places |= {("inertial", name): place_of(link.find("inertial")) for name, link in links.items()}
        if len(links) > MOST_LINKS:
            raise MechanismError(f"<robot> has {len(links)} links; give {MOST_LINKS} at most")
        inertias = {name: inertia_of(name, link) for name, link in links.items()}
        bodies = [_body(name, joint, inertias, ignore_mimic) for name, joint in joints.items()]
        if (moving := sum(body.joint.kind != "fixed" for body in bodies)) > MOST_BODIES:
            raise MechanismError(f"<robot> has {moving} joints that move; give {MOST_BODIES} at most")
        root, as_written = _root(list(links), bodies), bodies
        if free_base:
            root, bodies = _freed(root, inertias, bodies)
        gravity = robot.find("gravity")
        places["gravity", ""] = place_of(gravity)
        mechanism = Mechanism(
            attribute(robot, "name", "<robot>"),
            tuple(bodies),
            EARTH if gravity is None else vector(gravity, "xyz", "<gravity>"),
            root,
            physical=physical and robot.get("unphysical") != "true",
            places=places,
        )
        kept = source_text(text)
        read_from = (
            None if kept is None else Source(kept, "", bodies is not as_written, fingerprint=mechanism.fingerprint, notes=notes)
        )
    return dataclasses.replace(mechanism, read_from=read_from)


def _with_world(links: dict[str, Element], joints: dict[str, Element]) -> tuple[dict[str, Element], tuple[str, ...]]:
    """The links with "world", if a joint has it for its parent and it is no link, and what is said of it."""
    parents = {name: parent.get("link") for name, joint in joints.items() for parent in joint.findall("parent")[:1]}
    joint = next((name for name, parent in parents.items() if parent == "world" and parent not in links), None)
    if joint is None:
        return links, ()
    note = f"joint {joint!r}: its parent 'world' is no link of the robot; it is taken for a link without inertia"
    return {"world": Element("link"), **links}, (note,)


def inertia_of(name: str, link: Element) -> Inertia:
    """The inertia of the element <link>, in the link's frame. Raises :class:`MechanismError`, which says its ``name``."""
    inertial = link.find("inertial")
    if inertial is None:
        return Inertia.massless()
    with naming(f"link {name!r}", link):
        mass, tensor = inertial.find("mass"), inertial.find("inertia")
        if mass is None or tensor is None:
            raise MechanismError("<inertial> lacks <mass> or <inertia>; give both, or no <inertial> for a massless link")
        entries = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        about_com = tuple(exact(attribute(tensor, entry, "<inertia>"), entry) for entry in entries)
        return Inertia(exact(attribute(mass, "value", "<mass>"), "mass"), about_com=about_com).placed(origin_of(inertial))


def _body(name: str, joint: Element, inertias: dict[str, Inertia], ignore_mimic: bool) -> Body:
    with naming(f"joint {name!r}", joint):
        type_ = attribute(joint, "type", "<joint>")
        if type_ not in KINDS:
            raise MechanismError(f"its type {type_!r} is not supported; use one of {', '.join(KINDS)}")
        ends = []
        for end in ("parent", "child"):
            element = joint.find(end)
            if element is None:
                raise MechanismError(f"it has no <{end}>; add <{end} link=…>")
            ends.append(attribute(element, "link", f"<{end}>"))
            if ends[-1] not in inertias:
                raise MechanismError(f"its {end} {ends[-1]!r} is no link of the robot; add that link or correct the name")
        parent, child = ends
        made = _joint(name, KINDS[type_], joint, None if ignore_mimic else joint.find("mimic"))
    return Body(child, parent, made, inertias[child])


def _joint(name: str, kind: Kind, joint: Element, mimic: Element | None) -> Joint:
    placement = origin_of(joint)
    # A fixed joint that is said to follow another does not move; published files have such leftovers.
    if kind == "fixed":
        return Joint(name, kind, placement=placement)
    axis, dynamics = joint.find("axis"), joint.find("dynamics")
    direction = basis()[0] if axis is None or not JOINT_KINDS[kind].has_axis else vector(axis, "xyz", "<axis>")
    given = {} if dynamics is None else dynamics.attrib
    return Joint(
        name,
        kind,
        unit_vector(direction, "its <axis>", normalise=True),
        placement,
        exact(given.get("armature", "0"), "armature"),
        exact(given.get("damping", "0"), "damping"),
        mimic=None if mimic is None else _mimic(mimic),
    )


def _mimic(mimic: Element) -> Mimic:
    multiplier, offset = mimic.get("multiplier", "1"), mimic.get("offset", "0")
    leader = attribute(mimic, "joint", "<mimic>")
    return Mimic(leader, exact(multiplier, "multiplier of <mimic>"), exact(offset, "offset of <mimic>"))


def _root(links: list[str], bodies: list[Body]) -> str:
    children = Counter(body.name for body in bodies)
    for child, parents in children.items():
        if parents > 1:
            joints = _quoted([body.joint.name for body in bodies if body.name == child])
            message = f"link {child!r} is the child of joints {joints}; a tree allows one, so remove the others"
            raise MechanismError(message, about=("body", child))
    roots = [link for link in links if link not in children]
    if not roots:
        message = f"every link is a joint's child, so links {_quoted(links)} form a loop; cut it at one joint"
        raise MechanismError(message, about=("body", links[0]))
    if len(roots) > 1:
        message = f"links {_quoted(roots)} have no parent; a robot has one root, so join the others to it"
        raise MechanismError(message, about=("body", roots[1]))
    return roots[0]


def _freed(root: str, inertias: dict[str, Inertia], bodies: list[Body]) -> tuple[str, list[Body]]:
    first = [body for body in bodies if body.parent == root]
    if inertias[root].is_massless and len(first) == 1:
        only = first[0]
        if only.joint.kind == "free":
            return root, bodies
        if only.joint.kind == "fixed" and root == "world":
            joint = Joint(only.joint.name, "free", placement=only.joint.placement)
            return root, [Body(body.name, root, joint, body.inertia) if body is only else body for body in bodies]
    ground = _unused(("world", "universe", "ground beneath " + root), inertias)
    joint = Joint(_unused((ROOT_JOINT,), {body.joint.name for body in bodies}), "free")
    return ground, [Body(root, ground, joint, inertias[root]), *bodies]


def _unused(names: tuple[str, ...], taken: Container[str]) -> str:
    """The first of the names, then the last one with underscores, that is not taken."""
    return next(name for name in chain(names, (names[-1] + "_" * k for k in count(1))) if name not in taken)


def origin_of(element: Element) -> Placement:
    """The placement that the element's <origin> gives."""
    origin = element.find("origin")
    if origin is None:
        return Placement()
    translation = vector(origin, "xyz", "<origin>", "0 0 0")
    if "quat_xyzw" in origin.attrib:
        return Placement(_from_quaternion(origin), translation)
    angles = vector(origin, "rpy", "<origin>", "0 0 0")
    if max(map(abs, angles)) > MOST_RADIANS:
        raise MechanismError(f"rpy of <origin> has an angle of more than {MOST_RADIANS} rad; give angles in radians")
    return Placement(Rotation.from_rpy(*map(float, angles)), translation)


def _from_quaternion(origin: Element) -> Rotation:
    if "rpy" in origin.attrib:
        raise MechanismError("<origin> has both rpy and quat_xyzw; remove one")
    x, y, z, w = quaternion = numbers(origin, "quat_xyzw", "<origin>", 4)
    require_moderate(quaternion, "quat_xyzw of <origin>")
    if not any(quaternion):
        raise MechanismError("quat_xyzw of <origin> is zero; give any other, 0 0 0 1 for no rotation")
    return Rotation(w, x, y, z)


def _quoted(names: list[str]) -> str:
    return ", ".join(map(repr, names))
