"""The bounds of what has a motion: of every body, of every frame that is fixed to a body or to the root, and of the ends of
constraints.

A frame is one body more, at the distance r from the body that carries it, with one rotation more on its path and no motion of its
own (docs/notes/error-scale.md, eq. 44):

    D + 1,    R + r,    W,    V + W r,    A,    a + (A + W²) r

D, R, W, V, A and a are those of the body, and zero for the root. What moves with W, V, A and a at the distance R has the sizes

    velocity            W               V + W R                         eq. 19
    acceleration        A + W²          a + W V + (A + W²) R            eq. 20

The end of a constraint moves with its body, at the distance R + |p| from the root's origin, where p is its place on the body
(eqs. 53, 54). An end on the root does not move. For the derivatives of a constraint the sizes of its two ends are added before
they are multiplied, because what moves either end moves the frame of the answer as well (eqs. 61–63).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from cross_check.error_scale.motion_magnitudes import Array, MotionMagnitudes, growth, norm

Pair = tuple[Array, Array]
"""The angular and the linear size of a motion."""


class Places(NamedTuple):
    """D, G and R of every place, and the sizes of its motion without growth (places, 1, batch) and of the screws (places, nv, …).

    A screw has the angular part t and the linear part σ. Both are zero where a coordinate does not move the place.
    """

    D: Array
    G: Array
    R: Array
    velocity: Pair
    acceleration: Pair
    screws: Pair


def bodies(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> Places:
    """Every body; v and a are zero unless they are given."""
    return _places(bounds, range(len(bounds.mechanism.bodies)), q, v, a)


def frames(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> Places:
    """Every frame of the mechanism; v and a are zero unless they are given."""
    of = bounds.mechanism.frames
    offsets = [norm(frame.placement.translation) for frame in of]
    return _places(bounds, [frame.body for frame in of], q, v, a, offsets=offsets, rotations=1)


def ends(bounds: MotionMagnitudes, q: Array, v: Array | None = None) -> tuple[Places, list[list[int]]]:
    """Every end of a constraint that moves, and the indices of the ends of every constraint. v is zero unless it is given."""
    index = {body.name: b for b, body in enumerate(bounds.mechanism.bodies)}
    both = [
        (k, index[name], norm(placement.translation))
        for k, one in enumerate(bounds.mechanism.constraints)
        for name, placement in ((one.first, one.first_placement), (one.second, one.second_placement))
        if name in index
    ]
    of_constraints = [[i for i, (of, *_) in enumerate(both) if of == k] for k in range(len(bounds.mechanism.constraints))]
    places = _places(bounds, [body for _, body, _ in both], q, v, None, levers=[lever for *_, lever in both])
    return places, of_constraints


def _places(
    bounds: MotionMagnitudes,
    on: Sequence[int],
    q: Array,
    v: Array | None,
    a: Array | None,
    *,
    offsets: Sequence[float] = (0.0,),
    levers: Sequence[float] = (0.0,),
    rotations: int = 0,
) -> Places:
    """Places on these bodies (-1 for the root). ``offsets`` are distances of frames from them, and ``levers`` those of ends."""
    still = np.zeros((len(q), bounds.mechanism.nv))
    v, a = still if v is None else v, still if a is None else a
    motion = (*bounds.velocities(q, v), *bounds.accelerations(q, v, a, 0), bounds.rotations, bounds.distances(q))
    W, V, A, linear, D, R = (np.concatenate((x, np.zeros_like(x[:1])))[list(on), None] for x in motion)
    own, lever = (np.array(lengths)[:, None, None] for lengths in (offsets, levers))
    D, R, V, linear = D + rotations, R + own + lever, V + W * own, linear + (A + W**2) * own
    acceleration = (A + W**2, linear + W * V + (A + W**2) * R)
    moved = np.concatenate((bounds.moves, np.zeros_like(bounds.moves[:, :1])), axis=1)[:, list(on)].swapaxes(0, 1)
    σ = bounds.t * bounds.distances(q)[bounds.joint] + bounds.d
    screws = np.where(moved, bounds.t, 0.0), np.where(moved, σ, 0.0)
    return Places(D, growth(D), R, (W, V + W * R), acceleration, screws)


def summed(places: Places, of: list[list[int]]) -> Places:
    """One place for every constraint, from its ends: sums of screws and motions, and the largest D and G."""

    def total(x: Array) -> Array:
        return np.stack([x[own].sum(axis=0) for own in of])

    def largest(x: Array) -> Array:
        return np.stack([x[own].max(axis=0, initial=1.0) for own in of])

    t, σ = places.screws
    pairs = (places.velocity, places.acceleration, (t, t * places.R + σ))
    velocity, acceleration, screws = ((total(angular), total(linear)) for angular, linear in pairs)
    return Places(largest(places.D), largest(places.G), 0 * largest(places.R), velocity, acceleration, screws)


def crossed(x: Pair, y: Pair) -> Pair:
    """The size of x × y."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]
