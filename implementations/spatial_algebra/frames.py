"""Placements and motions of frames that are fixed to bodies or to the root.

A frame F is fixed to body b by the constant transform ^FX_b, and moves with it. In its own frame, its motion is that of the body:

    ^FX_0 = ^FX_b ^bX_0,        v_F = ^FX_b v_b,        a_F = ^FX_b a_b,        J_F = ^FX_b J_b

The world and the aligned frame follow as for bodies (:mod:`implementations.spatial_algebra.kinematics`). A frame that is fixed to
the root does not move. Source: R. Featherstone, *Rigid Body Dynamics Algorithms* (2008), §2.8.
"""

from __future__ import annotations

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.kinematics import accelerations, classical, in_frame, jacobians, poses, velocities
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker


def frame_placements(model: Model, q: Tensor) -> Tensor:
    """[R p] (frames, 3, 4, batch): from each frame to the root's, x ↦ R x + p."""
    return poses(frame_transforms(model, q), q)


def frame_jacobians(model: Model, q: Tensor, frame: str) -> Tensor:
    """J (frames, 6, nv, batch)."""
    return of_frames(model, q, jacobians(model, q, "local"), frame)


def frame_velocities(model: Model, q: Tensor, qd: Tensor, frame: str) -> Tensor:
    """v (frames, 6, batch)."""
    return of_frames(model, q, velocities(model, q, qd, "local"), frame)


def frame_accelerations(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, frame: str) -> Tensor:
    """a (frames, 6, batch): the spatial acceleration, without gravity."""
    return of_frames(model, q, accelerations(model, q, qd, qdd, "local"), frame)


def frame_classical_accelerations(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """[ω̇; p̈] (frames, 6, batch), in the aligned frame."""
    return classical(frame_velocities(model, q, qd, "aligned"), frame_accelerations(model, q, qd, qdd, "aligned"))


def frame_transforms(model: Model, q: Tensor) -> list[Plucker]:
    """^FX_0 of every frame."""
    X0 = transforms_from_root(model, transforms(model, q)[0])
    return [X if body < 0 else X.after(X0[body]) for body, X in model.frames]


def of_frames(model: Model, q: Tensor, local: Tensor, frame: str) -> Tensor:
    """Motion vectors of all frames in ``frame`` (frames, 6, …, batch), from those of the bodies, ``local``, in their own."""
    motions = [0 * local[0] if body < 0 else X @ local[body] for body, X in model.frames]
    return np.stack([in_frame(frame, X0, m) for X0, m in zip(frame_transforms(model, q), motions, strict=True)])


FRAMES = by_name(frame_placements, frame_jacobians, frame_velocities, frame_accelerations, frame_classical_accelerations)
"""The algorithms of this module, by name."""
