"""A mechanism as RBDL gets it: segments, and RBDL's coordinates.

RBDL emulates joints with several degrees of freedom by chains of bodies without mass. The adapter does the same, one segment per
angle or distance, for joints that a binding has no name for and does not compose itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from implementations.engines.segments import End, Segment, motions, segments, turn_to
from implementations.protocol import Array
from mechanisms import Inertia, Joint, Mechanism, Placement
from mechanisms.geometry import basis
from mechanisms.joint import Kind, Screw
from mechanisms.quantities import Axis

Motion = Kind | tuple[Screw, ...]
"""A joint that RBDL has a name for, or the motions of its coordinates. If it is one motion of several, its axis is x, y or z of
the segment's frame."""


def tree_of(mechanism: Mechanism, binding: Any) -> tuple[list[Segment[Motion]], list[End]]:
    """The segments of ``mechanism``, each with one of RBDL's joints, and for every body its own one.

    A joint of a kind that is ``native`` in the ``binding`` becomes one segment; if the binding ``composes``, every joint does.
    Else frames are rotated until x, y or z is the joint's axis. The coordinates of all segments, in order, are those of all
    bodies, except that distances come before angles if the joint's velocity is the body's own twist.
    """

    def motions_of(joint: Joint) -> Iterator[tuple[Motion, Placement]]:
        if joint.kind in binding.native:
            yield joint.kind, turn_to(joint.axis)
            return
        screws = tuple(screw for screw in motions(joint) if screw)
        turn = Placement()
        if binding.composes:
            yield screws, turn
            return
        for screw in screws:
            turns = (turn, turn_to(joint.axis), turn_to(screw.axis))
            turn = next(turn for turn in turns if turn.inverse().rotation(screw.axis) in basis())
            yield (screw._replace(axis=turn.inverse().rotation(screw.axis)),), turn

    return segments(mechanism, motions_of)


def floats(inertia: Inertia) -> tuple[float, Array, Array]:
    """Mass, centre of mass (3,) and inertia about it (3, 3)."""
    return float(inertia.mass), np.array(inertia.com, dtype=float), np.array(inertia.matrix, dtype=float)


class RBDLCoordinates:
    """RBDL has the scalar parts of all quaternions at the end of q.

    See :class:`implementations.state_by_state.Coordinates`.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        in_order, at_the_end, start = list[int](), list[int](), 0
        for slot in (slot for body in mechanism.bodies for slot in body.joint.slots):
            n = slot.v.stop - slot.v.start
            in_order += range(start, start := start + n)
            if slot.form == "quaternion":
                at_the_end.append(start)
                start += 1
        self._q = np.array(in_order + at_the_end)

    def position(self, q: Array) -> Array:
        return q[:, self._q]

    def rates(self, x: Array) -> Array:
        return x

    def to_ours(self, x: Array, axis: int, entries: Axis) -> Array:
        return x
