"""Joints that are read wrongly: the axis, the placement, armature or damping, the kind, or the parent of one joint.

Also conventions of single joints, numbers that code takes for zero, and bodies that are taken for each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import (
    INERTIA,
    JOINT,
    MASS,
    OF_JOINT,
    ORIGIN,
    PITCH,
    PLACEMENT,
    Change,
    Numbers,
    changed,
    taken,
    times,
)
from cross_check.explain.faults.coordinates.conventions import identity, linear
from cross_check.explain.faults.coordinates.special_states import at_joint
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.readings.bodies import Misreading
from cross_check.explain.formulations.bodies import angles_of
from mechanisms import Body, Joint, Mechanism, Placement, Rotation
from mechanisms.geometry import basis
from mechanisms.joint_kinds import JOINT_KINDS, Form, Kind

KINDS: tuple[tuple[Kind, ...], ...] = (
    ("revolute", "prismatic"),
    ("cylindrical", "universal"),
    ("euler-xyz", "euler-yxz", "euler-zxy", "euler-zyx", "translation"),
)
"""Kinds with positions and velocities of equal length, which may be mistaken for each other."""


def rpy_of(rotation: Rotation) -> tuple[float, float, float]:
    """URDF's fixed-axis angles (rad): those that it was made from, else computed."""
    return rotation.rpy or angles_of(np.array(rotation.matrix, dtype=float))


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


JOINTS: tuple[Misreading, ...] = (
    *(
        (words, "placements", changed(change, PLACEMENT))
        for words, change in (
            ("the placement of {} is ignored", wm.none),
            ("the rotation of {}'s placement is ignored", wm.unrotated),
            ("the rotation of {}'s placement is transposed", wm.transposed),
            ("roll, pitch and yaw of {} are made in the opposite order", rpy_order),
            ("roll, pitch and yaw of {} are read as yaw, pitch and roll", yaw_first),
            ("roll, pitch and yaw of {} are read as degrees", in_degrees),
            ("the origin of {} is ignored", wm.untranslated),
        )
    ),
    ("the origin of {} has the opposite sign", "placements", times(ORIGIN, -1)),
    ("the origin of {} is read along its own axes", "placements", changed(wm.translated_along_child, PLACEMENT)),
    ("the origin of {} is a thousand times too far", "placements", times(ORIGIN, 1000)),
    ("the origin of {} is a thousand times too near", "placements", times(ORIGIN, Fraction(1, 1000))),
    ("the axis of {} is read in the parent's frame", "axes", changed(wm.axis_in_parent_frame, JOINT)),
    ("the axis of {} is snapped to x, y or z", "axes", changed(wm.snapped_axis, JOINT)),
    *(
        (f"the axis of {{}} is {letter}, whatever the mechanism says", "axes", changed(partial(wm.with_axis, axis), JOINT))
        for letter, axis in zip("xyz", basis(), strict=True)
    ),
    ("the second axis of {} is ignored", "axes", changed(wm.default_second_axis, JOINT)),
    *(
        (f"{numbers.name} of {{}} {words}", numbers.group, times(numbers, factor))
        for numbers in OF_JOINT
        for words, factor in (("is ignored", 0), ("counts twice", 2))
    ),
    ("the pitch of {} has the opposite sign", PITCH.group, times(PITCH, -1)),
)
"""Ways to misread a joint."""


def of_neighbours(mechanism: Mechanism, body: Body) -> Iterator[tuple[str, str, str, Change]]:
    """Armature or damping of the joint before or after, another kind of joint, and another parent: place, sentence, group and
    change."""
    joint = body.joint
    takers = [other for other in mechanism.bodies if other.joint.description.takes_armature_and_damping]
    if body in takers:
        k = takers.index(body)
        for other in (takers[n] for n in (k - 1, k + 1) if 0 <= n < len(takers)):
            for numbers in OF_JOINT[:2]:
                said = f"{numbers.name} of {joint.name} is that of {other.joint.name}"
                yield joint.name, said, numbers.group, partial(taken, numbers, other=other)
    for kind in {kind: None for kinds in KINDS if joint.kind in kinds for kind in kinds}:
        yield joint.name, f"{joint.name} is taken for {kind}", "kinds of joints", changed(partial(as_kind, kind), JOINT)
    for parent in mechanism.bodies:
        if parent.name == body.parent:
            said = f"{body.name} hangs on {parent.parent} instead of {parent.name}"
            yield body.name, said, "branching", partial(replace, parent=parent.parent)


def as_kind(kind: Kind, joint: Joint) -> Joint:
    """The joint as one of another kind; what that kind does not have is lost."""
    if kind == joint.kind:
        return joint
    keeps: Any = joint.dynamics if JOINT_KINDS[kind].takes_armature_and_damping else {}
    return Joint(joint.name, kind, joint.axis, joint.placement, **keeps)


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


MOST_PAIRS = 100
"""If there are more pairs of bodies, pairs are not tried."""

UNITS: dict[Form, tuple[tuple[str, float], ...]] = {
    "angle": (("degrees", np.pi / 180), ("degrees where radians are meant", 180 / np.pi)),
    "distance": (("millimetres", 1e-3), ("metres where millimetres are meant", 1e3)),
}


def of_single_joints(mechanism: Mechanism) -> Iterator[Fault]:
    """What one joint does is ignored; its position is in another unit; inertias of two bodies are exchanged."""
    for body in mechanism.bodies:
        joint, name = body.joint, body.joint.name
        for columns, what in (("q", "position"), ("v", "velocity"), ("a", "acceleration")):
            if columns != "q" or joint.nq == 1:
                yield at_joint(f"the {what} of {name} is ignored", "ignored joints", name, columns, np.zeros_like)
        if joint.nv == 1 and joint.nq == 1:
            for unit, factor in UNITS[joint.slots[0].form]:
                change = partial(np.multiply, factor)
                yield at_joint(f"the position of {name} is in {unit}", "units", name, "q", change)
                said = f"position, velocity and acceleration of {name} are in {unit}"
                yield at_joint(said, "units", name, "qva", change)
    pairs = list(combinations(mechanism.bodies, 2))
    for first, second in pairs if len(pairs) <= MOST_PAIRS else ():
        if first.inertia != second.inertia:
            yield _exchanged(INERTIA, "the inertias", first, second)
            if first.inertia.mass != second.inertia.mass:
                yield _exchanged(MASS, "the masses", first, second)


def _exchanged(numbers: Numbers, what: str, first: Body, second: Body) -> Fault:
    """Two bodies have these numbers of each other."""
    others = {first.name: second, second.name: first}

    def both_there(m: Mechanism) -> bool:
        return others.keys() <= {body.name for body in m.bodies}

    clause = f"{what} of {first.name} and {second.name} are exchanged"
    change = wm.every(lambda body: taken(numbers, body, others[body.name]), lambda body: body.name in others)
    return Fault(clause, "inertia", mechanism=change, needs=both_there, where=tuple(others))
