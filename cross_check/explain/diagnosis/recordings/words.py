"""A map of columns in words: what is wrong with the file, and what to do, one clause for each defect."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cross_check.exchange.recorded_data.columns import columns_of, units_of
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.exchange.results.plain_text import count, listing, one_line
from cross_check.explain.diagnosis.recordings.answers import SNAP, short
from cross_check.explain.diagnosis.recordings.column_map import ColumnMap, Source
from cross_check.memory import Array
from mechanisms import Mechanism

MOST_NAMED = 4
"""So many columns are named."""


class Words:
    """``how`` is the map of the quantity's columns and of the states that it depends on."""

    def __init__(self, how: ColumnMap, recording: Recording, mechanism: Mechanism, quantity: str) -> None:
        self._how, self._recording, self._mechanism, self._quantity = how, recording, mechanism, quantity
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
        groups: dict[tuple[int, ...], list[str]] = {}
        for name, sources in self._how.items():
            if (order := tuple(source.column for source in sources)) != tuple(range(len(sources))):
                groups.setdefault(order, []).append(name)
        for order, arrays in groups.items():
            moved = [k for k, j in enumerate(order) if j != k]
            if len(moved) == 2:
                pairs = [" and ".join(self._names[name][k] for k in moved) for name in arrays]
                yield f"the columns {listing(pairs)} are exchanged: exchange their names in the header"
            else:
                given = [self._names[arrays[0]][k] for k in np.argsort(order)]
                first = f"the columns of {listing(arrays)} have another order of joints"
                yield f"{first}: name the columns of {arrays[0]} in the order {', '.join(given)}" + (
                    ", and the others alike" if arrays[1:] else ""
                )

    def _late(self) -> Iterator[str]:
        """Columns whose rows are late or early."""
        groups: dict[int, list[tuple[str, int]]] = {}
        for source in self._sources():
            if source.late:
                groups.setdefault(source.late, []).append((source.array, source.column))
        for late, places in groups.items():
            rows = count(abs(late), "row")
            seconds = f" ({abs(late) * self._period:.3g} s)" if self._period else ""
            of = f"row k has the numbers of the state in row k {'−' if late > 0 else '+'} {abs(late)}"
            yield f"{self._columns(places)} {'late' if late > 0 else 'early'} by {rows}{seconds}: {of}; move the numbers " + (
                f"{'up' if late > 0 else 'down'} by {rows}"
            )

    def _scaled(self) -> Iterator[str]:
        """Columns in other units, or of a motor before a gear."""
        groups: dict[tuple[float, bool], list[Source]] = {}
        for source in self._sources():
            if abs(source.factor - 1) > SNAP:
                groups.setdefault((source.factor, bool(source.unit)), []).append(source)
        for (factor, is_unit), sources in groups.items():
            name, k = sources[0].array, sources[0].column
            si = units_of(self._mechanism, name)[k]
            size, is_large = max(abs(factor), abs(1 / factor)), abs(factor) < 1
            sign = " and of the opposite sign" if factor < 0 else ""
            wrong = f"{size:.6g} times too {'large' if is_large else 'small'}{sign} in all {count(self._rows, 'row')}"
            remedy = f"{'divide' if is_large else 'multiply'} by {np.copysign(size, factor):.6g}"
            declared = sources[0].unit or " ".join(filter(None, (_number(factor), si)))
            in_header = f"write {self._names[name][k]} [{declared}]{' and so on' if sources[1:] else ''} in the header"
            where = self._columns([(source.array, source.column) for source in sources])
            if is_unit:
                units = listing(list(dict.fromkeys(source.unit for source in sources)))
                yield f"{where} in {units} ({wrong}): {remedy}, or {in_header}"
            else:
                what = "an angle before a gear" if name == "q" else "a current or a force before a gear"
                yield f"{where} {wrong}, like {what}: {remedy}, or {in_header}"

    def _sources(self) -> list[Source]:
        return [source for sources in self._how.values() for source in sources]

    @property
    def _period(self) -> float:
        """The time from row to row in seconds; zero if the file has none."""
        times: Array | None = self._recording.times
        if times is None or len(times) < 2 or not (np.diff(times) > 0).all():
            return 0.0
        return float(np.median(np.diff(times)))

    def _columns(self, places: Sequence[tuple[str, int]]) -> str:
        """The columns at these places as the subject of a sentence, with its verb."""
        arrays = list(dict.fromkeys(name for name, _ in places))
        if len(places) > 1 and len(places) == sum(len(self._names[name]) for name in arrays):
            return f"all columns of {listing(arrays)} are"
        names = [self._names[name][k] for name, k in places]
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        return f"column{'s' * (len(names) > 1)} {listing(names) if not more else ', '.join(names[:MOST_NAMED]) + more} " + (
            "are" if len(names) > 1 else "is"
        )


def _number(factor: float) -> str:
    """The factor as it is declared in a header: with its digits, or as one over a whole number."""
    digits = repr(short(factor)).removesuffix(".0")
    whole = round(1 / factor)
    is_inverse = whole and abs(factor * whole - 1) <= SNAP
    return min(digits, f"{'-' * (whole < 0)}1/{abs(whole)}", key=len) if is_inverse else digits
