"""Moves that simplify the numbers of a state: zeros and ones, then numbers with few digits. The mechanism stays as it is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cross_check.explain.diagnosis.simpler_mechanisms import before
from cross_check.judge.comparison.sampling import Array, States
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form
from mechanisms.states import neutral

POSITIONS: dict[Form, tuple[tuple[float, ...], ...]] = {
    "angle": ((0,), (math.pi / 2,), (0.5,), (1,)),
    "distance": ((0,), (1,)),
    "circle": ((1, 0), (0, 1), (0.6, 0.8)),
    "quaternion": ((0, 0, 0, 1), (0.5, 0.5, 0.5, 0.5), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0.6, 0, 0, 0.8)),
}
"""The simplest positions, in order. Cosines, sines and quaternions have length one."""

RATES = (0.0, 1.0, -1.0)

DIGITS = (1, 2, 3)


def simpler_rates(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """v, a and forces on bodies: all zero, all one, all of magnitude one, then one number after the other."""
    for name in ("f", "a", "v"):
        column = getattr(state, name)
        for simpler in (np.zeros_like(column), np.ones_like(column), np.sign(column)):
            if np.array_equal(simpler, column):
                break
            yield mechanism, _with(state, name, simpler)
        for k, number in enumerate(column.ravel().tolist()):
            for value in before(number, RATES):
                yield mechanism, _with(state, name, _changed(column, k, value))


def simpler_positions(mechanism: Mechanism, state: States) -> Iterator[tuple[Mechanism, States]]:
    """q: all zero, then one slot after the other. Then the numbers of all columns are rounded."""
    yield mechanism, replace(state, q=neutral(mechanism)[None])
    for form, simplest in POSITIONS.items():
        for _, slot in mechanism.slots(form):
            now = state.q[0, slot]
            simpler: list[Sequence[float] | Array] = [*before(tuple(now), simplest)]
            if form in ("angle", "distance") and tuple(now) not in simplest:
                simpler += [rounded(now, digits) for digits in DIGITS]
            yield from ((mechanism, replace(state, q=_changed(state.q, slot, position))) for position in simpler)
    for name in ("v", "a", "f"):
        column = getattr(state, name)
        for digits in DIGITS:
            short = rounded(column, digits)
            for k in np.flatnonzero(short != column).tolist():
                yield mechanism, _with(state, name, _changed(column, k, short.flat[k]))


def _with(state: States, name: str, column: Array) -> States:
    changes: dict[str, Any] = {name: column}
    return replace(state, **changes)


def rounded(x: Array, digits: int) -> Array:
    """Each number with so many significant digits."""
    return np.vectorize(lambda x: float(f"{x:.{digits - 1}e}"), otypes=[float])(x)


def _changed(column: Array, part: int | slice, numbers: float | Sequence[float] | Array) -> Array:
    """``column``, with other numbers in a part of it, counted as if it were flat."""
    changed = column.copy()
    changed.reshape(-1)[part] = numbers
    return changed
