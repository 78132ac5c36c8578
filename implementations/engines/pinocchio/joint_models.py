"""Builds Pinocchio's model of a mechanism from Pinocchio's own joints.

=========== ===================================================================================================
ours        Pinocchio's ``JointModel…``; X, Y, Z where the axis is exactly x, y or z
=========== ===================================================================================================
revolute    RX …, else RevoluteUnaligned
continuous  RUBX …, else RevoluteUnboundedUnaligned
prismatic   PX …, else PrismaticUnaligned
helical     HX …, else HelicalUnaligned
universal   Universal if the axes are orthogonal, which it requires; else Composite
translation Translation
euler-zyx   SphericalZYX
spherical   Spherical
planar      Planar
free        FreeFlyer
others      Composite: one joint for every angle and distance
a mimic     Mimic of any of these
=========== ===================================================================================================

Pinocchio welds the bodies outboard of fixed joints itself, and turns their inertias. Of ours it gets the numbers that the
mechanism was given (:mod:`implementations.engines.pinocchio.places`), and not what :mod:`mechanisms` made of them.

Mimic joints are Pinocchio's own ``JointModelMimic``.

==================== ========================================== ======================================================
what                 Pinocchio                                  conversion
==================== ========================================== ======================================================
q, v                 a mimic joint has no part of its own       none
order of joints      a leader comes before its mimic joints     children are ordered so that it does; a leader behind its
                                                                mimic joint is refused
armature             one number for every component of v        k² times the mimic joint's is added to its leader's
algorithms           some refuse models with mimic joints       ``NOT_OFFERED`` of calls.py; others answer
``crba``             adds to what its last call left, behind a  every call gets new data
                     mimic joint
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from implementations.engines.pinocchio.places import HERE, Place, carried, floats, triad
from implementations.engines.segments import not_there
from implementations.protocol import Array, Unsupported
from mechanisms import Inertia, Joint, Mechanism
from mechanisms.joint_kinds import Coordinate, Slot

OWN = {"spherical": "Spherical", "free": "FreeFlyer"}
"""Our kinds that have no axis."""

OWN_ALONG_Z = {"translation": "Translation", "euler-zyx": "SphericalZYX", "planar": "Planar"}
"""Our kinds whose triad can only be x, y, z."""

ONE_AXIS = {"revolute": "Revolute", "continuous": "Unbounded", "prismatic": "Prismatic", "helical": "Helical"}
"""Our kinds of one motion along or about the axis."""

EULER = {"euler-xyz": (0, 1, 2), "euler-yxz": (1, 0, 2), "euler-zxy": (2, 0, 1)}
"""Our kinds that turn about the vectors of the triad, one after the other."""

ORTHOGONAL = 1e-15
"""The largest cosine between axes that count as orthogonal; they were rounded to float64."""


def model_of(pin: Any, mechanism: Mechanism, order: list[int]) -> Any:
    """The ``pinocchio.Model`` of ``mechanism``, with its joints added in this ``order``: see :func:`depth_first`."""
    model = pin.Model()
    model.name = mechanism.name
    model.gravity.linear = np.array(mechanism.gravity, dtype=float)
    data = mechanism.arrays
    by_coordinate = np.array([data.per_coordinate(data.armature), data.per_coordinate(data.damping)])
    on, joint_id, turn, columns = carried(mechanism), {mechanism.root: 0}, {mechanism.root: HERE}, list[int]()
    for i in order:
        body = mechanism.bodies[i]
        joint, (parent, place, bodies) = body.joint, on[body.name]
        turn[body.name] = Place(_turn(joint), np.zeros(3))
        back = Place(_turn(joint).T, np.zeros(3))
        place = Place(turn[parent].R.T, np.zeros(3)).of(place).of(turn[body.name])
        # The number keeps a joint called "universe" apart from Pinocchio's own.
        name = f"{i} {joint.name}"
        joint_id[body.name] = model.addJoint(joint_id[parent], _joint(pin, joint), _se3(pin, place), name)
        for inertia, there in bodies:
            model.appendBodyToJoint(joint_id[body.name], _inertia(pin, inertia), _se3(pin, back.of(there)))
        if joint.mimic is None:
            columns += range(mechanism.v_slices[i].start, mechanism.v_slices[i].stop)
    if mechanism.has_mimics:
        model = following(pin, model, mechanism, order)
    model.armature, damping = by_coordinate[:, columns]
    if damping.any():
        model.damping = damping
    return model


def _se3(pin: Any, place: Place) -> Any:
    return pin.SE3(floats(place.R), floats(place.p))


def turns(mechanism: Mechanism) -> Array:
    """(bodies, 3, 3): from every body's axes to those of its joint in Pinocchio."""
    return np.array([_turn(body.joint).T for body in mechanism.bodies])


def _turn(joint: Joint) -> Array:
    return triad(joint.axis) if joint.kind in OWN_ALONG_Z else np.eye(3)


def _joint(pin: Any, joint: Joint) -> Any:
    if own := (OWN | OWN_ALONG_Z).get(joint.kind):
        return getattr(pin, f"JointModel{own}")()
    motions = _motions(joint)
    if len(motions) == 1:
        return _single(pin, *motions[0])
    axes = [axis for _, axis, _ in motions]
    if joint.kind == "universal" and abs(float(np.dot(*axes))) < ORTHOGONAL:
        return pin.JointModelUniversal(*axes)
    first, *others = motions
    composite = pin.JointModelComposite(_single(pin, *first))
    for motion in others:
        composite.addJoint(_single(pin, *motion), pin.SE3.Identity())
    return composite


