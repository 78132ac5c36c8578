"""States: where a mechanism is and how it moves along its joints; conventions only, no dynamics.

States come in batches, one per row: q is (batch, nq), v, a and τ are (batch, nv).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechanisms import motions
from mechanisms.errors import MechanismError
from mechanisms.geometry import UNIT_LENGTH_TOLERANCE
from mechanisms.joint import QUATERNION, Joint
from mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]


def neutral(mechanism: Mechanism) -> Array:
    """The position (nq,) where every joint's is zero, or the identity for a quaternion and for a cosine and a sine."""
    q = np.zeros(mechanism.nq)
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind in QUATERNION:
            q[at.stop - 1] = 1
        if body.joint.kind == "continuous":
            q[at.start] = 1
    return q


def integrate(mechanism: Mechanism, q: ArrayLike, dv: ArrayLike) -> Array:
    """q ⊕ dv: the position (batch, nq) reached from ``q`` (batch, nq) in unit time at the constant velocity ``dv`` (batch, nv).

    Angles and distances add. The pose of a joint whose velocity is in the body's frame is multiplied from the right by
    exp([ω; v]), a screw motion in the body's frame (Lynch & Park 2017, eq. 3.88). A quaternion keeps the length it has.
    Raises :class:`MechanismError` as :func:`check_state` does.
    """
    q, dv = check_state(mechanism, q, dv=dv)
    moved = np.empty_like(q)
    for body, at, step in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        moved[:, at] = _moved(body.joint, q[:, at], dv[:, step])
    return moved


def difference(mechanism: Mechanism, q: ArrayLike, to: ArrayLike) -> Array:
    """to ⊖ q: the smallest velocity (batch, nv) that leads from ``q`` to ``to``, both (batch, nq), in unit time.

    Undoes :func:`integrate` for turns below π. Raises :class:`MechanismError` as :func:`check_state` does.
    """
    (q,), (to,) = check_state(mechanism, q), check_state(mechanism, to)
    if len(q) != len(to):
        raise MechanismError(f"the positions have {len(q)} and {len(to)} rows; give as many of both")
    apart = np.empty((len(q), mechanism.nv))
    for body, at, step in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        apart[:, step] = _apart(body.joint, q[:, at], to[:, at])
    return apart


def check_state(mechanism: Mechanism, q: ArrayLike, **rates: ArrayLike) -> tuple[Array, ...]:
    """``q`` (batch, nq) and every one of ``rates`` (batch, nv) as float64 arrays.

    ``rates`` are velocities, accelerations or forces, under the names that errors use: ``check_state(mechanism, q, v=v, a=a)``.
    Raises :class:`MechanismError`, in one sentence, for a shape, a value that is not finite, batches that differ, a
    quaternion that is zero, or a cosine and a sine that belong to no angle.
    """
    arrays = [_array("q", q, mechanism.nq), *(_array(name, rate, mechanism.nv) for name, rate in rates.items())]
    for name, array in zip(rates, arrays[1:], strict=True):
        if len(array) != len(arrays[0]):
            raise MechanismError(f"{name} has {len(array)} rows and q has {len(arrays[0])}; give one row for each state")
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        joint, q = body.joint, arrays[0][:, at]
        if joint.kind in QUATERNION and not q[:, QUATERNION[joint.kind] :].any(axis=1).all():
            where = f"{joint.kind} joint {joint.name!r}"
            raise MechanismError(f"{where} has a zero quaternion in q; give any other, as neutral() does")
        if joint.kind == "continuous" and not (abs(np.hypot(*q.T) - 1) < UNIT_LENGTH_TOLERANCE).all():
            raise MechanismError(f"q of joint {joint.name!r} is no angle's cosine and sine; give two numbers of length 1")
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


def _moved(joint: Joint, q: Array, step: Array) -> Array:
    """One joint's :func:`integrate`."""
    if joint.kind == "spherical":
        return motions.multiply(q, motions.exp_rotation(step))
    if joint.kind == "free":
        along = motions.exp_translation(step[:, :3], step[:, 3:])
        turned = motions.multiply(q[:, 3:], motions.exp_rotation(step[:, :3]))
        return np.hstack([q[:, :3] + motions.rotate(q[:, 3:], along), turned])
    if joint.kind == "planar":
        turn, slide = np.zeros((len(q), 3)), np.zeros((len(q), 3))
        turn[:, 2], slide[:, :2] = step[:, 0], step[:, 1:]
        return np.hstack([q[:, :2] + _turned(q[:, 2], motions.exp_translation(turn, slide)[:, :2]), q[:, 2:] + step[:, :1]])
    if joint.kind == "continuous":
        return _turned(step[:, 0], q)
    return q + step


def _apart(joint: Joint, q: Array, to: Array) -> Array:
    """One joint's :func:`difference`."""
    if joint.kind == "spherical":
        return motions.log_rotation(motions.multiply(motions.conjugate(q), to))
    if joint.kind == "free":
        back = motions.conjugate(q[:, 3:])
        omega = motions.log_rotation(motions.multiply(back, to[:, 3:]))
        return np.hstack([omega, motions.log_translation(omega, motions.rotate(back, to[:, :3] - q[:, :3]))])
    if joint.kind == "planar":
        turn, slide = np.zeros((len(q), 3)), np.zeros((len(q), 3))
        turn[:, 2] = np.remainder(to[:, 2] - q[:, 2] + np.pi, 2 * np.pi) - np.pi
        slide[:, :2] = _turned(-q[:, 2], to[:, :2] - q[:, :2])
        return np.hstack([turn[:, 2:], motions.log_translation(turn, slide)[:, :2]])
    if joint.kind == "continuous":
        cosine = (q * to).sum(axis=1)
        return np.arctan2(q[:, 0] * to[:, 1] - q[:, 1] * to[:, 0], cosine)[:, None]
    return to - q


def _turned(angle: Array, x: Array) -> Array:
    """Vectors of the plane (batch, 2), turned by an angle (batch,)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]], axis=1)
