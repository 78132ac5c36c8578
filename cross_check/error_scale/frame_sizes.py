"""The sizes of placements and motions of frames that are fixed to bodies or to the root.

They are those of bodies (docs/notes/error-scale.md, eqs. 17-20) with the bounds of
:func:`cross_check.error_scale.places.frames`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes
from cross_check.error_scale.places import Pair, Place, frames


def frame_placements(bounds: MotionMagnitudes, q: Array) -> Array:
    size = np.empty((len(q), len(bounds.mechanism.frames), 3, 4))
    for k, frame in enumerate(frames(bounds, q)):
        size[:, k, :, :3] = (frame.D + 0 * frame.R)[:, None, None]
        size[:, k, :, 3] = (frame.G * frame.R)[:, None]
    return size


def frame_jacobians(bounds: MotionMagnitudes, q: Array) -> Array:
    R = bounds.distances(q)
    size = np.zeros((len(q), len(bounds.mechanism.frames), 6, bounds.mechanism.nv))
    for row, frame in enumerate(frames(bounds, q)):
        for j, (screws, subtree) in enumerate(zip(bounds.screws, bounds.subtrees, strict=True)):
            for k, (turns, advance) in enumerate(screws if frame.body in subtree else (), bounds.mechanism.v_slices[j].start):
                size[:, row, :3, k] = (turns * frame.D + 0 * frame.R)[:, None]
                size[:, row, 3:, k] = (frame.G * (turns * (frame.R + R[j]) + advance))[:, None]
    return size


def frame_velocities(bounds: MotionMagnitudes, q: Array, v: Array) -> Array:
    moving = frames(bounds, q, v)
    return _motions(moving, (frame.velocity for frame in moving))


def frame_accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    moving = frames(bounds, q, v, a)
    return _motions(moving, (frame.acceleration for frame in moving))


def frame_classical_accelerations(bounds: MotionMagnitudes, q: Array, v: Array, a: Array) -> Array:
    return frame_accelerations(bounds, q, v, a)


def _motions(moving: list[Place], pairs: Iterable[Pair]) -> Array:
    """The angular and the linear size for the six components, with growth: (batch, frames, 6)."""
    grown = ((frame.G * angular, frame.G * linear) for frame, (angular, linear) in zip(moving, pairs, strict=True))
    return np.stack([np.stack([angular] * 3 + [linear] * 3, axis=1) for angular, linear in grown], axis=1)
