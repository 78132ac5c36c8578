"""Frames of motions and forces of bodies: of another point, along other axes. ``T`` (…, 3, 4) is [R p] from the body's frame to
the root's.

Wrappers for users contain the text of these functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def motion(source: str, target: str, T: Any, x: Any) -> Any:
    """The motion [ω; v] (…, 6) of a body, given in the frame ``source``, in the frame ``target``."""
    R, p, w, v = T[..., :3], T[..., 3], x[..., :3], x[..., 3:]
    if source == "local":
        w, v = turned(R, w), turned(R, v)
    if source == "world":
        v = v + np.cross(w, p)
    # Now it is aligned.
    if target == "world":
        v = v - np.cross(w, p)
    if target == "local":
        w, v = turned(R.swapaxes(-1, -2), w), turned(R.swapaxes(-1, -2), v)
    return np.concatenate(np.broadcast_arrays(w, v), axis=-1)


def force(source: str, target: str, T: Any, x: Any) -> Any:
    """The force [n; f] (…, 6) on a body, given in the frame ``source``, in the frame ``target``."""
    # A moment moves with f as a velocity does with ω.
    return np.roll(motion(source, target, T, np.roll(x, 3, -1)), 3, -1)


def turned(R: Any, x: Any) -> Any:
    return (R @ x[..., None])[..., 0]
