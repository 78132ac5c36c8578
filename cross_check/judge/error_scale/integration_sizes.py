"""The sizes of q ⊕ dv, to ⊖ q and their derivatives.

docs/notes/error-scale.md derives the equations and numbers them. A joint whose velocity is the body's own turns by the angle θ
and slides by s = |v|. P is the length of the joint's translation at q, P' that at ``to``. α bounds the angles that are
subtracted: 1 for quaternions, 1 + |q₃| + |to₃| for the angle of a planar joint.

    q ⊕ dv          P + (1 + θ) s for distances     |e| (1 + θ) for a quaternion e      1 + |q₃| + |dv₁| for an angle   eq. 57
    by q, by dv     1 + θ in the diagonal blocks    (1 + θ) s below them                                               eq. 58
    to ⊖ q          α for turns                     (1 + θ) α (P + P') for slides                                      eq. 59
    by q, by to     (1 + θ) α in diagonal blocks    (1 + θ)² α (P + P') below them                                     eq. 60

The slots of other joints are sums: |q| + |dv|, |q| + |to|; 1 + |dv| and 1 for circles; 1 on the diagonal of derivatives.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cross_check.judge.error_scale.motion_magnitudes import Array, MotionMagnitudes
from mechanisms import Joint, Mechanism
from mechanisms.states import difference as difference_of


def integrate(bounds: MotionMagnitudes, q: Array, dv: Array) -> Array:
    """Eq. 57."""
    size = np.abs(q)
    for joint, at, own in _joints(bounds.mechanism):
        if joint.velocity_is_body_twist:
            n, (θ, s) = joint.description.distances, _turn_and_slide(joint, dv[:, own])
            here = q[:, at]
            size[:, at.start : at.start + n] = (_length(here[:, :n]) + (1 + θ) * s)[:, None]
            is_angle = joint.slots[-1].form == "angle"
            turned = 1 + np.abs(here[:, n]) + θ if is_angle else _length(here[:, n:]) * (1 + θ)
            size[:, at.start + n : at.stop] = turned[:, None]
            continue
        for slot in joint.slots:
            place, step = slice(at.start + slot.q.start, at.start + slot.q.stop), np.abs(dv[:, own][:, slot.v])
            size[:, place] = 1 + step if slot.form == "circle" else size[:, place] + step
    return size


def integrate_dq(bounds: MotionMagnitudes, q: Array, dv: Array) -> Array:
    """Eq. 58."""
    size = np.zeros((len(q), bounds.mechanism.nv, bounds.mechanism.nv))
    for joint, _, own in _joints(bounds.mechanism):
        θ, s = _turn_and_slide(joint, dv[:, own])
        size[:, own, own] = _blocks(joint, 1 + θ, (1 + θ) * s)
    return size


def integrate_dv(bounds: MotionMagnitudes, q: Array, dv: Array) -> Array:
    return integrate_dq(bounds, q, dv)


def difference(bounds: MotionMagnitudes, q: Array, to: Array) -> Array:
    """Eq. 59."""
    size = np.zeros((len(q), bounds.mechanism.nv))
    for joint, at, own in _joints(bounds.mechanism):
        if joint.velocity_is_body_twist:
            θ, α, apart = _read(bounds.mechanism, joint, at, own, q, to)
            turns = _turning(joint)
            size[:, own] = np.where(turns, α[:, None], ((1 + θ) * α * apart)[:, None])
            continue
        for slot in joint.slots:
            place = slice(at.start + slot.q.start, at.start + slot.q.stop)
            both = np.abs(q[:, place]) + np.abs(to[:, place])
            size[:, own.start + slot.v.start] = 1 if slot.form == "circle" else both[:, 0]
    return size


def difference_dq(bounds: MotionMagnitudes, q: Array, to: Array) -> Array:
    """Eq. 60."""
    size = np.zeros((len(q), bounds.mechanism.nv, bounds.mechanism.nv))
    for joint, at, own in _joints(bounds.mechanism):
        if joint.velocity_is_body_twist:
            θ, α, apart = _read(bounds.mechanism, joint, at, own, q, to)
            size[:, own, own] = _blocks(joint, (1 + θ) * α, (1 + θ) ** 2 * α * apart)
        else:
            size[:, own, own] = np.eye(joint.nv)
    return size


def difference_dto(bounds: MotionMagnitudes, q: Array, to: Array) -> Array:
    return difference_dq(bounds, q, to)


def _joints(mechanism: Mechanism) -> Iterator[tuple[Joint, slice, slice]]:
    """Every joint that has coordinates of its own, with its parts of q and v."""
    for body, at, own in zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True):
        if body.joint.mimic is None:
            yield body.joint, at, own


def _turning(joint: Joint) -> Array:
    return np.array([coordinate.turns for coordinate in joint.description.coordinates], dtype=bool)


def _turn_and_slide(joint: Joint, step: Array) -> tuple[Array, Array]:
    """θ and s (batch,); zero for a joint whose velocity is not the body's own."""
    turns = _turning(joint) if joint.velocity_is_body_twist else np.zeros(joint.nv, dtype=bool)
    slides = ~turns & joint.velocity_is_body_twist
    return _length(step[:, turns]), _length(step[:, slides])


def _read(mechanism: Mechanism, joint: Joint, at: slice, own: slice, q: Array, to: Array) -> tuple[Array, Array, Array]:
    """θ, α and P + P' (batch,)."""
    n, here, there = joint.description.distances, q[:, at], to[:, at]
    θ, _ = _turn_and_slide(joint, difference_of(mechanism, q, to)[:, own])
    angles = (np.abs(here[:, n]) + np.abs(there[:, n])) if joint.slots[-1].form == "angle" else 0 * θ
    return θ, 1 + angles, _length(here[:, :n]) + _length(there[:, :n])


def _blocks(joint: Joint, diagonal: Array, below: Array) -> Array:
    """The sizes (batch, nv, nv) of a joint's derivative: turns do not depend on slides."""
    turns = _turning(joint)
    if not joint.velocity_is_body_twist:
        return diagonal[:, None, None] * np.eye(joint.nv)
    same, mixed = turns[:, None] == turns, ~turns[:, None] & turns
    return np.where(same, diagonal[:, None, None], np.where(mixed, below[:, None, None], 0.0))


def _length(x: Array) -> Array:
    return np.linalg.norm(x, axis=1)
