"""The principal moments of an inertia and the quaternion of their axes, to the last digits: MuJoCo takes nothing else.

MuJoCo computes them itself from a full matrix, and loses fifty roundings. NumPy loses five. One further step in extended
precision, where the platform has it, loses none but those of the four numbers: in A = Rᵀ I R, the entries off the diagonal are
roundings, and the axes turn about axis k by A_ij / (A_ii − A_jj). The moments are then the diagonal of Rᵀ I R for the rounded
quaternion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from implementations.protocol import Array

EQUAL = 1e-9
"""Moments that differ by less, relative to the largest entry, count as equal: their axes are not determined."""

ROUNDING = 8 * np.finfo(float).eps
"""So far, relative to the sum of the others, rounding may make the largest moment too large."""


def principal(mj: Any, inertia: Array) -> tuple[Array, Array]:
    """The moments (3,), and the unit quaternion w x y z (4,) that takes their axes to those of ``inertia`` (3, 3)."""
    quaternion = np.array([1.0, 0, 0, 0])
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return _possible(np.diag(inertia)), quaternion
    _, axes = np.linalg.eigh(inertia)
    axes[:, 0] *= np.linalg.det(axes)
    mj.mju_mat2Quat(quaternion, axes.ravel())
    w, xyz = _turned(quaternion.astype(np.longdouble), _step(_along(quaternion, inertia)))
    longer = np.array([w, *xyz])
    quaternion = (longer / np.sqrt(longer @ longer)).astype(float)
    return _possible(np.diag(_along(quaternion, inertia)).astype(float)), quaternion


def _along(quaternion: Array, inertia: Array) -> Any:
    """Rᵀ I R in extended precision."""
    w, x, y, z = e = quaternion.astype(np.longdouble)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    R = np.array(rows) / (e @ e)
    return R.T @ inertia.astype(np.longdouble) @ R


def _step(A: Any) -> Any:
    """The small rotation (3,) after which the axes are principal."""
    angles = np.zeros(3, A.dtype)
    for k, i, j in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        if abs(difference := A[i, i] - A[j, j]) > EQUAL * abs(A).max():
            angles[k] = A[i, j] / difference
    return angles


def _turned(e: Any, angles: Any) -> tuple[Any, Any]:
    """The quaternion e times [1; angles / 2], as w and x y z."""
    half = angles / 2
    return e[0] - e[1:] @ half, e[0] * half + e[1:] + np.cross(e[1:], half)


def _possible(moments: Array) -> Array:
    """The moments, with the largest lowered to the sum of the others where rounding alone made it larger."""
    possible, k = np.array(moments), int(np.argmax(moments))
    others = np.delete(possible, k).sum()
    if others < possible[k] <= others * (1 + ROUNDING):
        possible[k] = others
    return possible
