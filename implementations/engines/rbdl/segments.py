"""Converts a mechanism to a tree of segments, each with one of RBDL's joints about or along its own x, y and z.

RBDL emulates joints with several degrees of freedom by chains of bodies without mass. This module does the same, one segment per
angle or distance, for joints that a binding has no name for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from implementations.engines.turned import turn_to
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis
from mechanisms.joint import Kind, Screw


@dataclass(frozen=True)
class Segment:
    """A body, or a massless body on the path to it. ``parent`` is the index of a segment, −1 for the root."""

    parent: int
    motion: Kind | Screw
    """A joint that RBDL has, or the motion of one coordinate. Its axis is x, y or z of the segment's frame."""
    placement: Placement
    """The segment's frame in its parent's, at position zero."""
    inertia: Inertia


def segments(mechanism: Mechanism, native: Collection[Kind]) -> tuple[Segment, ...]:
    """The segments of ``mechanism``. A joint of a kind in ``native`` becomes one segment.

    Frames are rotated, exactly, until x, y or z is the joint's axis. The coordinates of all segments, in order, are those of all
    bodies, except that distances come before angles if the joint's velocity is the body's own twist.
    """
    tree: list[Segment] = []
    ends = {-1: (-1, Placement())}
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        end, turn = ends[parent]
        placement = turn.inverse() @ body.joint.placement
        for motion, turn in _motions(body.joint, native):
            tree.append(Segment(end, motion, placement @ turn, Inertia.massless()))
            end, placement = len(tree) - 1, turn.inverse()
        tree[-1] = replace(tree[-1], inertia=body.inertia.placed(turn.inverse()))
        ends[i] = end, turn
    return tuple(tree)


def ends(mechanism: Mechanism, native: Collection[Kind]) -> Iterator[tuple[int, Placement]]:
    """For every body the index of its segment, and the rotation from the body's axes to the segment's."""
    count = 0
    for body in mechanism.bodies:
        *_, (_, turn) = motions = list(_motions(body.joint, native))
        count += len(motions)
        yield count - 1, turn


def _motions(joint: Joint, native: Collection[Kind]) -> Iterator[tuple[Kind | Screw, Placement]]:
    """The motions of the joint in order, each with the rotation of the frame in which its axis is x, y or z."""
    if joint.kind in native:
        yield joint.kind, turn_to(joint.axis)
        return
    turn = Placement()
    for screw in sorted(joint.screws, key=lambda screw: screw.turns) if joint.velocity_is_body_twist else joint.screws:
        turns = (turn, turn_to(joint.axis), turn_to(screw.axis))
        turn = next(turn for turn in turns if turn.inverse().rotation(screw.axis) in basis())
        yield screw._replace(axis=turn.inverse().rotation(screw.axis)), turn
