"""A mechanism as RBDL can hold it: a tree of segments, each with one of RBDL's joints about and along its own x, y and z.

RBDL emulates joints of several degrees of freedom by chains of bodies without mass, and so is done here, angle by angle
and distance by distance, for the joints that a binding has no name for.
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
    """A body, or one without mass on the way to a body; ``parent`` is the index of a segment, −1 for the root."""

    parent: int
    motion: Kind | Screw
    """A joint that RBDL has, or the motion of one coordinate, whose axis is x, y or z of the segment's frame."""
    placement: Placement
    """Of the segment's frame in its parent's, where the position is zero."""
    inertia: Inertia


def segments(mechanism: Mechanism, whole: Collection[Kind]) -> tuple[Segment, ...]:
    """The segments of ``mechanism``, with joints of the kinds ``whole`` in one piece.

    Frames are turned, exactly, until the axes are theirs. The coordinates of all segments, in turn, are those of all bodies,
    save that distances come before angles where the velocity is the body's own.
    """
    made: list[Segment] = []
    ends = {-1: (-1, Placement())}
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        end, turn = ends[parent]
        placement = turn.inverse() @ body.joint.placement
        for motion, turn in _motions(body.joint, whole):
            made.append(Segment(end, motion, placement @ turn, Inertia.massless()))
            end, placement = len(made) - 1, turn.inverse()
        made[-1] = replace(made[-1], inertia=body.inertia.placed(turn.inverse()))
        ends[i] = end, turn
    return tuple(made)


def ends(mechanism: Mechanism, whole: Collection[Kind]) -> Iterator[tuple[int, Placement]]:
    """For every body the index of its segment, and the turn that takes the body's axes to the segment's."""
    count = 0
    for body in mechanism.bodies:
        *_, (_, turn) = motions = list(_motions(body.joint, whole))
        count += len(motions)
        yield count - 1, turn


def _motions(joint: Joint, whole: Collection[Kind]) -> Iterator[tuple[Kind | Screw, Placement]]:
    """What the joint does, one after the other, each with the turn of the frame in which its axis is x, y or z."""
    if joint.kind in whole:
        yield joint.kind, turn_to(joint.axis)
        return
    turn = Placement()
    for screw in sorted(joint.screws, key=lambda screw: screw.turns) if joint.velocity_is_body_twist else joint.screws:
        turns = (turn, turn_to(joint.axis), turn_to(screw.axis))
        turn = next(turn for turn in turns if turn.inverse().rotation(screw.axis) in basis())
        yield screw._replace(axis=turn.inverse().rotation(screw.axis)), turn
