"""The same tree, written differently: other order, other names, frames in between, the free base in the file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from xml.etree.ElementTree import Element, SubElement

from cross_check.read.as_read.elements import (
    drop,
    each,
    fixed_joints,
    in_carriers,
    origin_of,
    parent_of,
    put,
    vector_of,
    weld,
)
from cross_check.read.as_read.inertials import CYCLE, QUARTER
from cross_check.read.as_read.rewriting import (
    Edit,
    Rewrite,
    Rewritten,
    by,
    document,
    edited,
    is_held,
    text_of,
    unused,
    written,
)
from mechanisms import Mechanism, Placement, Rotation
from mechanisms.errors import Unsupported
from mechanisms.files.attributes import decimals, rpy

AHEAD = Placement(Rotation.from_rpy(*CYCLE), ("0.25", "-0.5", "0.125"))
BEHIND = Placement(Rotation.from_rpy(QUARTER, 0.0, 0.0), ("-0.5", "0.75", "0.25"))
"""Two frames between a link and its joint, one behind the other. The order of their rotations matters."""

SMALL = Placement(Rotation.from_rpy(0.0003, -0.0005, 0.0002), ("0.25", "-0.5", "0.125"))

TINY = 0.001
"""Angles that are smaller are taken for zero by some readers (rad)."""


def _reversed(robot: Element) -> None:
    robot[:] = reversed(robot)


def _framed(mechanism: Mechanism, frames: Sequence[Placement]) -> Rewritten:
    """These frames are between every link and its joints, whose origins make up for them."""
    robot = document(mechanism)
    back = reduce(Placement.__matmul__, frames).inverse()
    held = mechanism.bodies[0].joint.name if is_held(mechanism) else ""
    for joint in robot.findall("joint"):
        if joint.get("name") == held:
            continue  # The harness frees it: it is no fixed joint of the mechanism.
        parent, origin, child = joint.find("parent"), joint.find("origin"), joint.find("child")
        assert parent is not None
        assert origin is not None
        assert child is not None
        holder = parent.get("link", "")
        for k, placement in enumerate(frames):
            name = unused(robot, "link", f"{child.get('link')}_frame_{k}")
            SubElement(robot, "link", name=name)
            weld(robot, holder, name, placement, placement.rotation.rpy or rpy(placement.rotation))
            holder = name
        parent.set("link", holder)
        placement = (back @ origin_of(joint)).shortened()
        origin.attrib.update(xyz=decimals(placement.translation), rpy=decimals(rpy(placement.rotation)))
    return Rewritten(text_of(robot), free_base=is_held(mechanism))


def _renamed(mechanism: Mechanism, bodies: list[str], joints: list[str]) -> Rewritten:
    """Bodies and joints get other names, in their order."""
    robot = document(mechanism)
    links = dict(zip([body.name for body in mechanism.bodies], bodies, strict=True))
    others = dict(zip([body.joint.name for body in mechanism.bodies], joints, strict=True))
    held = is_held(mechanism)
    if held:
        # The harness names this joint.
        others[mechanism.bodies[0].joint.name] = mechanism.bodies[0].joint.name
    taken = {mechanism.root} & {*bodies}
    if taken:
        raise Unsupported(f"its root has the name {min(taken)!r}, which the other file needs")
    for link in robot.findall("link"):
        link.set("name", links.get(link.get("name", ""), link.get("name", "")))
    for joint in robot.findall("joint"):
        joint.set("name", others[joint.get("name", "")])
        for end in (*joint.findall("parent"), *joint.findall("child")):
            end.set("link", links.get(end.get("link", ""), end.get("link", "")))
    return Rewritten(text_of(robot), held, links, others)


def _sorted(mechanism: Mechanism) -> Rewritten:
    n = len(mechanism.bodies)
    return _renamed(mechanism, [f"b{n - k:04}" for k in range(n)], [f"j{n - k:04}" for k in range(n)])


def _odd(mechanism: Mechanism) -> Rewritten:
    """Bodies and joints share names, as URDF allows."""
    names = [f"{k} link.a/b-c:d (é, 关节) 'x' & <y>" for k in range(len(mechanism.bodies))]
    return _renamed(mechanism, names, names)


def _continuous(mechanism: Mechanism) -> Rewritten:
    if not any(body.joint.kind == "revolute" for body in mechanism.bodies):
        raise Unsupported("it has no revolute joint")

    def edit(robot: Element) -> None:
        drop("joint[@type='revolute']/limit")(robot)
        put("joint[@type='revolute']", type="continuous")(robot)

    return edited(mechanism, edit)


def _floating(mechanism: Mechanism) -> Rewritten:
    if not is_held(mechanism):
        raise Unsupported("its file has no free base that could be written otherwise")
    return written(mechanism, held=False)


# What faulty readers make of a file.


def _sorted_by_name(robot: Element) -> None:
    joints = sorted(robot.findall("joint"), key=lambda joint: joint.get("name", ""))
    for joint in joints:
        robot.remove(joint)
    robot.extend(joints)


def _unturned_places(robot: Element) -> None:
    """The place of a fixed joint is added without the rotations of the fixed joints before it."""
    placements = in_carriers(robot)
    for joint in fixed_joints(robot).values():
        before = placements.get(parent_of(joint), Placement()).rotation
        for origin in joint.findall("origin"):
            origin.set("xyz", decimals(before.inverse()(vector_of(origin, "xyz"))))


def _only_last(robot: Element) -> None:
    """Of several fixed joints in a row, the placement of the last one alone counts."""
    welds = fixed_joints(robot)
    for joint in welds.values():
        for parent in joint.findall("parent"):
            seen: set[str] = set()
            while (link := parent.get("link", "")) in welds and link not in seen:
                seen.add(link)
                parent.set("link", parent_of(welds[link]))


def _in_opposite_order(robot: Element) -> None:
    """The rotations of several fixed joints in a row are multiplied in the opposite order."""
    welds = fixed_joints(robot)
    read = {name: origin_of(joint).rotation for name, joint in welds.items()}
    for name, joint in welds.items():
        before, link, seen = Rotation.identity(), parent_of(joint), {name}
        while link in welds and link not in seen:
            seen.add(link)
            before, link = before @ read[link], parent_of(welds[link])
        for origin in joint.findall("origin"):
            origin.set("rpy", decimals(rpy(before.inverse() @ read[name] @ before)))


def _has_small_angles(origin: Element) -> bool:
    return all(abs(angle) < TINY for angle in vector_of(origin, "rpy"))


EDITS: dict[str, Edit] = {
    "rotations-in-opposite-order": _in_opposite_order,
    "no-small-angles": each(".//origin", lambda origin: origin.attrib.pop("rpy", None), _has_small_angles),
    "unturned-places": _unturned_places,
    "only-last-joint": _only_last,
    "sorted-joints": _sorted_by_name,
}

REWRITES: dict[str, Rewrite] = {
    "nested_frames": partial(_framed, frames=(AHEAD, BEHIND)),
    "small_angles": partial(_framed, frames=(SMALL,)),
    "reversed_order": by(_reversed),
    "sorted_names": _sorted,
    "odd_names": _odd,
    "continuous_joints": _continuous,
    "floating_base": _floating,
}
