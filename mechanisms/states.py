"""States: a mechanism's position and velocity in its joints' coordinates; conventions only, no dynamics.

States come in batches, one per row: q is (batch, nq), v, a and τ are (batch, nv). A state of a mechanism with mimic joints is
also one of the same tree with every joint moving on its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechanisms import motions
from mechanisms.errors import MechanismError
from mechanisms.geometry import UNIT_LENGTH_TOLERANCE
from mechanisms.joint import Joint
from mechanisms.joint_kinds import Form
from mechanisms.mechanism import Mechanism

Array = NDArray[np.float64]


def neutral(mechanism: Mechanism) -> Array:
    """The position (nq,) at which every angle and distance is zero, and every quaternion, cosine and sine is the identity."""
    q = np.zeros(mechanism.nq)
    for _, slot in mechanism.slots("quaternion"):
        q[slot.stop - 1] = 1
    for _, slot in mechanism.slots("circle"):
        q[slot.start] = 1
    return q


def of_length_one(mechanism: Mechanism, q: Array) -> Array:
    """q (batch, nq) with quaternions, and pairs of cosine and sine, of length one."""
    q = q.copy()
    for form in ("quaternion", "circle"):
        for _, slot in mechanism.slots(form):
            q[:, slot] /= np.linalg.norm(q[:, slot], axis=1, keepdims=True)
    return q


def integrate(mechanism: Mechanism, q: ArrayLike, dv: ArrayLike) -> Array:
    """q ⊕ dv: the position (batch, nq) reached from ``q`` (batch, nq) in unit time at the constant velocity ``dv`` (batch, nv).

    Angles and distances are added. The pose of a joint whose velocity is in the body's frame is multiplied from the right by
    exp([ω; v]), a screw motion in the body's frame (Lynch & Park 2017, eq. 3.88). A quaternion keeps its length.
    Raises :class:`MechanismError` as :func:`check_state` does.
    """
    q, dv = check_state(mechanism, q, dv=dv)
    moved = np.empty_like(q)
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        moved[:, q_i] = _integrated(body.joint, q[:, q_i], dv[:, v_i])
    return moved


def difference(mechanism: Mechanism, q: ArrayLike, to: ArrayLike) -> Array:
    """to ⊖ q: the smallest velocity (batch, nv) that leads from ``q`` to ``to``, both (batch, nq), in unit time.

    It is the inverse of :func:`integrate` for turns below π. Raises :class:`MechanismError` as :func:`check_state` does.
    """
    (q,), (to,) = check_state(mechanism, q), check_state(mechanism, to)
    if len(q) != len(to):
        raise MechanismError(f"the positions have {len(q)} and {len(to)} rows; give as many of both")
    steps = np.empty((len(q), mechanism.nv))
    for body, q_i, v_i in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        steps[:, v_i] = _difference(body.joint, q[:, q_i], to[:, q_i])
    return steps


def check_state(mechanism: Mechanism, q: ArrayLike, **rates: ArrayLike) -> tuple[Array, ...]:
    """``q`` (batch, nq) and every one of ``rates`` (batch, nv) as float64 arrays.

    ``rates`` are velocities, accelerations or forces; errors use their keywords as names: ``check_state(mechanism, q, v=v,
    a=a)``. Raises :class:`MechanismError`, in one sentence, for a wrong shape, a value that is not finite, batches of different
    lengths, a zero quaternion, and a cosine and a sine that belong to no angle.
    """
    arrays = [_array("q", q, mechanism.nq), *(_array(name, rate, mechanism.nv) for name, rate in rates.items())]
    for name, array in zip(rates, arrays[1:], strict=True):
        if len(array) != len(arrays[0]):
            raise MechanismError(f"{name} has {len(array)} rows and q has {len(arrays[0])}; give one row for each state")
    for joint, slot in mechanism.slots("quaternion"):
        if not arrays[0][:, slot].any(axis=1).all():
            where = f"{joint.kind} joint {joint.name!r}"
            raise MechanismError(f"{where} has a zero quaternion in q; give any other, as neutral() does")
    tolerance = max(UNIT_LENGTH_TOLERANCE, 2 * mechanism.precision.epsilon)
    for joint, slot in mechanism.slots("circle"):
        if not (abs(np.hypot(*arrays[0][:, slot].T) - 1) < tolerance).all():
            raise MechanismError(f"q of joint {joint.name!r} is no angle's cosine and sine; give two numbers of length 1")
    return tuple(arrays)


def tree_matrix(mechanism: Mechanism) -> Array:
    """G (nv of ``mechanism.independent``, nv): the velocities G v of all joints, and their accelerations G a."""
    G = np.zeros((mechanism.independent.nv, mechanism.nv))
    places = zip(mechanism.bodies, mechanism.independent.v_slices, mechanism.v_slices, strict=True)
    for body, rows, columns in places:
        G[rows, columns] = float(body.joint.mimic.multiplier) if body.joint.mimic else np.eye(body.joint.nv)
    return G


def tree_position(mechanism: Mechanism, q: Array, magnitudes: bool = False) -> Array:
    """The positions (batch, nq of ``mechanism.independent``) of all joints at q (batch, nq).

    With ``magnitudes`` a mimic joint's is |k q| + |c|, the size of the terms that are summed.
    """
    parts = []
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        x, mimic = q[:, own], body.joint.mimic
        if mimic:
            k, c = float(mimic.multiplier), float(mimic.offset)
            x = np.abs(k * x) + abs(c) if magnitudes else k * x + c
        parts.append(x)
    return np.concatenate(parts, axis=1)


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


def _integrated(joint: Joint, q: Array, step: Array) -> Array:
    """One joint's :func:`integrate`."""
    if not joint.velocity_is_body_twist:
        return np.hstack([_integrated_slot(slot.form, q[:, slot.q], step[:, slot.v]) for slot in joint.slots])
    n = joint.description.distances
    if joint.slots[-1].form == "angle":
        turn, slide = _in_space(step)
        return np.hstack([q[:, :n] + _turned(q[:, n], motions.exp_translation(turn, slide)[:, :n]), q[:, n:] + step[:, :1]])
    turned = motions.multiply(q[:, n:], motions.exp_rotation(step[:, :3]))
    if n == 0:
        return turned
    along = motions.exp_translation(step[:, :3], step[:, 3:])
    return np.hstack([q[:, :n] + motions.rotate(q[:, n:], along), turned])


