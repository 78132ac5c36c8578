"""Frames that MuJoCo takes for their bodies' own, because they differ by less than 10⁻⁶.

docs/findings/mujoco-nearly-the-same-frame.md has the proof. A site whose quaternion differs from 1 by less in every number gets
the body's axes; if its position does, too, it gets its origin. With the place [R_F r] of the frame in the body, and R, ω, ω̇
of the body along the root's axes, what is lacking is

    R → R R_F,        local motions m → R_Fᵀ m;        p + R r,    v + ω × R r,    p̈ + ω̇ × R r + ω × (ω × R r)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cross_check.explain.findings.finding import Functions
from implementations.protocol import Array, Dynamics
from mechanisms import Mechanism

SAME = 1e-6
"""The largest difference at which MuJoCo takes two frames for one."""


class Dropped(NamedTuple):
    """A frame whose rotation R_F (3, 3) in its ``body`` is lost, and its position r (3,), which is zero where it is not."""

    row: int
    body: int
    R: Array
    r: Array


def without_own_places(mechanism: Mechanism, right: Dynamics) -> Functions:
    """Frames that are nearly those of their bodies, as those of their bodies."""
    dropped = _dropped(mechanism)
    if not dropped:
        return {}

    def levers(q: Array) -> dict[int, Array]:
        """R r of every such frame (batch, 3), by row."""
        axes = right.placements(q)[..., :3]
        return {frame.row: (axes[:, frame.body] if frame.body >= 0 else np.eye(3)) @ frame.r + 0 * q[:, :1] for frame in dropped}

    def placements(q: Array) -> Array:
        T, moved = right.frame_placements(q), levers(q)
        for frame in dropped:
            T[:, frame.row, :, :3] = T[:, frame.row, :, :3] @ frame.R.T
            T[:, frame.row, :, 3] -= moved[frame.row]
        return T

    def velocities_local(q: Array, v: Array) -> Array:
        V = right.frame_velocities_local(q, v)
        for frame in dropped:
            own = V[:, frame.row]
            own = np.concatenate([own[:, :3] @ frame.R.T, own[:, 3:] @ frame.R.T], axis=1)
            own[:, 3:] -= np.cross(own[:, :3], frame.r)
            V[:, frame.row] = own
        return V

    def velocities_aligned(q: Array, v: Array) -> Array:
        V, moved = right.frame_velocities_aligned(q, v), levers(q)
        for frame in dropped:
            V[:, frame.row, 3:] -= np.cross(V[:, frame.row, :3], moved[frame.row])
        return V

    def jacobians_aligned(q: Array) -> Array:
        J, moved = right.frame_jacobians_aligned(q), levers(q)
        for frame in dropped:
            J[:, frame.row, 3:] -= np.cross(J[:, frame.row, :3], moved[frame.row][..., None], axis=1)
        return J

    def classical_accelerations(q: Array, v: Array, a: Array) -> Array:
        A, V, moved = right.frame_classical_accelerations(q, v, a), right.frame_velocities_aligned(q, v), levers(q)
        for frame in dropped:
            ω, lever = V[:, frame.row, :3], moved[frame.row]
            A[:, frame.row, 3:] -= np.cross(A[:, frame.row, :3], lever) + np.cross(ω, np.cross(ω, lever))
        return A

    return {
        "frame_placements": placements,
        "frame_velocities_local": velocities_local,
        "frame_velocities_aligned": velocities_aligned,
        "frame_jacobians_aligned": jacobians_aligned,
        "frame_classical_accelerations": classical_accelerations,
    }


def _dropped(mechanism: Mechanism) -> list[Dropped]:
    found = []
    for row, frame in enumerate(mechanism.frames):
        quaternion = np.array(frame.placement.rotation.quaternion, dtype=float)
        quaternion *= np.sign(quaternion[0] or 1) / np.linalg.norm(quaternion)
        r = np.array(frame.placement.translation, dtype=float)
        if abs(quaternion - [1, 0, 0, 0]).max() < SAME:
            R = np.array(frame.placement.rotation.matrix, dtype=float)
            found.append(Dropped(row, frame.body, R, r if abs(r).max() < SAME else 0 * r))
    return found
