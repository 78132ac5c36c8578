"""Conditions on mechanisms and states, which flags of test vectors name; and some faults that show under them alone.

A condition on states gets the arguments of a quantity by name, batch first, and gives (batch,). A quantity that lacks an argument
does not meet a condition on it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cross_check.faults import wrong_states as ws
from cross_check.faults.wrong_mechanisms import nearest
from cross_check.memory import Array
from mechanisms import Mechanism, Rotation
from mechanisms.joint_kinds import Form, Kind
from mechanisms.numbers import dot

State = ws.State

Condition = Callable[[Mechanism, State], Array]

LOCKED = 1e-9
"""An angle whose cosine is smaller is a quarter turn, and one whose sine is smaller is none or a half turn."""


Test = Callable[[Array], Array]
"""A condition on one argument, or on the numbers of one slot: from (batch, numbers) to (batch,)."""


def some(name: str, test: Test) -> Condition:
    """An argument passes the test."""

    def condition(m: Mechanism, state: State) -> Array:
        given = state.get(name)
        return _never(state) if given is None else test(given.reshape(len(given), -1))

    return condition


def in_slots(form: Form, test: Test) -> Condition:
    """A slot of q of this form passes the test."""

    def condition(m: Mechanism, state: State) -> Array:
        rows = _never(state)
        for slot in ws.slots(m, form):
            rows |= test(state["q"][:, slot])
        return rows

    return condition


def rows_with(passes: Array) -> Array:
    """The rows (batch,) of an array (batch, numbers) that contain something true, or another number than zero."""
    return np.asarray(passes.any(axis=1))


def _never(state: State) -> Array:
    return np.zeros(len(state["q"]), dtype=bool)


# Which arguments are zero


def moves(state: State, name: str) -> Array:
    """The argument is there, and not zero."""
    return rows_with(state[name]) if name in state else _never(state)


def rates(v: bool, a: bool) -> Condition:
    """Just these of v and a are not zero, for quantities that have both."""

    def condition(m: Mechanism, state: State) -> Array:
        if not {"v", "a"} <= state.keys():
            return _never(state)
        return np.logical_and(np.equal(moves(state, "v"), v), np.equal(moves(state, "a"), a))

    return condition


def force_alone(m: Mechanism, state: State) -> Array:
    """v is zero, and τ is not."""
    return np.logical_and(np.logical_not(moves(state, "v")), moves(state, "tau"))


def with_v(rows: Callable[[State], Array]) -> Condition:
    """A condition on v."""
    return lambda m, state: rows(state) if "v" in state else _never(state)


def several_move(state: State) -> Array:
    return np.greater(np.count_nonzero(state["v"], axis=1), 1)


def at_rest(m: Mechanism, state: State) -> Array:
    """v is zero, and a is if the quantity depends on it. At given forces, nothing needs to stay at rest."""
    if "v" not in state or "tau" in state:
        return _never(state)
    return np.logical_not(np.logical_or(moves(state, "v"), moves(state, "a")))


def nothing_at_rest(m: Mechanism, quantity: str, state: State, answer: Array) -> Array:
    """The fault that every answer at rest is zero."""
    return np.where(at_rest(m, state).reshape(-1, *[1] * (answer.ndim - 1)), 0, answer)


def again(state: State) -> Array:
    """q is that of an earlier state, and v is not."""
    _, first = np.unique(state["q"], axis=0, return_inverse=True)
    earlier = [next(j for j in range(k + 1) if first[j] == first[k]) for k in range(len(first))]
    return rows_with(state["v"][earlier] != state["v"])


def nearly_again(m: Mechanism, state: State) -> Array:
    """q is nearly that of an earlier state, and differs from it: no number by more than a millionth."""
    steps = np.abs(state["q"][:, None] - state["q"][None, :]).max(axis=2)
    return rows_with(np.tril(np.logical_and(steps > 0, steps <= 1e-6)))


def is_long(x: Array) -> Array:
    """A number has more bits than float32."""
    return rows_with(x.astype(np.float32).astype(np.float64) != x)


def turns_and_slides(m: Mechanism, state: State) -> Array:
    """A free joint has ω × v, so that the acceleration of its body's origin is not v̇."""
    rows = _never(state)
    for _, own in ws.joints(m, "free") if {"v", "a"} <= state.keys() else ():
        v = state["v"][:, own]
        rows |= rows_with(np.cross(v[:, :3], v[:, 3:]))
    return rows


# How large numbers are, and turns


def below(smallest: float) -> Test:
    return lambda x: rows_with(np.logical_and(x != 0, np.abs(x) < smallest))


def above(limit: float) -> Test:
    return lambda x: rows_with(np.greater(np.abs(x), limit))


def is_quarter_turn(angle: Array) -> Array:
    return rows_with(np.less(np.abs(np.cos(angle)), LOCKED))


def is_half_turn(angle: Array) -> Array:
    return rows_with(np.logical_and(angle != 0, np.abs(np.sin(angle)) < LOCKED))


def is_small_turn(largest: float) -> Test:
    """A quaternion turns by less than this (rad), and not by zero."""
    return lambda e: np.logical_and(rows_with(e[:, :3]), 2 * np.linalg.norm(e[:, :3], axis=1) < largest)


def no_quarter_turn(angle: Array) -> Array:
    """The fault that quarter turns are none."""
    return np.where(np.abs(np.cos(angle)) < LOCKED, 0, angle)


def no_half_turn(angle: Array) -> Array:
    """The fault that half turns are none."""
    return np.where(np.abs(np.sin(angle)) < LOCKED, 0, angle)


def is_locked(m: Mechanism, state: State) -> Array:
    """An Euler joint is at gimbal lock, where M is singular."""
    return rows_with(np.less(np.abs(np.cos(state["q"][:, _second_angles(m)])), LOCKED))


def unlocked(m: Mechanism, state: State) -> State:
    """The fault that Euler joints are kept away from gimbal lock by a millionth."""
    q = state["q"].copy()
    for k in _second_angles(m):
        q[:, k] = np.where(np.abs(np.cos(q[:, k])) < LOCKED, q[:, k] * (1 - 1e-6), q[:, k])
    return {**state, "q": q}


def _second_angles(m: Mechanism) -> list[int]:
    """The indices in q of the angles that make M singular at ±90°."""
    joints = zip(m.bodies, m.q_slices, strict=True)
    return [q.start + k for body, q in joints if (k := body.joint.description.singular_angle) is not None]


# Mechanisms


def has_joint(kind: Kind) -> Callable[[Mechanism], bool]:
    return lambda m: any(body.joint.kind == kind for body in m.bodies)


def has_skew_axis(m: Mechanism) -> bool:
    return any(b.joint.description.has_axis and b.joint.axis != nearest(b.joint.axis) for b in m.bodies)


def has_turned_frame(m: Mechanism) -> bool:
    straight = Rotation.identity().matrix
    return any(body.joint.placement.rotation.matrix != straight for body in m.bodies)


def has_oblique_axes(m: Mechanism) -> bool:
    return any(b.joint.second_axis is not None and dot(b.joint.axis, b.joint.second_axis) != 0 for b in m.bodies)


def on_the_one_before(m: Mechanism, i: int) -> int:
    """The fault that every body hangs on the one before, but for those on the root."""
    return i - 1 if m.parents[i] >= 0 else -1
