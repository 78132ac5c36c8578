"""A map of columns in words: what is wrong with the file, and what to do, one clause for each defect."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.columns import columns_of, units_of
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.exchange.results.plain_text import count, listing, one_line
from cross_check.explain.diagnosis.recordings.column_map import SNAP, ColumnMap, Source, short
from cross_check.memory import Array
from mechanisms import Mechanism

MOST_NAMED = 4
"""So many columns are named."""


class Words:
    """``how`` is the map of the quantity's columns and of the states that it depends on."""

    def __init__(self, how: ColumnMap, recording: Recording, mechanism: Mechanism) -> None:
        self._how, self._recording, self._mechanism = how, recording, mechanism
        self._rows = len(recording.numbers)
        names = {name: columns_of(mechanism, name) for name in how}
        self._names = {name: [one_line(recording.headers.get(x, x), 80) for x in given] for name, given in names.items()}

    def clauses(self) -> list[str]:
        """One clause for each defect."""
        return [*self._exchanged(), *self._ordered(), *self._late(), *self._scaled()]

    def _exchanged(self) -> Iterator[str]:
        """Arrays that stand in each other's columns."""
        for name, sources in self._how.items():
            (other, *more) = {source.array for source in sources} or {name}
            if not more and name < other:
                yield f"the columns of {name} and of {other} are exchanged: exchange their names in the header"

    def _ordered(self) -> Iterator[str]:
        """Columns of an array that stand in each other's places."""
        orders = {name: tuple(source.column for source in sources) for name, sources in self._how.items()}
        for order, arrays in _groups(orders, lambda name: orders[name]).items():
            moved = [k for k, j in enumerate(order) if j != k]
            if len(moved) == 2:
                pairs = [" and ".join(self._names[name][k] for k in moved) for name in arrays]
                yield f"the columns {listing(pairs)} are exchanged: exchange their names in the header"
            elif moved:
                given = [self._names[arrays[0]][k] for k in np.argsort(order)]
                first = f"the columns of {listing(arrays)} have another order of joints"
                yield f"{first}: name the columns of {arrays[0]} in the order {', '.join(given)}" + (
                    ", and the others alike" if arrays[1:] else ""
                )

    def _late(self) -> Iterator[str]:
        """Columns whose rows are late or early."""
        late_ones = [source for source in self._sources if source.late]
        for late, sources in _groups(late_ones, lambda source: source.late).items():
            rows = count(abs(late), "row")
            seconds = f" ({abs(late) * self._period:.3g} s)" if self._period else ""
            when, sign, way = ("late", "−", "up") if late > 0 else ("early", "+", "down")
            of = f"row k has the numbers of the state in row k {sign} {abs(late)}"
            yield f"{self._columns(sources)} {when} by {rows}{seconds}: {of}; move the numbers {way} by {rows}"

    def _scaled(self) -> Iterator[str]:
        """Columns in other units, or of a motor before a gear."""
        scaled = [source for source in self._sources if abs(source.factor - 1) > SNAP]
        for (factor, is_unit), sources in _groups(scaled, lambda source: (source.factor, bool(source.unit))).items():
            name, k = sources[0].array, sources[0].column
            si = units_of(self._mechanism, name)[k]
            size, is_large = max(abs(factor), abs(1 / factor)), abs(factor) < 1
            sign = " and of the opposite sign" if factor < 0 else ""
            wrong = f"{size:.6g} times too {'large' if is_large else 'small'}{sign} in all {count(self._rows, 'row')}"
            declared = sources[0].unit or " ".join(filter(None, (_number(factor), si)))
            remedy = f"{'divide' if is_large else 'multiply'} by {np.copysign(size, factor):.6g}"
            remedy += f", or write {self._names[name][k]} [{declared}]{' and so on' if sources[1:] else ''} in the header"
            units = listing(list(dict.fromkeys(source.unit for source in sources)))
            gear = "an angle before a gear" if name == "q" else "a current or a force before a gear"
            said = f"in {units} ({wrong})" if is_unit else f"{wrong}, like {gear}"
            yield f"{self._columns(sources)} {said}: {remedy}"

    @property
    def _sources(self) -> list[Source]:
        return [source for sources in self._how.values() for source in sources]

    @property
    def _period(self) -> float:
        """The time from row to row in seconds; zero if the file has none."""
        times: Array | None = self._recording.times
        if times is None or len(times) < 2 or not (np.diff(times) > 0).all():
            return 0.0
        return float(np.median(np.diff(times)))

    def _columns(self, sources: Sequence[Source]) -> str:
        """The columns as the subject of a sentence, with its verb."""
        arrays = list(dict.fromkeys(source.array for source in sources))
        if len(sources) > 1 and len(sources) == sum(len(self._names[name]) for name in arrays):
            return f"all columns of {listing(arrays)} are"
        names = [self._names[source.array][source.column] for source in sources]
        if len(names) == 1:
            return f"column {names[0]} is"
        rest = len(names) - MOST_NAMED
        return f"columns {listing(names) if rest <= 0 else ', '.join(names[:MOST_NAMED]) + f' and {rest} more'} are"


def _groups(members: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    """The members by their keys, in their order."""
    found: dict[Any, list[Any]] = {}
    for one in members:
        found.setdefault(key(one), []).append(one)
    return found


def _number(factor: float) -> str:
    """The factor as it is declared in a header: with its digits, or as one over a whole number."""
    digits = repr(short(factor)).removesuffix(".0")
    whole = round(1 / factor)
    is_inverse = whole and abs(factor * whole - 1) <= SNAP
    return min(digits, f"{'-' * (whole < 0)}1/{abs(whole)}", key=len) if is_inverse else digits