def _integrated_slot(form: Form, q: Array, step: Array) -> Array:
    return _turned(step[:, 0], q) if form == "circle" else q + step


def _difference(joint: Joint, q: Array, to: Array) -> Array:
    """One joint's :func:`difference`."""
    if not joint.velocity_is_body_twist:
        return np.hstack([_slot_difference(slot.form, q[:, slot.q], to[:, slot.q]) for slot in joint.slots])
    n = joint.description.distances
    if joint.slots[-1].form == "angle":
        angle = np.remainder(to[:, n] - q[:, n] + np.pi, 2 * np.pi) - np.pi
        turn, slide = _in_space(np.column_stack([angle, _turned(-q[:, n], to[:, :n] - q[:, :n])]))
        return np.hstack([turn[:, 2:], motions.log_translation(turn, slide)[:, :n]])
    back = motions.conjugate(q[:, n:])
    omega = motions.log_rotation(motions.multiply(back, to[:, n:]))
    if n == 0:
        return omega
    return np.hstack([omega, motions.log_translation(omega, motions.rotate(back, to[:, :n] - q[:, :n]))])


def _slot_difference(form: Form, q: Array, to: Array) -> Array:
    if form != "circle":
        return to - q
    cosine = (q * to).sum(axis=1)
    return np.arctan2(q[:, 0] * to[:, 1] - q[:, 1] * to[:, 0], cosine)[:, None]


def _in_space(twist: Array) -> tuple[Array, Array]:
    """ω and v (batch, 3) of a motion [ω₃; v₁, v₂] in the plane (batch, 3)."""
    turn, slide = np.zeros((len(twist), 3)), np.zeros((len(twist), 3))
    turn[:, 2], slide[:, :2] = twist[:, 0], twist[:, 1:]
    return turn, slide


def _turned(angle: Array, x: Array) -> Array:
    """Vectors of the plane (batch, 2), turned by an angle (batch,)."""
    c, s = np.cos(angle), np.sin(angle)
    return np.stack([c * x[:, 0] - s * x[:, 1], s * x[:, 0] + c * x[:, 1]], axis=1)
