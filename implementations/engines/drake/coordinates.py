"""Orders of coordinates in Drake, and the angles of ball joints. :mod:`implementations.engines.drake.adapter` has the table."""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.engines.drake.plant import Built
from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import Axis


class DrakeCoordinates:
    """Our q, v, a and τ, after the conversions of :mod:`implementations.conventions`, in the order of Drake's joints.

    See :class:`implementations.engines.state_by_state.Coordinates`.
    """

    def __init__(self, drake: Any, mechanism: Mechanism, built: Built) -> None:
        self._drake = drake
        self._nq = built.plant.num_positions()
        self._from: list[int] = []
        self._to: list[int] = []
        self._balls: list[tuple[int, int]] = []
        self._v: list[int] = []
        ours = 0
        for body, joints in zip(mechanism.bodies, built.joints, strict=True):
            for joint in joints:
                q, v = joint.position_start(), joint.velocity_start()
                if joint.type_name() == "ball_rpy":
                    self._balls.append((ours, q))
                    ours += 4
                else:
                    self._from += range(ours, ours + joint.num_positions())
                    self._to += range(q, q + joint.num_positions())
                    ours += joint.num_positions()
                own = np.arange(v, v + joint.num_velocities())
                # Drake's planar velocity has its angle at the end.
                self._v += list(np.roll(own, 1) if body.joint.kind == "planar" else own)
        self._back = np.argsort(self._v)

    def position(self, q: Array) -> Array:
        """q (batch, n), with quaternions w x y z for ball joints, as Drake's q (batch, Drake's nq)."""
        there = np.empty((len(q), self._nq))
        there[:, self._to] = q[:, self._from]
        for ours, theirs in self._balls:
            for state, own in zip(there, q[:, ours : ours + 4], strict=True):
                quaternion = self._drake.Quaternion(own / np.linalg.norm(own))
                state[theirs : theirs + 3] = self._drake.RollPitchYaw(quaternion).vector()
        return there

    def rates(self, x: Array) -> Array:
        return x[:, self._back]

    def to_ours(self, x: Array, axis: int, entries: Axis) -> Array:
        return np.take(x, self._v, axis) if entries == "nv" else x
