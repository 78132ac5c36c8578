"""The velocities that code has for free, spherical and planar joints: T(q) with v = T v', and b with a = T a' + b.

Our velocity is [ω; v] along the body's axes. R and p are the body's pose in the joint's frame, which is the root's frame for
most mechanisms. Positions q have any leading axes. Wrappers for users contain the text of these functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def of_free_joints(mechanism: Any, q: Any, block: Callable[[Any, Any], Any]) -> Any:
    """T (…, nv, nv), with block(R, p) (…, 6, 6) for every free joint, and ones for the others."""
    T = np.zeros((*q.shape[:-1], mechanism.nv, mechanism.nv)) + np.eye(mechanism.nv)
    for body, own_q, own_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.pose == "free":
            T[..., own_v, own_v] = block(rotation(q[..., own_q][..., 3:]), q[..., own_q][..., :3])
    return T


def rotation(e: Any) -> Any:
    """R (…, 3, 3) of a quaternion x y z w of any length; each entry is rounded as little as float64 allows."""
    x, y, z, w = np.moveaxis(np.asarray(e, dtype=float), -1, 0)
    # Sums of squares are subtracted once, and the square of the length divides once.
    rows = (
        (x * x + w * w - (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), y * y + w * w - (x * x + z * z), 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), z * z + w * w - (x * x + y * y)),
    )
    R = np.stack([np.stack(row, -1) for row in rows], -2)
    return R / (x * x + y * y + (z * z + w * w))[..., None, None]


def crossing(u: Any) -> Any:
    """[u]× (…, 3, 3)."""
    return np.cross(u[..., None, :], np.eye(3)).swapaxes(-1, -2)


def blocks(A: Any, B: Any, C: Any, D: Any) -> Any:
    """[[A, B], [C, D]] (…, 6, 6) of (…, 3, 3)."""
    return np.concatenate((np.concatenate((A, B), -1), np.concatenate((C, D), -1)), -2)


def linear_first(mechanism: Any, q: Any) -> Any:
    """v' = [v; ω]."""
    o, one = np.zeros((3, 3)), np.eye(3)
    return of_free_joints(mechanism, q, lambda R, p: blocks(o, one, one, o))


def spatial(mechanism: Any, q: Any) -> Any:
    """v' is the spatial twist: along the joint's axes, of the point at the joint's origin."""
    return of_free_joints(
        mechanism, q, lambda R, p: blocks(R.swapaxes(-1, -2), 0 * R, -R.swapaxes(-1, -2) @ crossing(p), R.swapaxes(-1, -2))
    )


def inverse_spatial(mechanism: Any, q: Any) -> Any:
    """The inverse of :func:`spatial`."""
    return of_free_joints(mechanism, q, lambda R, p: blocks(R, 0 * R, crossing(p) @ R, R))


def mixed(mechanism: Any, q: Any) -> Any:
    """v' = [Rω; ṗ]."""
    return of_free_joints(mechanism, q, lambda R, p: blocks(R.swapaxes(-1, -2), 0 * R, 0 * R, R.swapaxes(-1, -2)))


def linear_mixed(mechanism: Any, q: Any) -> Any:
    """v' = [ω; ṗ]."""
    return of_free_joints(mechanism, q, lambda R, p: blocks(np.eye(3) + 0 * R, 0 * R, 0 * R, R.swapaxes(-1, -2)))


def angular_mixed(mechanism: Any, q: Any) -> Any:
    """v' = [Rω; v]."""
    return of_free_joints(mechanism, q, lambda R, p: blocks(R.swapaxes(-1, -2), 0 * R, 0 * R, np.eye(3) + 0 * R))


def classical(mechanism: Any, q: Any, v: Any) -> Any:
    """b where a' contains p̈: −ω × v."""
    b = np.zeros_like(v)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.pose == "free":
            b[..., own.start + 3 : own.stop] = -np.cross(v[..., own][..., :3], v[..., own][..., 3:])
    return b


def weighed(mechanism: Any, q: Any, v: Any) -> Any:
    """b where a' is measured against free fall: the gravity g along the body's axes, for joints on the root."""
    b = np.zeros((*q.shape[:-1], mechanism.nv))
    for i, (body, own_q, own_v) in enumerate(zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)):
        if body.joint.pose == "free" and mechanism.parents[i] < 0:
            R = mechanism.arrays.rotations[i] @ rotation(q[..., own_q][..., 3:])
            b[..., own_v.start + 3 : own_v.stop] = mechanism.arrays.gravity @ R
    return b


def along_parent(kind: str, mechanism: Any, q: Any) -> Any:
    """T (…, nv, nv) where the velocity of spherical or planar joints is along the axes of the joint's frame."""
    T = np.zeros((*q.shape[:-1], mechanism.nv, mechanism.nv)) + np.eye(mechanism.nv)
    for body, own_q, own_v in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.pose == kind == "spherical":
            T[..., own_v, own_v] = rotation(q[..., own_q]).swapaxes(-1, -2)
        if body.joint.pose == kind == "planar":
            c, s = np.cos(q[..., own_q.stop - 1]), np.sin(q[..., own_q.stop - 1])
            x, y = own_v.start + 1, own_v.start + 2
            T[..., x, x], T[..., x, y], T[..., y, x], T[..., y, y] = c, s, -s, c
    return T


def planar_linear_first(mechanism: Any, q: Any) -> Any:
    """v' = [v₁, v₂; ω₃] of planar joints."""
    T = np.zeros((*q.shape[:-1], mechanism.nv, mechanism.nv)) + np.eye(mechanism.nv)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.pose == "planar":
            T[..., own, own] = np.roll(np.eye(3), 1, axis=0)
    return T


def classical_slide(mechanism: Any, q: Any, v: Any) -> Any:
    """b where the acceleration of a planar joint is that of its origin: −ω × v."""
    b = np.zeros_like(v)
    for body, own in zip(mechanism.bodies, mechanism.v_slices, strict=True):
        if body.joint.pose == "planar":
            w, x, y = (v[..., own.start + k] for k in range(3))
            b[..., own.start + 1], b[..., own.start + 2] = w * y, -w * x
    return b
