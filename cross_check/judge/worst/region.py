"""The region in which states are searched: that of the sampled ones.

A state is one row x (numbers,) that has the arguments of a quantity one after the other. Of each number, the sampled states have
a smallest and a largest magnitude. A searched number is zero or lies between the two. So no angle gets 10¹² rad, and no velocity
10⁻³⁰⁰ rad/s. Quaternions, and cosines with sines, have the length one, and angles that make M singular stay outside their band,
as in :mod:`cross_check.judge.comparison.kinds`. There one vector is tried after the other. A search needs many, so that they are
tried in batches: four float64 numbers have the length one well enough about once in three times, two once in two hundred. There
may be none very near a small turn.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any

import numpy as np

from cross_check.exchange.worst_states import shapes
from cross_check.judge.comparison.coarse_states import TRIES, of_unit_length
from cross_check.judge.comparison.kinds import outside_band
from cross_check.judge.comparison.sampling import States
from cross_check.memory import Array
from machine.arithmetic.double_double import two_sum
from machine.arithmetic.exact_product import dekker_product
from mechanisms import Mechanism
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import Quantity

SEARCHED = "searched"
"""The kind of the states that a search made."""


class Rows:
    """States of a ``mechanism`` as rows of the arguments of a ``quantity``."""

    def __init__(self, mechanism: Mechanism, quantity: Quantity) -> None:
        self.mechanism, self.names, self._shapes = mechanism, quantity.arguments, shapes(quantity, mechanism)

    @cached_property
    def columns(self) -> dict[str, slice]:
        """Where each argument stands in a row."""
        ends = np.cumsum([0, *(int(np.prod(self._shapes[name])) for name in self.names)]).tolist()
        return {name: slice(*ends[k : k + 2]) for k, name in enumerate(self.names)}

    def rows(self, states: States) -> Array:
        """The states as rows (batch, numbers)."""
        return np.concatenate([getattr(states, name).reshape(len(states), -1) for name in self.names], axis=1)

    def arguments(self, x: Array) -> dict[str, Array]:
        """The arguments (batch, …) in rows, by name."""
        return {name: x[:, own].reshape(len(x), *self._shapes[name]) for name, own in self.columns.items()}

    def states(self, x: Array) -> States:
        """The states of these rows."""
        return states_at(self.mechanism, self.arguments(x))


def states_at(mechanism: Mechanism, arguments: dict[str, Array]) -> States:
    """The states that have these ``arguments`` (batch, …); what a quantity does not take is zero."""
    count, n = len(arguments["q"]), mechanism.nv
    given: Any = {name: np.zeros((count, n)) for name in ("v", "a", "tau")} | {"f": np.zeros((count, len(mechanism.bodies), 6))}
    return States((SEARCHED,) * count, **given | arguments, numbers=tuple(range(count)), precision=mechanism.precision)


class Region(Rows):
    """The rows between those of ``sampled`` states."""

    def __init__(self, mechanism: Mechanism, quantity: Quantity, sampled: States) -> None:
        super().__init__(mechanism, quantity)
        size = np.abs(self.rows(sampled))
        self._top = size.max(axis=0)
        self._least = np.where(size > 0, size, np.inf).min(axis=0)

    @cached_property
    def angles(self) -> Array:
        """Where angles stand in a row: q is the first argument of every quantity."""
        return np.array([slot.start for _, slot in self.mechanism.slots("angle")], dtype=np.intp)

    @cached_property
    def _directions(self) -> list[slice]:
        """Where quaternions, and cosines with sines, stand in a row."""
        return [slot for _, slot in (*self.mechanism.slots("quaternion"), *self.mechanism.slots("circle"))]

    @cached_property
    def _singular(self) -> list[int]:
        """Where the angles stand that make M singular at odd quarter turns."""
        joints = zip(self.mechanism.bodies, self.mechanism.q_slices, strict=True)
        own = ((body.joint.description.singular_angle, at.start) for body, at in joints if body.joint.mimic is None)
        return [start + k for k, start in own if k is not None]

    def inside(self, x: Array, rng: np.random.Generator) -> Array:
        """The rows, moved into the region."""
        size = np.minimum(np.abs(x), self._top)
        x = np.where(size < self._least, 0.0, np.copysign(size, x))
        for k in self._singular:
            x[:, k] = [outside_band(angle) for angle in x[:, k].tolist()]
        precision = self.mechanism.precision
        for own in self._directions:
            for row in x[:, own]:
                row[:] = row if row.any() else np.eye(len(row))[-1]
                if precision == FLOAT64:
                    row[:] = unit_near(row, rng)
                elif abs((precision.rounded(row) ** 2).sum() - 1) > precision.epsilon / TRIES:
                    row[:] = of_unit_length(row, precision, rng)
        return precision.rounded(x)


SPREADS = (1e-13, 1e-9, 1e-6, 1e-3, 0.3)
"""The parts of itself by which each number may change, the least first. With the largest, some vectors have the length one."""

TRIED = {4: 16, 2: 256}
"""So many vectors are tried of each spread, by the number of numbers."""


def unit_near(direction: Array, rng: np.random.Generator) -> Array:
    """A vector (n,) of length one beside ``direction``, by the least of :data:`SPREADS` that has one. Zeros stay zeros."""
    n = len(direction)
    slack = sys.float_info.epsilon / (256 if n == 2 else 8)
    if abs(squares_beyond_one(direction[None])[0]) < slack:
        return direction
    while True:
        for spread in SPREADS:
            tried = direction * (1 + spread * rng.normal(size=(TRIED[n], n)))
            tried = tried / np.sqrt((tried**2).sum(axis=1, keepdims=True))
            good = np.flatnonzero(np.abs(squares_beyond_one(tried)) < slack)
            if len(good):
                return tried[good[0]]


def squares_beyond_one(x: Array) -> Array:
    """|x|² − 1 (batch,) of vectors (batch, n) with a length near one; it is off by much less than ε²."""
    high, low = dekker_product(x, x)
    total, rest = np.full(len(x), -1.0), low.sum(axis=1)
    for k in range(x.shape[1]):
        total, lost = two_sum(total, high[:, k])
        rest = rest + lost
    return total + rest
