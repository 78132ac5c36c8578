"""Positions that code has: the order of joints, of a quaternion's numbers, and of the parts of a free joint's position.

Positions q have any leading axes. Wrappers for users contain the text of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from implementations.conventions.declared import OF_SLOTS, Conventions
from mechanisms import Joint
from mechanisms.joint_kinds import SIZES, Slot


def in_slots(form: str, change: Callable[[Any], Any], mechanism: Any, q: Any) -> Any:
    """q (…, nq) with the numbers of every slot of this form changed."""
    q = np.array(q, dtype=np.result_type(q, float))
    for _, slot in mechanism.slots(form):
        q[..., slot] = change(q[..., slot])
    return q


def w_last(e: Any) -> Any:
    return np.roll(e, -1, axis=-1)


def w_first(e: Any) -> Any:
    return np.roll(e, 1, axis=-1)


def rotation_vector(e: Any) -> Any:
    """The axis times the angle (…, 3) of quaternions x y z w (…, 4) of any length; more than π where w is negative."""
    e = np.asarray(e, dtype=float)
    sine, cosine = np.linalg.norm(e[..., :3], axis=-1, keepdims=True), e[..., 3:]
    # Where the square of the sine underflows, so that there is no axis, any vector that short will do.
    return e[..., :3] * np.where(sine == 0, 2, 2 * np.arctan2(sine, cosine) / np.where(sine == 0, 1, sine))


def quaternion(vector: Any) -> Any:
    """Quaternions x y z w (…, 4) of rotation vectors (…, 3), of length one."""
    half = np.linalg.norm(np.asarray(vector, dtype=float), axis=-1, keepdims=True) / 2
    return np.concatenate([np.sinc(half / np.pi) / 2 * vector, np.cos(half)], axis=-1)


def orientation_moved(by: int, mechanism: Any, q: Any) -> Any:
    """q (…, nq) with the seven numbers of every free joint moved on by 4, so that its quaternion comes first, or back by −4."""
    q = np.array(q, dtype=np.result_type(q, float))
    for body, own in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "free":
            q[..., own] = np.roll(q[..., own], by, axis=-1)
    return q


def with_own_coordinates(mechanism: Any, order: Sequence[int]) -> list[int]:
    """The bodies of an order without those on mimic joints, which have no coordinates of their own."""
    return [i for i in order if mechanism.leaders[i] == i]


def coordinates_in_order(slices: Sequence[slice], order: Sequence[int]) -> list[int]:
    """The indices of the coordinates of joints in this order."""
    return [k for i in order for k in range(slices[i].start, slices[i].stop)]


def angle(circle: Any) -> Any:
    """Angles (…, 1) of cosines and sines (…, 2)."""
    return np.arctan2(circle[..., 1:], circle[..., :1])


def circle(angle: Any) -> Any:
    """Cosines and sines (…, 2) of angles (…, 1)."""
    return np.concatenate([np.cos(angle), np.sin(angle)], axis=-1)


class CodeForm(NamedTuple):
    """The numbers that code has for a slot: how many, and the functions that make them of ours, and ours of them."""

    size: int
    theirs: Callable[[Any], Any]
    ours: Callable[[Any], Any]


FORMS = {
    ("quaternion", "wxyz"): CodeForm(4, w_first, w_last),
    ("quaternion", "rotation vector"): CodeForm(3, rotation_vector, quaternion),
    ("continuous", "angle"): CodeForm(1, angle, circle),
}
"""By a convention and its value, where the numbers differ from ours."""


def form_of(slot: Slot, conventions: Conventions) -> CodeForm:
    """The numbers of a slot in code with these conventions."""
    for name, form in OF_SLOTS.items():
        if form == slot.form and (changed := FORMS.get((name, getattr(conventions, name)))):
            return changed
    return CodeForm(SIZES[slot.form], np.asarray, np.asarray)


def slots_in_order(joint: Joint, conventions: Conventions) -> Sequence[Slot]:
    """The slots of a joint, in the order in which code with these conventions has them."""
    first = "quaternion" if conventions.free_position == "quaternion first" else None
    return sorted(joint.slots, key=lambda slot: slot.form != first)
