"""Conversions for code with other conventions than ours: coordinates of joints, six-vectors, frames.

>>> from dalembert import coordinates
>>> change = coordinates.change(mechanism, free_velocity="mixed", free_velocity_order="linear first", quaternion="wxyz")
>>> theirs = change.position(q), change.velocity(q, v), change.acceleration(q, v, a)

The adapters of engines use the same functions. docs/conventions.md has our conventions, and the names of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from implementations.conventions import frames
from implementations.conventions.change import Change
from implementations.conventions.declared import VALUES, Conventions
from implementations.conventions.positions import w_first, w_last
from mechanisms import Mechanism

__all__ = ["VALUES", "Change", "change", "exchanged", "force", "motion", "w_first", "w_last"]

Array = NDArray[np.float64]

Frame = Literal["local", "world", "aligned"]
"""Of the body's point at its origin, along the body's axes; of the body's point at the root's origin, along the root's axes; of
the body's point at its origin, along the root's axes."""


def change(mechanism: Mechanism, *, joints: Sequence[str] | None = None, **conventions: str) -> Change:
    """The change between our coordinates of ``mechanism`` and those of code with these ``conventions`` (:data:`VALUES`).

    ``joints`` are the names of all joints in the order of the code. Raises ValueError for a convention, a value or a joint that
    does not exist.
    """
    declared = Conventions.declared(conventions)
    if joints is None:
        return Change(mechanism, declared)
    names = [body.joint.name for body in mechanism.bodies]
    if sorted(names) != sorted(joints):
        raise ValueError(f"the joints are {', '.join(map(repr, names))}; list each once, in the order of the code")
    return Change(mechanism, declared, [names.index(name) for name in joints])


def exchanged(x: ArrayLike, axis: int = -1) -> Array:
    """A six-vector with its halves exchanged along ``axis``: [ω; v] becomes [v; ω], and [v; ω] becomes [ω; v]."""
    given = np.asarray(x, dtype=float)
    if given.shape[axis] != 6:
        raise ValueError(f"axis {axis} has {given.shape[axis]} entries; a six-vector has 6")
    return np.roll(given, 3, axis)


def motion(placement: ArrayLike, V: ArrayLike, source: Frame, target: Frame) -> Array:
    """The motion [ω; v] (…, 6) of a body, given in the frame ``source``, in the frame ``target``.

    ``placement`` (…, 3, 4) is [R p] from the body's frame to the root's. Raises ValueError for other shapes and other frames.
    """
    for frame in (source, target):
        if frame not in get_args(Frame):
            raise ValueError(f"there is no frame {frame!r}; use {', '.join(get_args(Frame))}")
    return np.asarray(frames.motion(source, target, *_arrays(placement, V)))


def force(placement: ArrayLike, F: ArrayLike, source: Frame, target: Frame) -> Array:
    """The force [n; f] (…, 6) on a body, given in the frame ``source``, in the frame ``target``: n is the moment about its point.

    ``placement`` (…, 3, 4) is [R p] from the body's frame to the root's.
    """
    # A moment moves with f as a velocity does with ω.
    return exchanged(motion(placement, exchanged(F), source, target))


def _arrays(placement: ArrayLike, x: ArrayLike) -> tuple[Array, Array]:
    place, given = np.asarray(placement, dtype=float), np.asarray(x, dtype=float)
    if place.shape[-2:] != (3, 4) or given.shape[-1] != 6:
        raise ValueError(f"the shapes are {place.shape} and {given.shape}; give [R p] (…, 3, 4) and a six-vector (…, 6)")
    return place, given
