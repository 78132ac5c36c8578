"""The bounds of what has a motion: of every body, of every frame that is fixed to a body or to the root, and of the ends of
constraints.

A frame is one body more, at the distance r from the body that carries it, with one rotation more on its path and no motion of its
own (docs/notes/error-scale.md, eq. 44):

    D + 1,    R + r,    W,    V + W r,    A,    a + (A + W²) r

D, R, W, V, A and a are those of the body, and zero for the root. What moves with W, V, A and a at the distance R has the sizes

    velocity            W               V + W R                         eq. 19
    acceleration        A + W²          a + W V + (A + W²) R            eq. 20

The end of a constraint moves with its body, at the distance R + |p| from the root's origin, where p is its place on the body
(eqs. 53, 54). An end on the root does not move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from cross_check.error_scale.motion_magnitudes import ROTATIONS, Array, MotionMagnitudes, norm
from mechanisms import Constraint

Pair = tuple[Array, Array]
"""The angular and the linear size (batch,) of a motion."""


class Place(NamedTuple):
    """A body, or a frame on ``body`` (-1 for the root): D, G and R, and the sizes of its motion without growth."""

    body: int
    D: Array
    G: Array
    R: Array
    velocity: Pair
    acceleration: Pair


Places = Callable[..., list[Place]]
""":func:`bodies` or :func:`frames`."""


def bodies(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> list[Place]:
    """Every body; v and a are zero unless they are given."""
    return [_place(b, D, R, *motion) for b, (D, R, motion) in enumerate(_motions(bounds, q, v, a))]


def frames(bounds: MotionMagnitudes, q: Array, v: Array | None = None, a: Array | None = None) -> list[Place]:
    """Every frame of the mechanism; v and a are zero unless they are given."""
    moving, zero = _motions(bounds, q, v, a), np.zeros(len(q))
    places = []
    for frame in bounds.mechanism.frames:
        still = (np.zeros(1), zero, (zero, zero, zero, zero))
        D, R, (W, V, A, linear) = moving[frame.body] if frame.body >= 0 else still
        r = norm(frame.placement.translation)
        places.append(_place(frame.body, D + 1, R + r, W, V + W * r, A, linear + (A + W**2) * r))
    return places


def ends(bounds: MotionMagnitudes, q: Array, v: Array | None = None) -> list[tuple[Constraint, list[Place]]]:
    """Every constraint, with its ends that move. v is zero unless it is given, and a is zero."""
    moving = _motions(bounds, q, v, None)
    index = {body.name: b for b, body in enumerate(bounds.mechanism.bodies)}

    def of(constraint: Constraint) -> list[Place]:
        both = (constraint.first, constraint.first_placement), (constraint.second, constraint.second_placement)
        on_bodies = ((index[name], norm(placement.translation)) for name, placement in both if name in index)
        return [_place(b, moving[b][0], moving[b][1] + lever, *moving[b][2]) for b, lever in on_bodies]

    return [(constraint, of(constraint)) for constraint in bounds.mechanism.constraints]


def crossed(x: Pair, y: Pair) -> Pair:
    """The size of x × y."""
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]


def six(angular: Array, linear: Array) -> Array:
    """The angular and the linear size (batch,) for the six components of a motion or of a wrench: (batch, 6)."""
    return np.stack([angular] * 3 + [linear] * 3, axis=1)


def _motions(
    bounds: MotionMagnitudes, q: Array, v: Array | None, a: Array | None
) -> list[tuple[Array, Array, tuple[Array, ...]]]:
    """D, R and (W, V, A, a) of every body."""
    zero = np.zeros((len(q), bounds.mechanism.nv))
    v, a = zero if v is None else v, zero if a is None else a
    motions = zip(*bounds.velocities(q, v), *bounds.accelerations(q, v, a, 0), strict=True)
    return list(zip(bounds.rotations, bounds.distances(q), motions, strict=True))


def _place(body: int, D: Array, R: Array, W: Array, V: Array, A: Array, a: Array) -> Place:
    acceleration = (A + W**2, a + W * V + (A + W**2) * R)
    return Place(body, D, np.maximum(1.0, D / ROTATIONS), R, (W, V + W * R), acceleration)
