"""Joints that are read wrongly: the axis, the placement, armature or damping, the kind, or the parent of one joint."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.misread_bodies import Misreadings
from cross_check.explain.faults.other_coordinates import identity, linear
from mechanisms import Body, Joint, Mechanism, Placement, Rotation
from mechanisms.joint_kinds import JOINT_KINDS, Kind

KINDS: tuple[tuple[Kind, ...], ...] = (
    ("revolute", "prismatic"),
    ("cylindrical", "universal"),
    ("euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx", "translation"),
)
"""Kinds with positions and velocities of equal length, which may be mistaken for each other."""


def rpy_of(rotation: Rotation) -> tuple[float, float, float]:
    """URDF's fixed-axis angles (rad): those that it was made from, else computed."""
    if rotation.rpy:
        return rotation.rpy
    R = np.array(rotation.matrix, dtype=float)
    return float(np.arctan2(R[2, 1], R[2, 2])), float(np.arcsin(np.clip(-R[2, 0], -1, 1))), float(np.arctan2(R[1, 0], R[0, 0]))


def rpy_order(p: Placement) -> Placement:
    """Roll, pitch and yaw are made in the opposite order: Rx(roll) Ry(pitch) Rz(yaw)."""
    back = Rotation.from_rpy(*(-x for x in rpy_of(p.rotation)))
    return replace(p, rotation=back.inverse())


def yaw_first(p: Placement) -> Placement:
    """The three angles are read as yaw, pitch and roll."""
    return replace(p, rotation=Rotation.from_rpy(*reversed(rpy_of(p.rotation))))


def in_degrees(p: Placement) -> Placement:
    """The three angles are read as degrees."""
    roll, pitch, yaw = (float(np.radians(x)) for x in rpy_of(p.rotation))
    return replace(p, rotation=Rotation.from_rpy(roll, pitch, yaw))


def lengthened(factor: Any, p: Placement) -> Placement:
    return Placement(p.rotation, tuple(factor * x for x in p.translation))


PLACEMENTS: tuple[tuple[str, Callable[[Placement], Placement]], ...] = (
    ("the placement of {} is ignored", wm.none),
    ("the rotation of {}'s placement is ignored", wm.unrotated),
    ("the rotation of {}'s placement is transposed", wm.transposed),
    ("roll, pitch and yaw of {} are made in the opposite order", rpy_order),
    ("roll, pitch and yaw of {} are read as yaw, pitch and roll", yaw_first),
    ("roll, pitch and yaw of {} are read as degrees", in_degrees),
    ("the origin of {} is ignored", wm.untranslated),
    ("the origin of {} has the opposite sign", partial(lengthened, -1)),
    ("the origin of {} is read along its own axes", wm.translated_along_child),
    ("the origin of {} is a thousand times too far", partial(lengthened, 1000)),
    ("the origin of {} is a thousand times too near", partial(lengthened, Fraction(1, 1000))),
)
"""A sentence with the joint's name, and the change."""


def multiplied(what: str, factor: Any, joint: Joint) -> Joint:
    """The joint with another armature, damping or pitch."""
    return replace(joint, **{what: factor * getattr(joint, what)})


JOINTS: tuple[tuple[str, str, Callable[[Joint], Joint]], ...] = (
    ("the axis of {} is read in the parent's frame", "axes", wm.axis_in_parent_frame),
    ("the axis of {} is snapped to x, y or z", "axes", wm.snapped_axis),
    *(
        (f"the axis of {{}} is {letter}, whatever the mechanism says", "axes", partial(wm.with_axis, axis))
        for letter, axis in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1)))
    ),
    ("the second axis of {} is ignored", "axes", lambda j: wm.default_second_axis(j) if j.description.takes_second_axis else j),
    *(
        (f"the {what} of {{}} {words}", what, partial(multiplied, what, factor))
        for what in ("armature", "damping", "pitch")
        for words, factor in (("is ignored", 0), ("counts twice", 2))
    ),
    ("the pitch of {} has the opposite sign", "pitch", partial(multiplied, "pitch", -1)),
)
"""A sentence with the joint's name, the group, and the change."""


def of_joint(change: Callable[[Joint], Joint]) -> Callable[[Body], Body]:
    return lambda body: replace(body, joint=change(body.joint))


def placed(change: Callable[[Placement], Placement]) -> Callable[[Body], Body]:
    return of_joint(lambda joint: replace(joint, placement=change(joint.placement)))


def reversed_joint(joint: str, mechanism: Any, slices: Sequence[slice]) -> Any:
    """The matrix that reverses the angle or distance of a joint: of a cosine and a sine, the sine."""
    A = identity(slices)
    for body, own in zip(mechanism.bodies, slices, strict=True):
        if body.joint.name == joint:
            A[own.stop - 1, own.stop - 1] = -1
    return A


def sign(body: Body) -> Iterator[Fault]:
    """The joint moves the other way: throughout, only in what is read, only in the answers; q alone, v and a alone."""
    name = body.joint.name
    if body.joint.kind in ("revolute", "continuous", "prismatic", "helical"):
        clause = f"{name} moves the other way, as if its axis had the opposite sign"
        code = linear(clause, "signs of joints", partial(reversed_joint, name), kinds=(body.joint.kind,), where=(name,))
        yield from code.alone(f"q of {name} has the opposite sign", f"v, a and τ of {name} have the opposite sign")


def of_joint_and_parent(mechanism: Mechanism, ways: Misreadings) -> Iterator[Fault]:
    """The joint of one body, and where it hangs, read wrongly in every way that changes them."""
    body = ways.body
    joint, name = body.joint, body.joint.name
    yield from sign(body)
    for words, place in PLACEMENTS:
        yield from ways.by(words.format(name), "placements", placed(place), name)
    for words, group, change in JOINTS:
        yield from ways.by(words.format(name), group, of_joint(change), name)
    yield from _of_others(mechanism, ways)
    for kind in {kind: None for kinds in KINDS if joint.kind in kinds for kind in kinds}:
        yield from ways.by(f"{name} is taken for {kind}", "kinds of joints", of_joint(partial(as_kind, kind)), name)
    for parent in mechanism.bodies:
        if parent.name == body.parent:
            to = partial(replace, parent=parent.parent)
            yield from ways.by(f"{body.name} hangs on {parent.parent} instead of {parent.name}", "branching", to)


def as_kind(kind: Kind, joint: Joint) -> Joint:
    """The joint as one of another kind; what that kind does not have is lost."""
    if kind == joint.kind:
        return joint
    keeps = JOINT_KINDS[kind].takes_armature_and_damping
    return Joint(joint.name, kind, joint.axis, joint.placement, joint.armature if keeps else 0, joint.damping if keeps else 0)


def _of_others(mechanism: Mechanism, ways: Misreadings) -> Iterator[Fault]:
    """Armature or damping of the joint before or after."""
    joint = ways.body.joint
    takers = [body.joint for body in mechanism.bodies if body.joint.description.takes_armature_and_damping]
    if joint not in takers:
        return
    k = takers.index(joint)
    for other in (takers[n] for n in (k - 1, k + 1) if 0 <= n < len(takers)):
        for what in ("armature", "damping"):
            change = of_joint(partial(replace, **{what: getattr(other, what)}))
            yield from ways.by(f"the {what} of {joint.name} is that of {other.name}", what, change, joint.name)
