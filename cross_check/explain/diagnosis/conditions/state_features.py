"""What conditions on a state may speak of: a number or a yes or no of every state, and states in which it is set to a value."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form

_PARTS = (("π", 1), ("π/2", 1 / 2), ("2π", 2), ("π/4", 1 / 4), ("3π/4", 3 / 4), ("3π/2", 3 / 2))
PARTS_OF_PI = {words: k * np.pi for words, k in (*_PARTS, ("π/3", 1 / 3), ("2π/3", 2 / 3), ("π/6", 1 / 6), ("4π", 4))}
"""Angles at which code may branch, the most usual first."""

Indices = tuple[int, ...]


@dataclass(frozen=True)
class Feature:
    """A number of every state, or a yes or no: of some numbers of one column.

    ``above`` and ``below`` are texts with a place for the threshold, or for yes and for no; empty if not to be used.
    """

    column: str
    at: Indices
    measure: Callable[[Array], Array]
    """Of the numbers (batch, n): the feature (batch,)."""
    put: Callable[[Array, Array], Array]
    """Of the numbers (batch, n) and values (batch, 1): the numbers for which the feature has these values.

    Of a yes or no, 1 is yes; other values are sizes of what must not be zero, or not be equal.
    """
    above: str = ""
    below: str = ""
    is_flag: bool = False
    """Whether it is a yes or no."""
    of: Callable[[Indices], Feature] | None = None
    """The same feature of some of these numbers only."""

    def value(self, states: States) -> Array:
        """The feature of every state (batch,)."""
        return np.asarray(self.measure(getattr(states, self.column)[:, list(self.at)]))

    def set(self, states: States, values: Array) -> States:
        """The states with these values (batch,)."""
        x = getattr(states, self.column).copy()
        x[:, list(self.at)] = self.put(x[:, list(self.at)], values[:, None])
        changed: dict[str, Any] = {self.column: x}
        return replace(states, **changed)


def features(m: Mechanism, states: States) -> Iterator[Feature]:
    """The simplest first: what is exactly zero, or a part of π; numbers of all joints, then of every joint.

    Parts of π are those that occur in the ``states``.
    """
    angles, distances = _slots(m, "angle"), _slots(m, "distance")
    rates = tuple(range(m.nv))
    names = {"q": m.positions, "v": m.coordinates, "a": m.coordinates}
    columns = (("v", rates), ("a", rates), ("q", tuple(sorted(angles + distances))))
    for column, indices in columns:
        yield from (_zeros(column, indices, which) for which in ZEROS if len(indices) > 1 or (which == "all" and indices))
    for column, indices in columns:
        yield from (_zeros(column, (i,), "all", f"{column} of {names[column][i]!r}") for i in indices if len(indices) > 1)
    sizes = np.unique(np.abs(states.q[:, angles]))
    yield from (_part_of_pi(m, words, size, angles) for words, size in PARTS_OF_PI.items() if size in sizes)
    for column, indices, name in (
        ("q", angles, "angle |q|"),
        ("q", distances, "distance |q|"),
        ("v", rates, "|v|"),
        ("a", rates, "|a|"),
    ):
        if len(indices) > 1:
            yield from (_of_several(m, column, indices, name, is_largest) for is_largest in (True, False))
    for joint, q in m.slots("quaternion"):
        yield from _of_turn(joint.name, tuple(range(q.start, q.stop)))
    for column, indices in (("q", angles + distances), ("v", rates), ("a", rates)):
        for i in indices:
            of = f"{column} of {names[column][i]!r}"
            yield Feature(column, (i,), lambda x: x[:, 0], lambda x, values: values, f"{of} > {{}}", f"{of} < {{}}")
            yield Feature(column, (i,), _largest, _put_largest, f"|{of}| > {{}}", f"|{of}| < {{}}")


def _of_several(m: Mechanism, column: str, indices: Indices, name: str, is_largest: bool) -> Feature:
    """The largest magnitude of some coordinates, or the smallest that is not zero."""
    names = m.positions if column == "q" else m.coordinates
    own = [repr(names[k]) for k in indices]
    whole = len(own) == (len(_slots(m, name)) if column == "q" else m.nv)
    if len(own) == 1:
        words = f"|{column} of {own[0]}|"
    elif whole:
        words = f"any {name}"
    else:
        words = f"{name.split()[-1]} of any of {', '.join(own)}"

    of = partial(_of_several, m, column, name=name, is_largest=is_largest)
    if is_largest:
        below = f"{words.replace('any', 'every', 1)} < {{}}"
        return Feature(column, indices, _largest, _put_largest, f"{words} > {{}}", below, of=of)
    return Feature(column, indices, _smallest, _put_smallest, "", f"{words} < {{}} and not zero", of=of)


def _of_turn(joint: str, at: Indices) -> Iterator[Feature]:
    """The turn of a quaternion first, because it is set for both signs of w: what is true of w alone is not taken for it."""
    turn, w = f"the turn of {joint!r}", f"w of the quaternion of {joint!r}"

    def angle(x: Array) -> Array:
        return 2 * np.arctan2(np.linalg.norm(x[:, :3], axis=1), np.abs(x[:, 3]))

    def put_angle(x: Array, values: Array) -> Array:
        return np.hstack([np.sin(values / 2) * _axis(x), _signs(x[:, 3:]) * np.cos(values / 2)])

    def put_w(x: Array, values: Array) -> Array:
        w = np.clip(values, -1, 1)
        return np.hstack([np.sqrt(1 - w * w) * _axis(x), w])

    yield Feature("q", at, angle, put_angle, f"{turn} > {{}} rad", f"{turn} < {{}} rad")
    yield Feature("q", at, lambda x: x[:, 3], put_w, f"{w} > {{}}", f"{w} < {{}}")


ZEROS = {
    "all": ("{} is exactly zero", "{} is not zero"),
    "any": ("any of {} is exactly zero", "none of {} is exactly zero"),
    "but one": ("just one of {} is not zero", "more than one of {} is not zero"),
}
"""Which numbers of several are zero, in words that say so and that deny it."""


def _zeros(column: str, indices: Indices, which: str, of: str = "") -> Feature:
    yes, no = (words.format(of or column) for words in ZEROS[which])
    return _equal(column, indices, which, yes, no)


def _part_of_pi(m: Mechanism, words: str, size: float, indices: Indices) -> Feature:
    """Whether any of the angles is this one, to either side."""
    names = [repr(m.positions[i]) for i in indices]
    which = f"|q| of {'any of ' if len(names) > 1 else ''}{', '.join(names)}"
    which = "any angle |q|" if len(indices) == len(_slots(m, "angle")) else which
    return replace(_equal("q", indices, "any", f"{which} is exactly {words}", size=size), of=partial(_part_of_pi, m, words, size))


def _equal(column: str, indices: Indices, which: str, yes: str, no: str = "", size: float = 0.0) -> Feature:
    """Whether the magnitudes of all of the numbers are this one, or of any of them, or of all but one.

    Where they are not to be, they get larger by the values given.
    """
    n = len(indices)
    fewest, most = {"all": (n, n), "any": (1, n), "but one": (n - 1, n - 1)}[which]

    def measure(x: Array) -> Array:
        equal = (np.abs(x) == size).sum(axis=1)
        return (fewest <= equal) & (equal <= most)

    def put(x: Array, values: Array) -> Array:
        other = size + values * (1 + 0.3 * np.cos(np.arange(n) + 1.0))
        without, equal = np.where(np.abs(x) == size, _signs(x) * other, x), _signs(x) * size
        made = {"all": equal, "any": _in_one(without, equal), "but one": _in_one(equal, np.where(x == equal, 0.7, x))}[which]
        return np.where(values == 1, made, without)

    return Feature(column, indices, measure, put, yes, no, is_flag=True)


def _slots(m: Mechanism, name: str) -> Indices:
    """The places in q of all angles, or of all distances."""
    form: Form = "angle" if name.startswith("angle") else "distance"
    return tuple(q.start for _, q in m.slots(form))


def _in_one(x: Array, other: Array) -> Array:
    """The numbers (batch, n), of which in every row another one is that of ``other``."""
    n = x.shape[1]
    return np.where(np.arange(n) == np.arange(len(x))[:, None] % n, other, x)


def _signs(x: Array) -> Array:
    return np.where(x < 0, -1.0, 1.0)


def _largest(x: Array) -> Array:
    return np.abs(x).max(axis=1)


def _put_largest(x: Array, values: Array) -> Array:
    x = np.clip(x, -values, values)
    return _in_one(x, _signs(x) * values)


def _smallest(x: Array) -> Array:
    """The smallest magnitude that is not zero; infinite if all are."""
    return np.where(x == 0, np.inf, np.abs(x)).min(axis=1)


def _put_smallest(x: Array, values: Array) -> Array:
    x = _signs(x) * np.maximum(np.abs(x), values)
    return _in_one(x, _signs(x) * values)


def _axis(quaternions: Array) -> Array:
    """The axes (batch, 3) of turns; a skew one for those that turn nothing."""
    length = np.linalg.norm(quaternions[:, :3], axis=1, keepdims=True)
    return np.where(length == 0, [[0.6, 0, 0.8]], quaternions[:, :3] / np.where(length == 0, 1, length))
