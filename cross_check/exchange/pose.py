"""The shape of a mechanism in a pose, from the reference's placements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cross_check.exchange.results.objects import Bone, Skeleton
from implementations.spatial_algebra.reference import REFERENCE
from mechanisms import Mechanism
from mechanisms.states import neutral

DIGITS = 4
"""Significant digits of the numbers of a shape: a drawing needs no more."""


def skeleton_of(mechanism: Mechanism, q: Sequence[float] | None = None) -> Skeleton:
    """The shape at the position ``q`` (nq,), by default at position zero."""
    at = neutral(mechanism) if q is None else np.asarray(q, float)
    frames = np.concatenate([np.eye(3, 4)[None], REFERENCE.load(mechanism).placements(at[None])[0]])
    bones = []
    for body, parent, frame in zip(mechanism.bodies, mechanism.parents, frames[1:], strict=True):
        joint, carrier = body.joint, frames[parent + 1]
        start = _floats(joint.placement.translation)
        turned = carrier[:, :3] @ np.array(joint.placement.rotation.matrix, float)
        center = frame[:, 3] if body.inertia.is_massless else frame[:, :3] @ _floats(body.inertia.com) + frame[:, 3]
        bones.append(
            Bone(
                body.name,
                joint.name,
                joint.kind,
                parent,
                _rounded(carrier[:, :3] @ start + carrier[:, 3]),
                _rounded(frame[:, 3]),
                _rounded(center),
                _rounded(turned @ _floats(joint.axis)) if joint.description.has_axis else [],
            )
        )
    return tuple(bones)


def _floats(vector: Sequence[object]) -> NDArray[np.float64]:
    return np.array(vector, dtype=float)


def _rounded(point: NDArray[np.float64]) -> list[float]:
    return [float(f"{x:.{DIGITS}g}") + 0.0 for x in point]
