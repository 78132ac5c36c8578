"""Mechanisms as trees of segments, for engines that have no joint of several coordinates, or not all of ours.

Engines emulate joints with several degrees of freedom by chains of bodies without mass: one segment for every motion. For engines
whose joints have the axes x, y and z only, a segment's frame is rotated together with its joint's frame. Then q, v, a, τ and M do
not change, since the joint's axes stay where they are in the body. A velocity in the body's own frame is given along the joint's
triad (:mod:`mechanisms.joint`). It does not change either if the triad becomes x, y, z.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from implementations.protocol import Array, Unsupported
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import smallest_turn
from mechanisms.joint import Screw
from mechanisms.numbers.exact import Vector

Motion = TypeVar("Motion")

HINGES_AND_SLIDES = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Segment(Generic[Motion]):
    """A body, or a massless body on the path to it. ``parent`` is the index of a segment, −1 for the root."""

    parent: int
    motion: Motion
    placement: Placement
    """The segment's frame in its parent's, at position zero."""
    inertia: Inertia
    joint: Joint
    """The joint of the mechanism of which this is a motion."""
    name: str
    """The number of the body, and the number of this motion on the path to it: "2.0"."""


class End(NamedTuple):
    """The segment of a body, and the rotation from the body's axes to the segment's."""

    segment: int
    turn: Placement


def segments(
    mechanism: Mechanism, motions_of: Callable[[Joint], Iterable[tuple[Motion, Placement]]]
) -> tuple[list[Segment[Motion]], list[End]]:
    """The segments of ``mechanism``, and for every body its own one.

    ``motions_of`` gives the motions of a joint in order, each with the rotation of the segment's frame. Rotations are exact.
    """
    tree: list[Segment[Motion]] = []
    ends: list[End] = []
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        before, turn = ends[parent] if parent >= 0 else End(-1, Placement())
        placement = turn.inverse() @ body.joint.placement
        for k, (motion, turn) in enumerate(motions_of(body.joint)):
            tree.append(Segment(before, motion, placement @ turn, Inertia.massless(), body.joint, f"{i}.{k}"))
            before, placement = len(tree) - 1, turn.inverse()
        tree[-1] = replace(tree[-1], inertia=body.inertia.placed(turn.inverse()))
        ends.append(End(before, turn))
    return tree, ends


def floats(numbers: Any) -> Array:
    """The nearest float64 numbers."""
    return np.array(numbers, dtype=float)


def pose_of(placement: Placement) -> Array:
    """The placement as a matrix (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = placement.rotation.matrix, placement.translation
    return pose


def quaternion_of(placement: Placement) -> Array:
    """w x y z of any length, the largest number ±1."""
    quaternion = placement.rotation.quaternion
    largest = max(map(abs, quaternion))
    return np.array([x / largest for x in quaternion], dtype=float)


def not_there(engine: str, kind: str, joint: str) -> Unsupported:
    """What says that an engine does not have the kind of a joint."""
    return Unsupported(f"{engine} has no {kind} joint, which joint {joint!r} is")


def require_hinges_and_slides(engine: str, mechanism: Mechanism) -> list[str]:
    """The names of all joints but that of a free base; raises :class:`Unsupported` for one that is no hinge and no slide."""
    joints = [body.joint for body in mechanism.bodies[mechanism.has_free_base :]]
    for joint in joints:
        if joint.kind not in HINGES_AND_SLIDES:
            raise not_there(engine, joint.kind, joint.name)
    return [joint.name for joint in joints]


def motions(joint: Joint, without_helix: str = "") -> list[Screw | None]:
    """The motions of a joint in the order of its position; None for a ball.

    Raises :class:`Unsupported` for a helix, where ``without_helix`` names an engine that has none.
    """
    screws = [None if slot.form == "quaternion" else joint.screws[slot.v.start] for slot in joint.slots]
    if without_helix and any(screw and screw.turns and screw.advance for screw in screws):
        raise not_there(without_helix, joint.kind, joint.name)
    return screws


def turn_to(axis: Vector) -> Placement:
    """The rotation that takes x, y, z to e₁, e₂, e₃ of a joint with this ``axis``."""
    return Placement(smallest_turn(axis))
