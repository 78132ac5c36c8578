"""Recorded data of one mechanism: its states, and the answers to quantities there, checked and in our order and units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cross_check.exchange.recorded_data.arrays import RecordedArrays, arrays_of
from cross_check.exchange.recorded_data.columns import STATE_ARRAYS, columns_of, shape_of
from cross_check.exchange.recorded_data.ranges import Range, gaps, merged, named, ranges_of, size
from cross_check.exchange.recorded_data.rows import DifferenceQuotient, distinct_rows, quotients_of, scatter_of, unit_circles
from cross_check.exchange.recorded_data.table import Table
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.limits import LARGEST
from mechanisms.numbers.precision import FLOAT64, Precision
from mechanisms.plain_text import one_line
from mechanisms.quantities import QUANTITIES

LARGEST_STATE = float(LARGEST)
"""The largest magnitude of a number of a state: with larger ones the truth may not be finite."""

LARGEST_NUMBER = 10**9
"""Of a state."""


@dataclass(frozen=True, eq=False)
class Recording:
    """States and answers, one entry for every state, batch first, in ascending order of the states' numbers."""

    numbers: tuple[int, ...]
    states: Mapping[str, Array]
    """By name: those of q, v, a, tau and f that the file has."""
    answers: Mapping[str, Array]
    """By quantity: those with columns in the file; NaN in states without an answer, infinite where the code gave no number."""
    slack: Mapping[str, Array]
    """By array: how far its numbers may be from those that were meant, because of how they were written and of their units."""
    if_rounded: Mapping[str, Array]
    """By array of states that is taken as exact though its numbers have few digits: the slack if they were rounded."""
    written: Mapping[str, str]
    """By array: how its numbers were written, such as "6 digits"; empty if exactly."""
    absent: Sequence[Range]
    """Numbers that should be there and have no row."""
    times: Array | None
    """The time of every state in seconds (states,); None if the file has none."""
    headers: Mapping[str, str]
    """By the name of a column: what the file calls it."""
    quotients: Sequence[DifferenceQuotient]
    """The arrays of states that are difference quotients."""
    scatter: Mapping[str, str]
    """By quantity whose answers scatter from row to row of one state, how much, in words. Their means are the answers."""
    notes: Sequence[str]
    """What was done to the file's numbers, and what it lacks, one sentence each."""

    def answered(self, quantity: str) -> Array:
        """Whether each state has an answer (states,)."""
        return np.asarray(_there(self.answers[quantity]).all(axis=1))

    @property
    def expected(self) -> int:
        """How many states there should be."""
        return len(self.numbers) + size(self.absent)

    def missing(self, quantity: str) -> list[Range]:
        """The numbers of the states without an answer."""
        there = self.answered(quantity)
        without = (number for number, is_there in zip(self.numbers, there, strict=True) if not is_there)
        return merged([*self.absent, *ranges_of(without)])

    def compared_words(self, quantity: str) -> str:
        """In how many states the quantity has an answer, in words; empty if in all."""
        missing = size(self.missing(quantity))
        if not missing:
            return ""
        there = self.expected - missing
        return f"compared in {there} of {self.expected} states; nothing is known of the others"

    def missing_words(self) -> list[tuple[str, str]]:
        """What states are missing: pairs of quantities, with commas between them, and a sentence that numbers the states."""
        groups: dict[tuple[Range, ...], list[str]] = {}
        for quantity in self.answers:
            groups.setdefault(tuple(self.missing(quantity)), []).append(quantity)
        return [
            (", ".join(names), f"{size(ranges)} of {self.expected} states have no recorded answer: {named(ranges)}")
            for ranges, names in groups.items()
            if ranges
        ]


def recording_of(table: Table, mechanism: Mechanism) -> Recording:
    """The table as data of this mechanism. Raises :class:`RecordedError`."""
    require_mechanism(table, mechanism)
    if not table.rows:
        raise table.error("it has no states", "write a row for every state")
    if (said := table.about.get("states_are")) not in (None, "exact", "rounded"):
        raise table.error(f"states_are is {one_line(said or '', 40)!r}", "say exact or rounded, or leave it out")
    read = arrays_of(table, mechanism)
    round_states(read, mechanism.precision)
    numbers = _numbers(table, read.numbers)
    require_states(table, mechanism, read.arrays, {"q": "every quantity"})
    scatter = scatter_of(read.arrays)
    twice: list[str] = []
    if scatter:
        rows = scatter.rows
        for name, mean in scatter.means.items():
            read.arrays[name], read.slack[name] = mean, read.slack[name] + scatter.room[name]
    else:
        rows, twice = distinct_rows(table, numbers, read.arrays)
    arrays, slack, if_rounded = (
        {name: array[rows].reshape(-1, *shape_of(mechanism, name)) for name, array in given.items()}
        for given in (read.arrays, read.slack, read.if_rounded)
    )
    times = None if read.times is None else read.times[rows]
    kept = tuple(range(len(rows))) if numbers is None or scatter else tuple(numbers[k] for k in rows)
    names = [table.rows[k] for k in rows]
    # JSON and NPZ that were cut off cannot be read.
    is_open = table.path.suffix.lower() == ".csv" and "states" not in table.about
    unseen = ["nothing says how many states there should be, so lost lines at the end go unseen; '# states: N' says it"]
    notes = [*(unseen if is_open else []), *read.notes, *twice, *unit_circles(mechanism, table, arrays["q"], slack["q"], names)]
    answers = {name: arrays[name] for name in QUANTITIES if name in arrays}
    for quantity, answer in answers.items():
        _require_whole(table, mechanism, quantity, answer, names)
    if not any(_there(answer).any() for answer in answers.values()):
        what = f"the columns of {', '.join(answers)} are empty" if answers else "it has no quantity, such as inverse_dynamics"
        raise table.error(what, "fill in the answers of your code")
    states = {name: arrays[name] for name in STATE_ARRAYS if name in arrays}
    absent = [] if scatter else _absent(table, kept, numbers is not None)
    quotients = tuple(quotients_of(states, slack, times))
    notes += [quotient.sentence for quotient in quotients]
    scattered = scatter.words(mechanism, len(table.rows)) if scatter else {}
    return Recording(
        kept, states, answers, slack, if_rounded, read.written, absent, times, read.headers, quotients, scattered, notes
    )


