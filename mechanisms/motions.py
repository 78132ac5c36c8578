"""Finite motions in float64 batches: quaternions, and the exponential of twists and its inverse.

Arrays are batch-first: quaternions x y z w (batch, 4) of any length, vectors (batch, 3). Sources: K. Lynch, F. Park,
"Modern Robotics", 2017, eqs. 3.51, 3.88, 3.92; text 003, §§7, 8.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SERIES_TERMS = 10
"""How many terms of (θ − sin θ)/θ³ = 1/3! − θ²/5! + θ⁴/7! − … float64 needs up to θ = 1."""


def rotate(quaternion: Array, vector: Array) -> Array:
    """The vector rotated by the quaternion e: u + 2 (w x×u + x×(x×u)) / |e|²."""
    x, w = quaternion[:, :3], quaternion[:, 3:]
    once = np.cross(x, vector)
    return vector + 2 * (w * once + np.cross(x, once)) / np.sum(quaternion**2, axis=1, keepdims=True)


def multiply(a: Array, b: Array) -> Array:
    """The product of quaternions."""
    x, w, y, u = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    return np.hstack([w * y + u * x + np.cross(x, y), w * u - np.sum(x * y, axis=1, keepdims=True)])


def conjugate(quaternion: Array) -> Array:
    """The quaternion of the inverse rotation."""
    return quaternion * np.array([-1, -1, -1, 1])


def exp_rotation(omega: Array) -> Array:
    """exp([ω]) as a unit quaternion: the turn by |ω| (rad) about ω."""
    theta = np.linalg.norm(omega, axis=1, keepdims=True)
    # np.sinc(x) is sin(πx)/(πx), exact at zero.
    return np.hstack([np.sinc(theta / (2 * np.pi)) / 2 * omega, np.cos(theta / 2)])


def log_rotation(quaternion: Array) -> Array:
    """ω with exp([ω]) = the quaternion's rotation and |ω| at most π."""
    x, w = quaternion[:, :3], quaternion[:, 3:]
    x, w = np.where(w < 0, -x, x), np.abs(w)
    length = np.linalg.norm(x, axis=1, keepdims=True)
    half = np.arctan2(length, w)
    # Where the turn is too small for a quotient, half/length is 1/w to all digits.
    return x * 2 * np.divide(half, length, out=1 / np.where(w == 0, 1, w), where=length > 1e-150)


def exp_translation(omega: Array, v: Array) -> Array:
    """The translation of exp([ω; v]): v + (1 − cos θ)/θ² ω×v + (θ − sin θ)/θ³ ω×(ω×v)."""
    theta = np.linalg.norm(omega, axis=1, keepdims=True)
    # 1 − cos θ = 2 sin²(θ/2) keeps all digits where the difference would not.
    half_sinc = np.sinc(theta / (2 * np.pi))
    turn = np.cross(omega, v)
    return v + half_sinc**2 / 2 * turn + _third_order(theta) * np.cross(omega, turn)


def log_translation(omega: Array, p: Array) -> Array:
    """v with :func:`exp_translation` (ω, v) = p, for |ω| below 2π: p − ½ ω×p + (1 − h cot h)/θ² ω×(ω×p), h = θ/2."""
    half = np.linalg.norm(omega, axis=1, keepdims=True) / 2
    # sin h − h cos h = h³ (½ sinc²(h/2) − (h − sin h)/h³), without cancellation.
    second = (np.sinc(half / (2 * np.pi)) ** 2 / 2 - _third_order(half)) / (4 * np.sinc(half / np.pi))
    turn = np.cross(omega, p)
    return p - turn / 2 + second * np.cross(omega, turn)


def _third_order(theta: Array) -> Array:
    """(θ − sin θ)/θ³, by its series where the difference would cancel."""
    series = np.zeros_like(theta)
    for k in reversed(range(SERIES_TERMS)):
        series = (1 - theta**2 * series) / ((2 * k + 2) * (2 * k + 3))
    large = np.where(theta < 1, 1, theta)
    return np.where(theta < 1, series, (large - np.sin(large)) / large**3)
