"""States that are taken wrongly: each function returns q, v, a, τ and f as wrong code understands them.

``state`` has those of the columns q (batch, nq), v, a, tau (batch, nv) and f (batch, bodies, 6) that a quantity needs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any

import numpy as np

from cross_check.memory import Array
from implementations.conventions.rates import classical
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form, Kind

State = dict[str, Array]

Wrong = Callable[[Mechanism, State], State]


def column(name: str, change: Callable[[Array], Array]) -> Wrong:
    """One column is changed, where it is given."""
    return lambda m, state: {**state, name: change(state[name])} if name in state else state


def exchanged(one: str, other: str) -> Wrong:
    """Two columns are exchanged, where both are given and equally long."""

    def wrong(m: Mechanism, state: State) -> State:
        if not (one in state and other in state and state[one].shape == state[other].shape):
            return state
        return {**state, one: state[other], other: state[one]}

    return wrong


def below(threshold: float) -> Callable[[Array], Array]:
    """Numbers below the threshold are zero."""
    return lambda x: np.where(np.abs(x) < threshold, 0, x)


def clipped(limit: float) -> Callable[[Array], Array]:
    return lambda x: np.clip(x, -limit, limit)


def single(x: Array) -> Array:
    return x.astype(np.float32).astype(np.float64)


def in_slots(form: Form, change: Callable[[Array], Array], kinds: tuple[Kind, ...] = ()) -> Wrong:
    """The parts of q of this form (batch, numbers) are changed."""

    def wrong(m: Mechanism, state: State) -> State:
        q = state["q"].copy()
        for joint, slot in m.slots(form):
            if not kinds or joint.kind in kinds:
                q[:, slot] = change(q[:, slot])
        return {**state, "q": q}

    return wrong


NUMBERS: dict[str, Callable[[Callable[[Array], Array]], Wrong]] = {
    "positions": partial(column, "q"),
    "angles": partial(in_slots, "angle"),
    "distances": partial(in_slots, "distance"),
    "velocities": partial(column, "v"),
    "accelerations": partial(column, "a"),
}
"""By what they are called: the functions that change all numbers of a sort."""


def at_joints(names: Collection[str], columns: str, change: Callable[[Array], Array]) -> Wrong:
    """Some of q, v and a are changed at the joints with these names."""

    def wrong(m: Mechanism, given: State) -> State:
        changed = {column: x.copy() if column in columns else x for column, x in given.items()}
        own = [k for k, body in enumerate(m.bodies) if body.joint.name in names]
        for column in given.keys() & {*columns}:
            slices = m.q_slices if column == "q" else m.v_slices
            for k in own:
                changed[column][:, slices[k]] = change(changed[column][:, slices[k]])
        return changed

    return wrong


def reversed_position(kind: Kind) -> Wrong:
    """Angles and distances have the other sign, and quaternions are conjugated."""

    def wrong(m: Mechanism, state: State) -> State:
        for form, signs in (("angle", [-1]), ("distance", [-1]), ("circle", [1, -1]), ("quaternion", [-1, -1, -1, 1])):
            state = in_slots(form, lambda x, signs=signs: x * signs, (kind,))(m, state)  # type: ignore[arg-type, misc]
        return state

    return wrong


def velocity_by(T: Callable[[Any, Any], Any]) -> Wrong:
    """v is T v in the eyes of the code, while a and τ are what they are; T as in :mod:`implementations.conventions.rates`."""
    return lambda m, state: {**state, "v": (T(m, state["q"]) @ state["v"][..., None])[..., 0]} if "v" in state else state


def velocity_turned(T: Callable[..., Any], *given: Any) -> Wrong:
    """The same, by a T with arguments of its own, which come first."""
    return velocity_by(partial(T, *given))


def negative(kind: Kind, m: Mechanism, q: Array) -> Array:
    """T (nv, nv) that gives the velocities of joints of this kind the opposite sign."""
    T = np.eye(m.nv)
    for body, own in zip(m.bodies, m.v_slices, strict=True):
        if body.joint.kind == kind:
            T[own, own] = -np.eye(body.joint.nv)
    return T


def classical_acceleration(m: Mechanism, state: State) -> State:
    """The acceleration of free joints is taken for p̈, which differs by ω × v."""
    if not {"v", "a"} <= state.keys():
        return state
    return {**state, "a": state["a"] + classical("free", m, state["q"], state["v"])}


def positive_w(e: Array) -> Array:
    """A quaternion whose w has lost its sign."""
    return np.column_stack([e[:, :3], np.abs(e[:, 3])])


def from_arccosine(e: Array) -> Array:
    """The turn is computed as 2 arccos w, which loses half of the digits of small turns."""
    half = np.arccos(np.clip(e[:, 3:], -1, 1))
    length = np.linalg.norm(e[:, :3], axis=1, keepdims=True)
    return np.column_stack([np.sin(half) * e[:, :3] / np.where(length == 0, 1, length), np.cos(half)])


def no_small_turn(smallest: float) -> Callable[[Array], Array]:
    """Turns below this size (rad) are none."""
    return lambda e: np.where(2 * np.linalg.norm(e[:, :3], axis=1, keepdims=True) < smallest, [0, 0, 0, 1], e)


def no_half_turn(e: Array) -> Array:
    """The axis is found by dividing by w, so that half turns have none."""
    return np.where(np.abs(e[:, 3:]) < 1e-6, [0, 0, 0, 1], e)


def where(names: Iterable[str], rows: Callable[[State], Array]) -> Wrong:
    """The columns of ``names`` are zero in the rows (batch,) for which a condition on the state holds."""

    def wrong(m: Mechanism, state: State) -> State:
        if not {"v", *names} <= state.keys():
            return state
        chosen = rows(state)[:, None]
        return {**state, **{name: np.where(chosen, 0, state[name]) for name in names}}

    return wrong


def one_velocity_is_zero(state: State) -> Array:
    v = state["v"]
    return np.logical_and(np.equal((v == 0).sum(axis=1), 1), v.shape[1] > 1)


def one_velocity_moves(state: State) -> Array:
    v = state["v"]
    return np.logical_and(np.equal((v != 0).sum(axis=1), 1), v.shape[1] > 1)


def at_rest(state: State) -> Array:
    return np.logical_not(state["v"].any(axis=1))


def unaccelerated(state: State) -> Array:
    return np.logical_not(state["a"].any(axis=1))


def kept(name: str, decimals: int | None) -> Wrong:
    """``name`` is that of the first state with the same q, or with q equal to so many decimals: a cache keyed by q."""

    def wrong(m: Mechanism, state: State) -> State:
        if name not in state:
            return state
        keys = state["q"] if decimals is None else np.round(state["q"], decimals)
        first: dict[bytes, int] = {}
        rows = [first.setdefault(key.tobytes(), k) for k, key in enumerate(keys + 0.0)]
        return {**state, name: state[name][rows]}

    return wrong


def only_first(coordinates: int) -> Wrong:
    """Coordinates beyond so many stand still."""

    def wrong(m: Mechanism, state: State) -> State:
        moving = np.arange(m.nv) < coordinates
        return {**state, **{name: state[name] * moving for name in ("v", "a", "tau") if name in state}}

    return wrong
