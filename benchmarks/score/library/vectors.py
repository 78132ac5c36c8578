"""Batches of 3-vectors (batch, 3) and matrices (batch, 3, 3), for the score and the campaign; complex steps are welcome."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def cross(a: Array, b: Array) -> Array:
    """a × b, over the last axis."""
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    x = ay * bz - az * by
    product = np.empty((*x.shape, 3), dtype=x.dtype)
    product[..., 0], product[..., 1], product[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return product


def skew(x: Array) -> Array:
    """[x]×: (…, 3, 3)."""
    zero = np.zeros_like(x[..., 0])
    rows = [zero, -x[..., 2], x[..., 1], x[..., 2], zero, -x[..., 0], -x[..., 1], x[..., 0], zero]
    return np.stack(rows, axis=-1).reshape(*x.shape, 3)


def times(R: Array, x: Array) -> Array:
    """R x for every state."""
    return (R @ x[..., None])[..., 0]


def back(R: Array, x: Array) -> Array:
    """Rᵀ x for every state."""
    return (np.swapaxes(R, -1, -2) @ x[..., None])[..., 0]


def dot(a: Array, b: Array) -> Array:
    return (a * b).sum(axis=-1)


def rodrigues(axis: Array, c: Array, s: Array) -> Array:
    """The rotation (…, 3, 3) about a unit axis (…, 3), by the cosine and sine (…) of the angle: Rodrigues' formula."""
    K = skew(axis)
    return np.eye(3) + s[..., None, None] * K + (1 - c)[..., None, None] * (K @ K)


def from_quaternion(e: Array) -> Array:
    """The rotation (batch, 3, 3) of unit quaternions x y z w (batch, 4)."""
    x, y, z, w = e.T
    rows = [
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    ]  # fmt: skip
    return np.stack(rows, axis=-1).reshape(-1, 3, 3)


def turned_quaternion(e: Array, half: Array) -> Array:
    """e + e ⊗ (half, 0): a small turn of unit quaternions x y z w about the body's axes; ``half`` (3,) is half the turn."""
    x, y, z, w = e.T
    a, b, c = half
    rate = [w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -x * a - y * b - z * c]
    return e + np.stack(rate, axis=-1)