def round_states(read: RecordedArrays, precision: Precision) -> None:
    """Code of this precision has states of it alone: those nearest to the file's, where its text tells them from one another."""
    if precision == FLOAT64:
        return
    for name in (name for name in STATE_ARRAYS if name in read.arrays):
        x = read.arrays[name] = precision.nearest(read.arrays[name])
        for slack in (read.slack, read.if_rounded):
            if name in slack:
                slack[name] = np.where(slack[name] > precision.spacing(x), slack[name], 0.0)


def require_mechanism(table: Table, mechanism: Mechanism) -> None:
    """Raise :class:`RecordedError` if the table is about another mechanism. The fingerprint decides, else the name."""
    name, fingerprint = table.about.get("mechanism"), table.about.get("fingerprint")
    if fingerprint:
        if fingerprint != mechanism.fingerprint:
            of = f" ({one_line(name, 80)!r})" if name else ""
            said = f"it was recorded for a mechanism with the fingerprint {one_line(fingerprint, 40)}{of}"
            raise table.error(
                f"{said}, and {mechanism.name!r} has {mechanism.fingerprint}", "check the mechanism that was recorded"
            )
    elif name and name != mechanism.name:
        said = f"it was recorded for {one_line(name, 80)!r}, not for {mechanism.name!r}"
        raise table.error(said, "check the mechanism that was recorded")


def _numbers(table: Table, column: Array | None) -> list[int] | None:
    if column is None:
        return None
    for row, number in zip(table.rows, column, strict=True):
        if not (number == np.floor(number) and 0 <= number < LARGEST_NUMBER):
            raise table.error(f"{row}: the state's number is {number:g}", "give a whole number from 0 on")
    return [int(number) for number in column]


def _absent(table: Table, numbers: Sequence[int], are_given: bool) -> list[Range]:
    """The numbers that have no row: below the number of states that the file declares, else between the first and the last."""
    if not (said := table.about.get("states")):
        return gaps(numbers, numbers[0], numbers[-1]) if are_given else []
    if not (said.isascii() and said.isdigit() and 0 < len(said) < 11 and 0 < int(said) <= LARGEST_NUMBER):
        raise table.error(f"the number of states is {one_line(said, 40)!r}", "give a whole number, or leave it out")
    if numbers[-1] >= int(said):
        beyond = f"there is a state {numbers[-1]}, and {said} states are declared, counted from 0"
        raise table.error(beyond, "correct one of them")
    return gaps(numbers, 0, int(said) - 1)


def require_states(table: Table, mechanism: Mechanism, arrays: Mapping[str, Array], needed: Mapping[str, str]) -> None:
    """Every array that is ``needed`` (by name: what needs it), or that a quantity depends on, must be there, in every row.

    Raises :class:`RecordedError`.
    """
    for name in arrays:
        if name in QUANTITIES:
            needed = {**dict.fromkeys(QUANTITIES[name].arguments, name), **needed}
    for name, by in needed.items():
        if name not in arrays:
            column = columns_of(mechanism, name)[0]
            remedy = "add it; `dalembert states` writes states"
            raise table.error(f"it has no {name}, such as {one_line(column, 80)!r}, on which {by} depends", remedy)
    for name in (name for name in STATE_ARRAYS if name in arrays):
        if (holes := np.argwhere(~np.isfinite(arrays[name]))).size:
            k, column = int(holes[0][0]), columns_of(mechanism, name)[int(holes[0][1])]
            raise table.error(f"{table.rows[k]} has no {one_line(column, 80)!r}", "give every state whole")
        if (large := np.argwhere(np.abs(arrays[name]) > LARGEST_STATE)).size:
            k, n = map(int, large[0])
            said = f"{table.rows[k]}: {one_line(columns_of(mechanism, name)[n], 80)!r} is {arrays[name][k, n]:g}"
            raise table.error(said, f"give a magnitude of {LARGEST_STATE:.0e} at most")


def _require_whole(table: Table, mechanism: Mechanism, quantity: str, answer: Array, rows: Sequence[str]) -> None:
    """An answer has all of its cells or none. One of NaN is there, and has failed."""
    there = _there(answer)
    some = there.any(axis=1) & ~there.all(axis=1)
    if some.any():
        k = int(some.argmax())
        column = columns_of(mechanism, quantity)[int(there[k].argmin())]
        raise table.error(
            f"{rows[k]} has {there[k].sum()} of {there[k].size} numbers of {quantity}; {one_line(column, 80)!r} is empty",
            "give all numbers of an answer, or none",
        )


def _there(answer: Array) -> Array:
    """Whether each number of the answer is there: (states, numbers)."""
    return ~np.isnan(answer.reshape(len(answer), -1))
