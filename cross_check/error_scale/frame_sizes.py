"""The sizes of placements and motions of frames that are fixed to bodies or to the root.

docs/notes/error-scale.md derives the equations. A frame is one body more, at the distance r from the body that carries it, with one
rotation more on its path and no motion of its own:

    D + 1,    R + r,    W,    V + W r,    A,    a + (A + W²) r                        eq. 44

D, R, W, V, A and a are those of the body, and zero for the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cross_check.error_scale.kinematic_sizes import Pair
from cross_check.error_scale.motion_magnitudes import ROTATIONS, Array, MotionMagnitudes, norm


class FixedFrame(NamedTuple):
    """A frame: its body (-1 for the root), r, and D and G, which are those of a body there."""

    body: int
    r: float
    D: Array
    G: Array


def frame_placements(bounds: MotionMagnitudes, q: Array) -> Array:
    size = np.empty((len(q), len(bounds.mechanism.frames), 3, 4))
    for k, (frame, R) in enumerate(zip(_frames(bounds), _distances(bounds, q), strict=True)):
        size[:, k, :, :3] = (frame.D + 0 * R)[:, None, None]
        size[:, k, :, 3] = (frame.G * R)[:, None]
    return size


def frame_jacobians(bounds: MotionMagnitudes, q: Array) -> Array:
    of_bodies = bounds.distances(q)
    size = np.zeros((len(q), len(bounds.mechanism.frames), 6, bounds.mechanism.nv))
    for row, (frame, R) in enumerate(zip(_frames(bounds), _distances(bounds, q), strict=True)):
        for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
            for k, (turns, advance) in enumerate(screws if frame.body in subtree else (), bounds.mechanism.v_slices[j].start):
                size[:, row, :3, k] = (turns * frame.D + 0 * R)[:, None]
                size[:, row, 3:, k] = (frame.G * (turns * (R + of_bodies[j]) + advance))[:, None]
    return size


def frame_velocities(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    W, V = bounds.velocities(q, v)
    return _motions(bounds, q, lambda b, r, R: (W[b], V[b] + W[b] * r + W[b] * R))


def frame_accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    (W, V), (A, linear) = bounds.velocities(q, v), bounds.accelerations(q, v, a, 0)

    def of_frame(b: int, r: float, R: Array) -> Pair:
        angular = A[b] + W[b] ** 2
        return angular, linear[b] + angular * r + W[b] * (V[b] + W[b] * r) + angular * R

    return _motions(bounds, q, of_frame)


def frame_classical_accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return frame_accelerations(bounds, q, v, a)


def _frames(bounds: MotionMagnitudes) -> list[FixedFrame]:
    frames = []
    for frame in bounds.mechanism.frames:
        D = np.ones(1) + (bounds.rotations[frame.body] if frame.body >= 0 else 0)
        frames.append(FixedFrame(frame.body, norm(frame.placement.translation), D, np.maximum(1.0, D / ROTATIONS)))
    return frames


def _distances(bounds: MotionMagnitudes, q: Array) -> list[Array]:
    """R + r."""
    of_bodies = bounds.distances(q)
    return [(of_bodies[frame.body] if frame.body >= 0 else np.zeros(len(q))) + frame.r for frame in _frames(bounds)]


def _motions(bounds: MotionMagnitudes, q: Array, of_frame: Callable[[int, float, Array], Pair]) -> Array:
    """``of_frame``, called with the body, r and the frame's distance, for the six components: (batch, frames, 6)."""
    size = np.zeros((len(q), len(bounds.mechanism.frames), 6))
    for k, (frame, R) in enumerate(zip(_frames(bounds), _distances(bounds, q), strict=True)):
        if frame.body >= 0:
            angular, linear = of_frame(frame.body, frame.r, R)
            size[:, k, :3], size[:, k, 3:] = (frame.G * angular)[:, None], (frame.G * linear)[:, None]
    return size
