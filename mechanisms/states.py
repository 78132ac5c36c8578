"""States: where a mechanism is and how it moves along its joints; conventions only, no dynamics.

States come in batches, one per row: q is (batch, nq), v, a and τ are (batch, nv).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechanisms.errors import MechanismError
from mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]

SERIES_TERMS = 10
"""Enough of (θ − sin θ)/θ³ = 1/3! − θ²/5! + θ⁴/7! − … for float64 up to θ = 1."""


def neutral(mechanism: Mechanism) -> Array:
    """The position (nq,) where every joint is zero, and every free joint is the identity pose."""
    q = np.zeros(mechanism.nq)
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "free":
            q[at.stop - 1] = 1
    return q


def integrate(mechanism: Mechanism, q: ArrayLike, dv: ArrayLike) -> Array:
    """q ⊕ dv: the position (batch, nq) reached from ``q`` (batch, nq) in unit time at the constant velocity ``dv`` (batch, nv).

    Revolute and prismatic joints add. A free joint's pose is multiplied from the right by exp([ω; v]), a screw motion in
    the body's frame (Lynch & Park 2017, eq. 3.88). The quaternion keeps the length it has. Raises
    :class:`MechanismError` as :func:`check_state` does.
    """
    q, dv = check_state(mechanism, q, dv=dv)
    moved = np.empty_like(q)
    for body, at, step in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        moved[:, at] = _screw(q[:, at], dv[:, step]) if body.joint.kind == "free" else q[:, at] + dv[:, step]
    return moved


def check_state(mechanism: Mechanism, q: ArrayLike, **rates: ArrayLike) -> tuple[Array, ...]:
    """``q`` (batch, nq) and every one of ``rates`` (batch, nv) as float64 arrays.

    ``rates`` are velocities, accelerations or forces, under the names that errors use: ``check_state(mechanism, q, v=v, a=a)``.
    Raises :class:`MechanismError`, in one sentence, for a shape, a value that is not finite, batches that differ, or a
    free joint's quaternion that is zero.
    """
    arrays = [_array("q", q, mechanism.nq), *(_array(name, rate, mechanism.nv) for name, rate in rates.items())]
    for name, array in zip(rates, arrays[1:], strict=True):
        if len(array) != len(arrays[0]):
            raise MechanismError(f"{name} has {len(array)} rows and q has {len(arrays[0])}; give one row for each state")
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "free" and not arrays[0][:, at.start + 3 : at.stop].any(axis=1).all():
            raise MechanismError(f"free joint {body.joint.name!r} has a zero quaternion in q; give any other, as neutral() does")
    return tuple(arrays)


def _array(name: str, given: ArrayLike, n: int) -> Array:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise MechanismError(f"{name} is no array of numbers; give floats of shape (batch, {n})") from None
    if array.ndim != 2 or array.shape[1] != n:
        raise MechanismError(f"{name} has shape {array.shape}; give (batch, {n})")
    finite = np.isfinite(array).all(axis=1)
    if not finite.all():
        raise MechanismError(f"{name} holds NaN or infinity in row {int(np.argmin(finite))}; give finite numbers")
    return array


def _screw(pose: Array, step: Array) -> Array:
    """``pose`` · exp(``step``), with the screw's translation v + B ω×v + C ω×(ω×v)."""
    position, quaternion, omega, v = pose[:, :3], pose[:, 3:], step[:, :3], step[:, 3:]
    theta = np.linalg.norm(omega, axis=1, keepdims=True)
    # np.sinc(x) is sin(πx)/(πx), exact at zero; 1 − cos θ = 2 sin²(θ/2) keeps all digits where the difference would not.
    half_sinc = np.sinc(theta / (2 * np.pi))
    turn = np.cross(omega, v)
    along = v + half_sinc**2 / 2 * turn + _third_order(theta) * np.cross(omega, turn)
    increment = np.hstack([half_sinc / 2 * omega, np.cos(theta / 2)])
    return np.hstack([position + _rotate(quaternion, along), _multiply(quaternion, increment)])


def _third_order(theta: Array) -> Array:
    """(θ − sin θ)/θ³, by its series where the difference would cancel."""
    series = np.zeros_like(theta)
    for k in reversed(range(SERIES_TERMS)):
        series = (1 - theta**2 * series) / ((2 * k + 2) * (2 * k + 3))
    large = np.where(theta < 1, 1, theta)
    return np.where(theta < 1, series, (large - np.sin(large)) / large**3)


def _rotate(quaternion: Array, vector: Array) -> Array:
    """The vector turned by a quaternion x y z w of any length: u + 2 (w x×u + x×(x×u)) / |q|²."""
    x, w = quaternion[:, :3], quaternion[:, 3:]
    once = np.cross(x, vector)
    return vector + 2 * (w * once + np.cross(x, once)) / np.sum(quaternion**2, axis=1, keepdims=True)


def _multiply(a: Array, b: Array) -> Array:
    """The product of quaternions x y z w."""
    x, w, y, u = a[:, :3], a[:, 3:], b[:, :3], b[:, 3:]
    return np.hstack([w * y + u * x + np.cross(x, y), w * u - np.sum(x * y, axis=1, keepdims=True)])
