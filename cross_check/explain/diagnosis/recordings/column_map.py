"""How the columns of right data come from the columns of a file: each is one column of it, times a factor, some rows later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from cross_check.exchange.recorded_data.arrays import ROUNDINGS
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.memory import Array
from mechanisms.quantities import QUANTITIES


class Source(NamedTuple):
    """Where a column comes from: row k of it is ``factor`` times row k + ``late`` of the file's column."""

    array: str
    column: int
    factor: float = 1.0
    unit: str = ""
    """The unit of the file's column, if the factor is that of a unit."""
    late: int = 0


ColumnMap = Mapping[str, tuple[Source, ...]]
"""By array: the sources of its columns."""


def identity(arrays: Mapping[str, Array]) -> ColumnMap:
    """The map of a file without defects; ``arrays`` are (rows, columns)."""
    return {name: tuple(Source(name, k) for k in range(array.shape[1])) for name, array in arrays.items()}


def columns(arrays: Mapping[str, Array], sources: Sequence[Source], rows: Array) -> Array:
    """The columns (rows, columns) that come from these sources, at these rows."""
    found = np.empty((len(rows), len(sources)))
    for k, one in enumerate(sources):
        found[:, k] = one.factor * arrays[one.array][rows + one.late, one.column]
    return found


def mapped(recording: Recording, quantity: str, how: ColumnMap) -> Recording:
    """The recording with the columns that come from its own by the map. Rows that lack a source at either end are left out."""
    given = flat(recording, quantity)
    late = [source.late for sources in how.values() for source in sources]
    rows = np.arange(max(0, -min(late)), len(recording.numbers) - max(0, max(late)))
    arrays, slack = dict[str, Array](), dict[str, Array]()
    room = {name: recording.slack[name].reshape(array.shape) for name, array in given.items()}
    for name, sources in how.items():
        shape = (len(rows), *{**recording.states, **recording.answers}[name].shape[1:])
        numbers = columns(given, sources, rows)
        scaled = np.array([source.factor != 1 for source in sources])
        off = columns(room, [one._replace(factor=abs(one.factor)) for one in sources], rows)
        arrays[name] = numbers.reshape(shape)
        slack[name] = (off + scaled * ROUNDINGS * np.abs(np.nan_to_num(numbers))).reshape(shape)
    answers = {quantity: arrays.pop(quantity)}
    numbers_of = tuple(recording.numbers[k] for k in rows)
    return replace(recording, numbers=numbers_of, states=arrays, answers=answers, slack=slack, if_rounded={}, absent=(), notes=())


def flat(recording: Recording, quantity: str) -> dict[str, Array]:
    """The answers to the quantity, and the states that it depends on, (rows, columns)."""
    given = {**recording.states, quantity: recording.answers[quantity]}
    return {name: given[name].reshape(len(given[name]), -1) for name in (*QUANTITIES[quantity].arguments, quantity)}
