"""Placements and motions of frames that are fixed to bodies or to the root, from homogeneous transforms alone, over any field.

    T_F = T F,        ∂ₖT_F = ∂ₖT F

T is the transform of the body that carries the frame, 1 for the root, and F the constant transform from the frame to the body. A
motion follows from T_F and its rate as that of a body follows from T (:mod:`oracle.by_jets.body_motions`), in the same three
frames: local along the axes of F, at its origin.
"""

from __future__ import annotations

import numpy as np

from oracle.by_jets.body_motions import acceleration, derivatives, velocity
from oracle.by_jets.jets import Jet
from oracle.by_jets.motion import transforms
from oracle.by_jets.system import System
from oracle.by_jets.transforms import compose
from oracle.fields import Array


def frame_placements(system: System, q: Array) -> Array:
    """T_F = [R p] of every frame (frames, 3, 4, batch)."""
    return np.stack([T.now for T in frame_transforms(system, q)])


def frame_jacobians(system: System, q: Array, frame: str) -> Array:
    """J with V = J v, for every frame (frames, 6, nv, batch)."""
    _, dT = derivatives(system, q)
    partials = [0 * dT[0] if body < 0 else compose(dT[body], F) for body, F in system.frames]
    pairs = zip(frame_transforms(system, q), partials, strict=True)
    return np.stack([velocity(T, Jet(dT_F), frame).now for T, dT_F in pairs])


def frame_velocities(system: System, q: Array, v: Array, frame: str) -> Array:
    """V of every frame (frames, 6, batch)."""
    return np.stack([velocity(T, T.rate, frame).now for T in frame_transforms(system, q, v)])


def frame_accelerations(system: System, q: Array, v: Array, a: Array, frame: str) -> Array:
    """The spatial acceleration of every frame (frames, 6, batch)."""
    return np.stack([acceleration(T, frame) for T in frame_transforms(system, q, v, a)])


def frame_classical_accelerations(system: System, q: Array, v: Array, a: Array) -> Array:
    """[ω̇; p̈] of every frame, along the root's axes (frames, 6, batch)."""
    return np.stack([velocity(T, T.rate, "aligned").rate.now for T in frame_transforms(system, q, v, a)])


def frame_transforms(system: System, q: Array, *rates: Array) -> list[Jet]:
    """T_F of every frame as a series in time, of the order that :func:`oracle.by_jets.motion.transforms` has with ``rates``."""
    T, *_ = transforms(system, q, *rates)
    still = [0 * term for term in T[0].terms]
    moving = ([F + still[0], *still[1:]] if body < 0 else [compose(x, F) for x in T[body].terms] for body, F in system.frames)
    return [Jet(*terms) for terms in moving]
