"""What conditions on a state may speak of: a number or a yes or no of every state, and states in which it is set to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form

PARTS_OF_PI = {"π": np.pi, "π/2": np.pi / 2, "2π": 2 * np.pi, "π/4": np.pi / 4, "3π/2": 3 * np.pi / 2, "3π/4": 3 * np.pi / 4}
"""Angles at which code may branch."""

Set = Callable[[States, Array], States]
"""Given states and one value for each, the states with these values."""


@dataclass(frozen=True)
class Feature:
    """A number of every state. ``above`` and ``below`` are texts with a place for the threshold; empty if not to be used."""

    value: Callable[[States], Array]
    set: Set
    above: str = ""
    below: str = ""
    parts: tuple[int, ...] = ()
    """The numbers of a column that a feature of several is about."""
    of: Callable[[tuple[int, ...]], Feature] | None = None
    """The same feature of some of these numbers only."""


@dataclass(frozen=True)
class Flag:
    """A yes or no of every state. ``set`` is given ones for yes; other numbers are sizes of what must not be zero."""

    text: str
    value: Callable[[States], Array]
    set: Set


def features(m: Mechanism) -> Iterator[Feature]:
    """The simplest first: of all joints, then of every joint."""
    angles, distances = _slots(m, "angle"), _slots(m, "distance")
    every = [("v", list(range(m.nv)), "|v|"), ("a", list(range(m.nv)), "|a|")]
    for column, indices, name in (("q", angles, "angle |q|"), ("q", distances, "distance |q|"), *every):
        if len(indices) > 1:
            yield _of_several(m, column, tuple(indices), name, True)
            yield _of_several(m, column, tuple(indices), name, False)
    for joint, q in m.slots("quaternion"):
        w, turn = f"w of the quaternion of {joint.name!r}", f"the turn of {joint.name!r}"
        # The turn first, because it is set for both signs of w: what is true of w alone is not taken for it.
        yield Feature(_turn(q), _set_turn(q), f"{turn} > {{}} rad", f"{turn} < {{}} rad")
        yield Feature(_component("q", q.stop - 1), _set_w(q), f"{w} > {{}}", f"{w} < {{}}")
    names = {"q": m.positions, "v": m.coordinates, "a": m.coordinates}
    for column, indices in (("q", angles + distances), ("v", list(range(m.nv))), ("a", list(range(m.nv)))):
        for i in indices:
            of = f"{column} of {names[column][i]!r}"
            yield Feature(_component(column, i), _set_component(column, i), f"{of} > {{}}", f"{of} < {{}}")
            yield Feature(_largest(column, [i]), _set_largest(column, [i]), f"|{of}| > {{}}", f"|{of}| < {{}}")


def _of_several(m: Mechanism, column: str, indices: tuple[int, ...], name: str, largest: bool) -> Feature:
    """The largest magnitude of some coordinates, or the smallest that is not zero."""
    names = m.positions if column == "q" else m.coordinates
    own = [repr(names[k]) for k in indices]
    whole = len(own) == (len(_slots(m, name)) if column == "q" else m.nv)
    symbol = name.split()[-1]
    if len(own) == 1:
        words = f"|{column} of {own[0]}|"
    elif whole:
        words = f"any {name}"
    else:
        words = f"{symbol} of any of {', '.join(own)}"

    def of(some: tuple[int, ...]) -> Feature:
        return _of_several(m, column, some, name, largest)

    chosen = list(indices)
    if largest:
        return Feature(
            _largest(column, chosen),
            _set_largest(column, chosen),
            f"{words} > {{}}",
            f"{words.replace('any', 'every', 1)} < {{}}",
            indices,
            of,
        )
    return Feature(_smallest(column, chosen), _set_smallest(column, chosen), "", f"{words} < {{}} and not zero", indices, of)


def flags(m: Mechanism) -> Iterator[Flag]:
    """What is exactly zero."""
    positions = sorted(_slots(m, "angle") + _slots(m, "distance"))
    columns = (("v", list(range(m.nv)), m.coordinates), ("a", list(range(m.nv)), m.coordinates), ("q", positions, m.positions))
    for column, indices, _ in columns:
        if indices:
            yield _flag(f"{column} is exactly zero", column, indices, "all")
        if len(indices) > 1:
            yield _flag(f"any of {column} is exactly zero", column, indices, "any")
            yield _flag(f"just one of {column} is not zero", column, indices, "but one")
    for column, indices, names in columns:
        for i in indices if len(indices) > 1 else ():
            yield _flag(f"{column} of {names[i]!r} is exactly zero", column, [i], "all")


def equalities(m: Mechanism, states: States) -> Iterator[Feature]:
    """Whether an angle is exactly a part of π that occurs in the states, or its opposite. As a flag, each is one or zero."""
    angles = tuple(_slots(m, "angle"))
    sizes = np.unique(np.abs(states.q[:, angles]))
    yield from (_equal(m, angles, words, size) for words, size in PARTS_OF_PI.items() if size in sizes)


def _equal(m: Mechanism, indices: tuple[int, ...], words: str, size: float) -> Feature:
    """Whether the magnitude of any of the angles is this one. Where it is not to be, it gets larger by the value given."""
    names = [repr(m.positions[i]) for i in indices]
    whole = len(indices) == len(_slots(m, "angle"))
    which = "any angle |q|" if whole else f"|q| of {'any of ' if len(names) > 1 else ''}{', '.join(names)}"

    def value(s: States) -> Array:
        return np.asarray((np.abs(s.q[:, indices]) == size).any(axis=1))

    def change(s: States, values: Array) -> States:
        q = s.q.copy()
        own = q[:, indices]
        q[:, indices] = np.where(np.abs(own) == size, _signs(own) * (size + values[:, None]), own)
        rows, k = _chosen(len(s), list(indices))
        q[rows, k] = np.where(values == 1, _signs(q[rows, k]) * size, q[rows, k])
        return changed(s, "q", q)

    text = f"{which} is exactly {words}"
    return Feature(value, change, text, text, indices, lambda some: _equal(m, some, words, size))


def _flag(text: str, column: str, indices: list[int], which: str) -> Flag:
    """Whether all of the columns are zero, or any of them, or all but one."""

    def value(s: States) -> Array:
        zeros = (getattr(s, column)[:, indices] == 0).sum(axis=1)
        return {"all": zeros == len(indices), "any": zeros > 0, "but one": zeros == len(indices) - 1}[which]

    return Flag(text, value, _zero(column, indices, which))


def _slots(m: Mechanism, name: str) -> list[int]:
    """The places in q of all angles, or of all distances."""
    form: Form = "angle" if name.startswith("angle") else "distance"
    return [q.start for _, q in m.slots(form)]


def changed(states: States, column: str, x: Array) -> States:
    given: dict[str, Any] = {column: x}
    return replace(states, **given)


def _chosen(count: int, indices: list[int]) -> tuple[Array, Array]:
    """In every row another of the columns."""
    rows = np.arange(count)
    return rows, np.array(indices)[rows % len(indices)]


def _signs(x: Array) -> Array:
    return np.where(x < 0, -1.0, 1.0)


def _largest(column: str, indices: list[int]) -> Callable[[States], Array]:
    return lambda s: np.abs(getattr(s, column)[:, indices]).max(axis=1)


def _set_largest(column: str, indices: list[int]) -> Set:
    def change(s: States, values: Array) -> States:
        x = getattr(s, column).copy()
        x[:, indices] = np.clip(x[:, indices], -values[:, None], values[:, None])
        rows, own = _chosen(len(s), indices)
        x[rows, own] = _signs(x[rows, own]) * values
        return changed(s, column, x)

    return change


def _smallest(column: str, indices: list[int]) -> Callable[[States], Array]:
    def value(s: States) -> Array:
        x = np.abs(getattr(s, column)[:, indices])
        return np.where(x == 0, np.inf, x).min(axis=1)

    return value


def _set_smallest(column: str, indices: list[int]) -> Set:
    def change(s: States, values: Array) -> States:
        x = getattr(s, column).copy()
        x[:, indices] = _signs(x[:, indices]) * np.maximum(np.abs(x[:, indices]), values[:, None])
        rows, own = _chosen(len(s), indices)
        x[rows, own] = _signs(x[rows, own]) * values
        return changed(s, column, x)

    return change


def _component(column: str, i: int) -> Callable[[States], Array]:
    return lambda s: getattr(s, column)[:, i]


def _set_component(column: str, i: int) -> Set:
    def change(s: States, values: Array) -> States:
        x = getattr(s, column).copy()
        x[:, i] = values
        return changed(s, column, x)

    return change


def _set_w(q: slice) -> Set:
    def change(s: States, values: Array) -> States:
        x = s.q.copy()
        w = np.clip(values, -1, 1)
        x[:, q] = np.column_stack([np.sqrt(1 - w * w)[:, None] * _axis(x[:, q]), w])
        return changed(s, "q", x)

    return change


def _axis(quaternions: Array) -> Array:
    """The axes (batch, 3) of turns; a skew one for those that turn nothing."""
    length = np.linalg.norm(quaternions[:, :3], axis=1, keepdims=True)
    return np.where(length == 0, [[0.6, 0, 0.8]], quaternions[:, :3] / np.where(length == 0, 1, length))


def _turn(q: slice) -> Callable[[States], Array]:
    return lambda s: 2 * np.arctan2(np.linalg.norm(s.q[:, q][:, :3], axis=1), np.abs(s.q[:, q.stop - 1]))


def _set_turn(q: slice) -> Set:
    def change(s: States, values: Array) -> States:
        x = s.q.copy()
        w = _signs(x[:, q.stop - 1]) * np.cos(values / 2)
        x[:, q] = np.column_stack([np.sin(values / 2)[:, None] * _axis(x[:, q]), w])
        return changed(s, "q", x)

    return change


def _zero(column: str, indices: list[int], which: str) -> Set:
    """Where the value is one, the columns become zero as ``which`` says; elsewhere those that are zero get about this value."""

    def change(s: States, values: Array) -> States:
        x = getattr(s, column).copy()
        own = x[:, indices]
        yes = values == 1
        pattern = 1 + 0.3 * np.cos(np.arange(len(indices)) + 1.0)
        without = np.where(own == 0, values[:, None] * pattern, own)
        rows = np.arange(len(s))
        k = rows % len(indices)
        if which == "all":
            zeroed = np.zeros_like(own)
        elif which == "any":
            zeroed = without.copy()
            zeroed[rows, k] = 0
        else:
            zeroed = np.zeros_like(own)
            zeroed[rows, k] = np.where(own[rows, k] == 0, 0.7, own[rows, k])
        x[:, indices] = np.where(yes[:, None], zeroed, without)
        return changed(s, column, x)

    return change
