"""Orders of coordinates, motions and inertial parameters in Pinocchio. :mod:`implementations.engines.pinocchio.adapter` has the
table of coordinates.

==================== ========================================== ======================================================
parameters           Pinocchio                                  conversion
==================== ========================================== ======================================================
order                m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz       permuted
axes                 those of the joint, rotated for some       rotated
                     joints
bodies               in the order of its joints                 permuted
==================== ========================================== ======================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from implementations.protocol import Array
from mechanisms import Mechanism
from mechanisms.quantities import MOMENTUM, MOTION, PARAMETERS, Axis


class PinocchioCoordinates:
    """Our q, v, a and τ in Pinocchio's coordinates, for joints in this ``order``.

    See :class:`implementations.state_by_state.Coordinates`. ``turned`` (bodies, 3, 3) rotates from our bodies' axes to
    those of the joints in Pinocchio.

    ``sizes`` are the numbers of q of Pinocchio's joints: its reader of URDF gives a continuous joint the cosine and the sine.
    By default they are those of the models that the adapter builds.
    """

    def __init__(self, mechanism: Mechanism, order: list[int], turned: Array, sizes: Sequence[int] | None = None) -> None:
        self._order, self._turned = order, turned
        self._q: list[int] = []
        self._angles: list[int] = []
        v: list[NDArray[np.int_]] = []
        for k, i in enumerate(order):
            if mechanism.bodies[i].joint.mimic:
                continue
            joint, q_i, v_i = mechanism.bodies[i].joint, mechanism.q_slices[i], mechanism.v_slices[i]
            self._q += range(q_i.start, q_i.stop)
            pose = joint.velocity_is_body_twist
            angle = sizes[k] == joint.nq + 1 if sizes else pose and joint.slots[-1].form == "angle"
            if angle:
                # Pinocchio has its cosine and sine.
                self._angles.append(len(self._q) - 1)
                self._q.append(q_i.stop - 1)
            v.append(np.roll(np.arange(v_i.start, v_i.stop), joint.description.distances if pose else 0))
        self._v = np.concatenate(v)
        self._back = np.argsort(self._v)

    def position(self, q: Array) -> Array:
        """q (batch, nq) in Pinocchio's coordinates (batch, Pinocchio's nq)."""
        pinocchio_q = np.ascontiguousarray(q[:, self._q])
        for k in self._angles:
            pinocchio_q[:, k], pinocchio_q[:, k + 1] = np.cos(pinocchio_q[:, k]), np.sin(pinocchio_q[:, k])
        return pinocchio_q

    def position_to_ours(self, pinocchio_q: Array) -> Array:
        """Pinocchio's position (batch, Pinocchio's nq) as our q (batch, nq); angles are between −π and π."""
        given = pinocchio_q.copy()
        for k in self._angles:
            given[:, k] = np.arctan2(given[:, k + 1], given[:, k])
        q = np.empty((len(given), max(self._q) + 1))
        kept = [k for k in range(len(self._q)) if k - 1 not in self._angles]
        q[:, [self._q[k] for k in kept]] = given[:, kept]
        return q

    def rates(self, x: Array) -> Array:
        return np.ascontiguousarray(x[:, self._v])

    def to_ours(self, x: Array, axis: int, entries: Axis) -> Array:
        if entries == "parameters":
            return x @ self.parameters
        if entries == "nq":
            return self.position_to_ours(x)
        return self._taken(x, axis, entries, self._back)

    def to_pinocchio(self, x: Array, axis: int, entries: Axis) -> Array:
        """The inverse of :meth:`to_ours`, positions apart."""
        if entries == "parameters":
            return x @ np.linalg.inv(self.parameters)
        return self._taken(x, axis, entries, self._v)

    @staticmethod
    def _taken(x: Array, axis: int, entries: Axis, places: NDArray[np.int_]) -> Array:
        if entries == "state":
            places = np.concatenate((places, len(places) + places))
        elif entries in (MOTION, MOMENTUM):
            # Pinocchio's motions, forces and momenta are linear first.
            places = np.roll(np.arange(6), 3)
        return np.take(x, places, axis) if entries in ("nv", "state", MOTION, MOMENTUM) else x

    @cached_property
    def parameters(self) -> Array:
        """P (10 · bodies, 10 · bodies): P π are Pinocchio's parameters."""
        n = len(PARAMETERS)
        P = np.zeros((n * len(self._order), n * len(self._order)))
        for joint, i in enumerate(self._order):
            P[n * joint : n * (joint + 1), n * i : n * (i + 1)] = _of_one_body(self._turned[i])
        return P


def _of_one_body(R: Array) -> Array:
    """The block (10, 10) of one body whose axes are rotated by R."""
    columns = []
    for π in np.eye(len(PARAMETERS)):
        xx, yy, zz, xy, xz, yz = π[4:]
        mc, I = R @ π[1:4], R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        columns.append([π[0], *mc, I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])
    return np.array(columns).T
