"""Converts q, v, a and τ to Pinocchio's coordinates. :mod:`implementations.engines.pinocchio.adapter` has the table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from implementations.protocol import Array
from mechanisms import Mechanism


class Coordinates:
    """Our q, v, a and τ in Pinocchio's coordinates, for joints in this ``order``.

    ``sizes`` are the numbers of q of Pinocchio's joints: its reader of URDF gives a continuous joint the cosine and the sine.
    By default they are those of the models that the adapter builds.
    """

    def __init__(self, mechanism: Mechanism, order: list[int], sizes: Sequence[int] | None = None) -> None:
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
        pinocchio_q = q[:, self._q]
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

    def to_pinocchio(self, x: Array) -> Array:
        """v, a or τ (batch, nv), from our coordinates to Pinocchio's."""
        return x[:, self._v]

    def to_ours(self, x: Array) -> Array:
        """The last axis of x (batch, ..., nv), from Pinocchio's coordinates to ours."""
        return x[..., self._back]
