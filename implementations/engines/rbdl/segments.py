"""Converts a mechanism to a tree of segments, each with one of RBDL's joints about or along its own x, y and z.

RBDL emulates joints with several degrees of freedom by chains of bodies without mass. This module does the same, one segment per
angle or distance, for joints that a binding has no name for and does not compose itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from implementations.engines.turned import turn_to
from implementations.protocol import Array
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis
from mechanisms.joint import Kind, Screw
from mechanisms.numbers import Scalar


@dataclass(frozen=True)
class Segment:
    """A body, or a massless body on the path to it. ``parent`` is the index of a segment, −1 for the root."""

    parent: int
    motion: Kind | tuple[Screw, ...]
    """A joint that RBDL has a name for, or the motions of its coordinates. If it is one motion of several, its axis is x, y or z
    of the segment's frame."""
    placement: Placement
    """The segment's frame in its parent's, at position zero."""
    inertia: Inertia
    damping: Scalar


def segments(mechanism: Mechanism, native: Collection[Kind], composes: bool) -> tuple[Segment, ...]:
    """The segments of ``mechanism``. A joint of a kind in ``native`` becomes one segment, with ``composes`` every joint does.

    Without it, frames are rotated, exactly, until x, y or z is the joint's axis. The coordinates of all segments, in order, are
    those of all bodies, except that distances come before angles if the joint's velocity is the body's own twist.
    """
    tree: list[Segment] = []
    ends = {-1: (-1, Placement())}
    for i, (body, parent) in enumerate(zip(mechanism.bodies, mechanism.parents, strict=True)):
        end, turn = ends[parent]
        placement = turn.inverse() @ body.joint.placement
        for motion, turn in _motions(body.joint, native, composes):
            # Only joints of one coordinate have damping.
            tree.append(Segment(end, motion, placement @ turn, Inertia.massless(), body.joint.damping))
            end, placement = len(tree) - 1, turn.inverse()
        tree[-1] = replace(tree[-1], inertia=body.inertia.placed(turn.inverse()))
        ends[i] = end, turn
    return tuple(tree)


def ends(mechanism: Mechanism, native: Collection[Kind], composes: bool) -> Iterator[tuple[int, Placement]]:
    """For every body the index of its segment, and the rotation from the body's axes to the segment's."""
    count = 0
    for body in mechanism.bodies:
        *_, (_, turn) = motions = list(_motions(body.joint, native, composes))
        count += len(motions)
        yield count - 1, turn


def floats(inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass (3,) and inertia about it (3, 3)."""
    return float(inertia.mass), np.array(inertia.com, dtype=float), np.array(inertia.matrix, dtype=float)


def _motions(joint: Joint, native: Collection[Kind], composes: bool) -> Iterator[tuple[Kind | tuple[Screw, ...], Placement]]:
    """The motions of the joint in order, each with the rotation of the segment's frame."""
    if joint.kind in native:
        yield joint.kind, turn_to(joint.axis)
        return
    screws = sorted(joint.screws, key=lambda screw: screw.turns) if joint.velocity_is_body_twist else joint.screws
    turn = Placement()
    if composes:
        yield tuple(screws), turn
        return
    for screw in screws:
        turns = (turn, turn_to(joint.axis), turn_to(screw.axis))
        turn = next(turn for turn in turns if turn.inverse().rotation(screw.axis) in basis())
        yield (screw._replace(axis=turn.inverse().rotation(screw.axis)),), turn
