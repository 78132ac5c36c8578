"""RBDL's order of q. :mod:`implementations.conventions` converts all else; the adapter has the table of differences."""

from __future__ import annotations

import numpy as np

from implementations.conventions.declared import Conventions
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import Axis

CONVENTIONS = Conventions(
    free_velocity="angular body, linear mixed",
    free_velocity_order="linear first",
    planar_velocity="joint",
    planar_velocity_order="linear first",
    continuous="angle",
)


class RBDLCoordinates:
    """RBDL has the scalar parts of all quaternions at the end of q.

    See :class:`implementations.engines.state_by_state.Coordinates`.
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
