"""The rows of a recorded file: none twice, and every cosine and sine of length one.

Answers may have been measured: the same state many times, each time with another answer. Then their mean is judged. Velocities
and accelerations may be difference quotients of other columns over the time, and not the derivatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from cross_check.exchange.recorded_data.columns import STATE_ARRAYS, columns_of, units_of
from cross_check.exchange.recorded_data.ranges import MOST_NAMED
from cross_check.exchange.recorded_data.table import RecordedError, Table
from cross_check.exchange.results.objects import SCATTERS
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.plain_text import one_line

FARTHEST = 1e-3
"""A cosine and a sine whose length is further from one belong to no angle."""


def distinct_rows(table: Table, numbers: Sequence[int] | None, arrays: Mapping[str, Array]) -> tuple[list[int], list[str]]:
    """The rows to keep, in ascending order of their numbers, and a sentence on those that occur twice.

    Raises :class:`RecordedError` if one number stands for two states, or if there are two answers in one state.
    """
    state = bytes_of_rows([array for name, array in arrays.items() if name in STATE_ARRAYS])
    whole = bytes_of_rows(list(arrays.values()))
    for name, array in arrays.items():
        if name not in STATE_ARRAYS:
            _require_one_answer(table, arrays, name, array, state)
    first_of = dict[int | bytes, int]()
    kept, twice = list[int](), list[str]()
    for k in range(len(table.rows)):
        same = first_of.setdefault(whole[k] if numbers is None else numbers[k], k)
        if whole[same] != whole[k]:
            raise _different(table, arrays, same, k, f"are both state {numbers[k] if numbers else same}")
        if same != k:
            twice.append(f"{table.rows[same]} and {table.rows[k]}")
        else:
            kept.append(k)
    if numbers is not None:
        kept.sort(key=lambda k: numbers[k])
    if not twice:
        return kept, []
    more = f" and {len(twice) - MOST_NAMED} more pairs" if len(twice) > MOST_NAMED else ""
    return kept, [f"rows that are the same were counted once: {'; '.join(twice[:MOST_NAMED])}{more}"]


def _require_one_answer(table: Table, arrays: Mapping[str, Array], name: str, answer: Array, state: Sequence[bytes]) -> None:
    """Rows of one state may differ in whether they have an answer, and not in the answer."""
    first_of, own = dict[bytes, int](), bytes_of_rows([answer])
    for k in np.flatnonzero(~np.isnan(answer).all(axis=1)).tolist():
        if own[first := first_of.setdefault(state[k], k)] != own[k]:
            raise _different(table, {name: arrays[name]}, first, k, "have the same state")


def _different(table: Table, arrays: Mapping[str, Array], one: int, other: int, what: str) -> RecordedError:
    """The error for two rows that must not differ."""
    where = next(name for name, array in arrays.items() if len(set(bytes_of_rows([array[[one, other]]]))) > 1)
    differ = f"{table.rows[one]} and {table.rows[other]} {what}, and they differ in {where}"
    return table.error(differ, "remove one of them")


def bytes_of_rows(arrays: Sequence[Array]) -> list[bytes]:
    """The bytes of every row of the arrays; equal numbers have equal bytes."""
    rows = np.concatenate(arrays, axis=1)
    # Adding zero turns −0 into 0.
    return [row.tobytes() for row in np.where(np.isnan(rows), np.nan, rows + 0.0)]


def unit_circles(mechanism: Mechanism, table: Table, q: Array, slack: Array, rows: Sequence[str]) -> list[str]:
    """Give every cosine and sine in q (states, nq) the length one, in place, and say so.

    Raises :class:`RecordedError` for those that belong to no angle, and for quaternions that are zero.
    """
    for joint, slot in mechanism.slots("quaternion"):
        if not (there := q[:, slot].any(axis=1)).all():
            where = f"{rows[int(np.argmin(there))]}: the quaternion of joint {one_line(joint.name, 80)!r} is zero"
            raise table.error(where, "give any other")
    largest = 0.0
    for joint, slot in mechanism.slots("circle"):
        length = np.hypot(*q[:, slot].T)
        off = np.abs(length - 1)
        if not (off <= FARTHEST).all():
            where = f"{rows[int(off.argmax())]}: the cosine and sine of joint {one_line(joint.name, 80)!r}"
            raise table.error(f"{where} have the length {length[off.argmax()]:.6g}", "give two numbers of length one")
        chosen = off > 4 * np.finfo(np.float64).eps
        q[chosen, slot] /= length[chosen, None]
        slack[chosen, slot] += off[chosen, None]
        largest = max(largest, float(off.max(initial=0.0)))
    if largest <= 4 * np.finfo(np.float64).eps:
        return []
    return [f"cosines and sines were given the length one, from which they were off by {largest:.1g} at most"]


LEAST = 20
"""Fewer further answers to states that have one do not show how much answers scatter: such a file contradicts itself."""

ERRORS = 6.0
"""The largest distance of a mean from the value that it estimates, in standard errors of the mean."""


class Scatter(NamedTuple):
    """The rows that stand for all rows of their states, the means of the answers, and how much single answers scatter."""

    rows: list[int]
    means: dict[str, Array]
    room: dict[str, Array]
    """By quantity: how far each mean may be from the right answer (rows, columns)."""
    deviations: dict[str, Array]
    """By quantity: the standard deviation of each column (columns,), from the answers to all states together."""

    def words(self, mechanism: Mechanism, count: int) -> dict[str, str]:
        """By quantity: how much its answers, in so many rows, scatter, column by column."""
        found = {}
        for name, deviations in self.deviations.items():
            labels, units = columns_of(mechanism, name), units_of(mechanism, name)
            each = [f"{s:.2g} {unit}".strip() + f" in {label}" for s, unit, label in zip(deviations, units, labels, strict=True)]
            more = f" and less in {len(each) - MOST_NAMED} more" if len(each) > MOST_NAMED else ""
            largest = [each[k] for k in sorted(np.argsort(-deviations, kind="stable")[:MOST_NAMED])]
            rows = f"in {count} rows of {len(self.rows)} states"
            found[name] = f"{SCATTERS} {one_line(', '.join(largest), 800)}{more}, {rows}; smaller faults cannot be seen"
        return found


def scatter_of(arrays: Mapping[str, Array]) -> Scatter | None:
    """The scatter of the answers in ``arrays``, which are (rows, columns) by name; None if no state was recorded often."""
    states = np.concatenate([array for name, array in arrays.items() if name in STATE_ARRAYS], axis=1) + 0.0
    answers = {name: array for name, array in arrays.items() if name not in STATE_ARRAYS}
    if not all(np.isfinite(array).all() for array in answers.values()):
        return None
    _, first, group, times = np.unique(states, axis=0, return_index=True, return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    further = len(states) - len(first)
    if further < LEAST:
        return None
    means, room, deviations = dict[str, Array](), dict[str, Array](), dict[str, Array]()
    for name, array in answers.items():
        sums = np.zeros((len(first), array.shape[1]))
        np.add.at(sums, group, array - array[first][group])
        means[name] = (array[first] + sums / times[:, None])[group]
        deviations[name] = np.sqrt(((array - means[name]) ** 2).sum(axis=0) / further)
        room[name] = ERRORS * deviations[name] / np.sqrt(times[group])[:, None]
    does = any(s.any() for s in deviations.values())
    return Scatter(sorted(first.tolist()), means, room, deviations) if does else None


FEWEST = 8
"""Fewer rows show nothing."""

SAME = 1e-8
"""A column is a difference quotient if it is so near to it, in relation to its largest number."""


class DifferenceQuotient(NamedTuple):
    """A column of rates that is a difference quotient."""

    rates: str
    of: str
    kind: str
    room: Array
    """How far it may be from the derivative (rows, columns), to the lowest order of the time step."""

    @property
    def sentence(self) -> str:
        late = {"backward": ", half a row late", "forward": ", half a row early"}.get(self.kind, "")
        return f"{self.rates} is the {self.kind} difference quotient of {self.of} over the time{late}"


def quotients_of(states: Mapping[str, Array], slack: Mapping[str, Array], times: Array | None) -> Iterator[DifferenceQuotient]:
    """The rates among ``states``, (rows, columns) by name, that are difference quotients; ``slack`` is theirs."""
    if times is None or len(times) < FEWEST or not (np.diff(times) > 0).all():
        return
    for of, rates in (("q", "v"), ("v", "a")):
        if of not in states or rates not in states or states[of].shape != states[rates].shape:
            continue
        x, given, inner = states[of], states[rates], slice(1, -1)
        one = np.diff(x, axis=0) / np.diff(times)[:, None]
        both = (x[2:] - x[:-2]) / (times[2:] - times[:-2])[:, None]
        step = np.diff(times).min()
        near = SAME * np.abs(given).max() + (2 * slack[of] / step + slack[rates]).max()
        if np.abs(one[1:] - one[:-1]).max() < 1000 * near:
            continue  # The kinds are one.
        half = np.abs(one[1:] - one[:-1]) / 2
        # The third derivative, from the second difference of the rates.
        third = np.abs(given[2:] - 2 * given[1:-1] + given[:-2]) / 6
        for kind, quotient, room in (("backward", one[:-1], half), ("forward", one[1:], half), ("central", both, third)):
            if np.abs(given[inner] - quotient).max() <= near:
                yield DifferenceQuotient(rates, of, kind, np.pad(room, ((1, 1), (0, 0)), mode="edge"))