def _motions(joint: Joint) -> list[tuple[str, Array, float]]:
    """The family, the axis (3,) and the pitch of every joint of Pinocchio's that this joint is."""
    axis, pitch = floats(joint.axis), float(joint.pitch)
    if family := ONE_AXIS.get(joint.kind):
        # Pinocchio's helical joint of no pitch is a revolute joint with more operations.
        return [("Revolute" if family == "Helical" and pitch == 0 else family, axis, pitch)]
    if joint.kind == "cylindrical":
        return [("Revolute", axis, 0), ("Prismatic", axis, 0)]
    if joint.kind == "universal":
        return [("Revolute", axis, 0), ("Revolute", floats(joint.second_axis), 0)]
    if joint.kind in EULER:
        return [("Revolute", triad(joint.axis)[:, k], 0) for k in EULER[joint.kind]]
    if joint.velocity_is_body_twist:
        raise not_there("Pinocchio", joint.kind, joint.name)
    return [_declared(joint, *one) for one in zip(joint.slots, joint.description.coordinates, strict=True)]


def _declared(joint: Joint, slot: Slot, coordinate: Coordinate) -> tuple[str, Array, float]:
    """The motion of one coordinate of a kind that the adapter does not know by name."""
    if coordinate.direction in ("axis", "second axis"):
        axis = floats(joint.axis if coordinate.direction == "axis" else joint.second_axis)
    else:
        axis = triad(joint.axis)[:, "xyz".index(coordinate.direction)]
    if not coordinate.turns:
        return ("Prismatic", axis, 0)
    if slot.form == "circle":
        return ("Unbounded", axis, 0)
    advance = {"nothing": 0.0, "one": 1.0, "pitch": float(joint.pitch)}[coordinate.advance]
    return ("Helical", axis, advance) if advance else ("Revolute", axis, 0)


def _single(pin: Any, family: str, axis: Array, pitch: float) -> Any:
    if family == "Unbounded":
        return _unbounded(pin, axis)
    letter, pitches = _letter(axis), [pitch] if family == "Helical" else []
    if letter:
        return getattr(pin, f"JointModel{family[0]}{letter}")(*pitches)
    return getattr(pin, f"JointModel{family}Unaligned")(axis, *pitches)


def _unbounded(pin: Any, axis: Array) -> Any:
    if letter := _letter(axis):
        return getattr(pin, f"JointModelRUB{letter}")()
    # The Python class has no way to give the axis; URDF has.
    xyz = " ".join(map(repr, axis.tolist()))
    urdf = (
        '<robot name=""><link name="parent"/><link name="child"/><joint name="joint" type="continuous">'
        f'<parent link="parent"/><child link="child"/><axis xyz="{xyz}"/></joint></robot>'
    )
    return pin.buildModelFromXML(urdf).joints[1]


def _letter(axis: Array) -> str:
    """X, Y or Z, if the axis is exactly that one."""
    return next((letter for letter, unit in zip("XYZ", np.eye(3), strict=True) if np.array_equal(axis, unit)), "")


def _inertia(pin: Any, inertia: Inertia) -> Any:
    result = pin.Inertia.Zero()
    xx, yy, zz, xy, xz, yz = map(float, inertia.about_com)
    # Set part by part, for the constructor refuses what rounding makes of a point mass: moments of −1e-20.
    result.mass = float(inertia.mass)
    result.lever = floats(inertia.com)
    result.inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return result


def depth_first(mechanism: Mechanism) -> list[int]:
    """The bodies in depth-first order, every leader before the joints that follow it.

    Raises :class:`Unsupported` where there is no such order.
    """
    paths: list[tuple[int, ...]] = []
    for i, parent in enumerate(mechanism.parents):
        paths.append((*(paths[parent] if parent >= 0 else ()), i))
    children: dict[int, list[int]] = defaultdict(list)
    for i, parent in enumerate(mechanism.parents):
        children[parent].append(i)
    # Where the paths to a follower and to its leader part, the leader's branch comes first.
    earlier: dict[int, set[int]] = defaultdict(set)
    for follower, leader in enumerate(mechanism.leaders):
        parted = next(((a, b) for a, b in zip(paths[follower], paths[leader], strict=False) if a != b), None)
        if parted:
            earlier[parted[0]].add(parted[1])
        elif len(paths[follower]) < len(paths[leader]):
            raise _no_order(mechanism, follower)
    order: list[int] = []
    waiting = [-1]
    while waiting:
        i = waiting.pop()
        order += [i] if i >= 0 else []
        placed: list[int] = []
        while left := [child for child in children[i] if child not in placed]:
            ready = [child for child in left if earlier[child] <= set(placed)]
            if not ready:
                behind = (k for k, leader in enumerate(mechanism.leaders) if leader != k and left[0] in paths[k])
                raise _no_order(mechanism, next(behind))
            placed.append(ready[0])
        waiting += reversed(placed)
    return order


def following(pin: Any, model: Any, mechanism: Mechanism, order: list[int]) -> Any:
    """The model in which the joints that follow others are mimic joints; ``model`` has all joints, in this ``order``."""
    for i in order:
        if mimic := mechanism.bodies[i].joint.mimic:
            numbers = 1 + order.index(mechanism.leaders[i]), 1 + order.index(i)
            model = pin.transformJointIntoMimic(model, *numbers, float(mimic.multiplier), float(mimic.offset))
    return model


def _no_order(mechanism: Mechanism, follower: int) -> Unsupported:
    joint = mechanism.bodies[follower].joint
    leader = mechanism.bodies[mechanism.leaders[follower]].joint
    return Unsupported(f"Pinocchio needs a leader before its mimic joint, and {leader.name!r} cannot come before {joint.name!r}")
