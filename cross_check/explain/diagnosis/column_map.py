"""How the columns of right data come from the columns of a file: each is one column of it, times a factor, some rows later.

Single defects of the columns of states are changes of such a map: rows, exchanged columns, units, and angles before a gear. The
map of the answers is solved for by least squares: a column y of the file is c times a right column t if y · t = |y| |t|. Then
t = (y · t / y · y) y. In words, it says what is wrong with the file, and what to do, one clause for each defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np

from cross_check.exchange.recorded_data.arrays import ROUNDINGS
from cross_check.exchange.recorded_data.columns import columns_of, units_of
from cross_check.exchange.recorded_data.recording import Recording
from cross_check.exchange.recorded_data.units import choices, to_si
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.plain_text import count, listing, one_line
from mechanisms.quantities import QUANTITIES

SAME = 1e-12
"""1 − cos² of columns that are equal but for rounding."""

SNAP = 1e-9
"""A factor that is so near to another one, in relation to it, is that one."""

DIGITS = 6
"""A factor is said with so many digits, if it is such a number."""

LATEST = 5
"""Rows are at most so many rows late or early."""

MOST_PERMUTED = 6
"""Of so many coordinates, all orders are tried; of more, exchanges of two."""

MOST_GEARED = 8
"""Of more coordinates, no gears are tried: there are too many ratios."""

RATIOS = 1.01 ** np.arange(5, 630)
"""The ratios of gears that are tried: the right one is nearer than half a percent to one of them."""


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


def has_one_number_each(mechanism: Mechanism) -> bool:
    """Whether every coordinate has one position, so that columns of q belong to columns of v."""
    return mechanism.nq == mechanism.nv and all(units_of(mechanism, "q"))


def moves(base: ColumnMap, mechanism: Mechanism, quantity: str, latest: int, has_orders: bool = True) -> Iterator[ColumnMap]:
    """The map with one more defect of its columns of states; with ``has_orders`` that may be another order of the columns.

    Rows are at most ``latest`` rows late or early.
    """
    arrays = _states(base, quantity)
    for some in (*((name,) for name in arrays), *combinations(arrays, 2)):
        own = [one.late for name in some for one in base[name]]
        for late in (k for k in range(-latest - min(own), latest + 1 - max(own)) if k):
            yield {**base, **{name: tuple(one._replace(late=one.late + late) for one in base[name]) for name in some}}
    if not has_one_number_each(mechanism):
        return
    for one, other in combinations(arrays, 2):
        yield {**base, one: base[other], other: base[one]}
    yield from _units(base, mechanism, arrays)
    for order in _orders(mechanism.nv) if has_orders else ():
        for some in (*((name,) for name in arrays), tuple(arrays)):
            yield {**base, **{name: tuple(base[name][k] for k in order) for name in some}}


def _states(base: ColumnMap, quantity: str) -> list[str]:
    return [name for name in ("q", "v", "a") if name in base and name != quantity]


def gears(base: ColumnMap, mechanism: Mechanism, quantity: str) -> Iterator[ColumnMap]:
    """The map with one joint whose position, or all of whose motion, is that of a motor before a gear."""
    arrays = _states(base, quantity)
    if not has_one_number_each(mechanism) or mechanism.nv > MOST_GEARED:
        return
    for k, some in product(range(mechanism.nv), (arrays[:1], arrays)):
        for ratio in (*RATIOS, *-RATIOS):
            yield scaled(base, {(name, k): (1 / ratio, "") for name in some})


def scaled(base: ColumnMap, factors: Mapping[tuple[str, int], tuple[float, str]]) -> ColumnMap:
    """The map with columns, each an array and a place in it, times a factor, which may be that of a unit."""

    def one(name: str, k: int, source: Source) -> Source:
        factor, unit = factors.get((name, k), (1.0, source.unit))
        return source._replace(factor=source.factor * factor, unit=unit)

    return {name: tuple(one(name, k, source) for k, source in enumerate(sources)) for name, sources in base.items()}


def _units(base: ColumnMap, mechanism: Mechanism, arrays: Sequence[str]) -> Iterator[ColumnMap]:
    """Other units: of all joints that turn, of all that slide, and of each joint."""
    si = {name: units_of(mechanism, name) for name in arrays}
    kinds = units_of(mechanism, "q")
    groups = {tuple(k for k, unit in enumerate(kinds) if unit == kind) for kind in kinds} | {(k,) for k in range(mechanism.nv)}
    for group in sorted(groups):
        for chosen in product(*(choices(si[name][group[0]]) for name in arrays)):
            units = {(name, k): unit for name, unit in zip(arrays, chosen, strict=True) for k in group if unit != si[name][k]}
            if units:
                yield scaled(base, {(name, k): (factor_of(unit, si[name][k]), unit) for (name, k), unit in units.items()})


@cache
def factor_of(unit: str, si: str) -> float:
    """How many ``si`` one ``unit`` has."""
    return float(to_si(np.ones(1), unit, si)[0])


def _orders(count: int) -> Iterable[tuple[int, ...]]:
    own = tuple(range(count))
    if count <= MOST_PERMUTED:
        return (order for order in permutations(own) if order != own)
    return (tuple(j if k == i else i if k == j else k for k in own) for i, j in combinations(own, 2))


def unlike(right: Array, given: Array, is_any: bool) -> Array:
    """How unlike the right columns (maps, rows, n) and the file's are: (maps, n). It is 1 − cos² of the nearest column.

    ``given`` (shifts, rows, n) are the file's columns, shifted by rows. With ``is_any`` each column may be any one, else its own.
    """
    return 1 - _alike(right, given, is_any).max(axis=(1, 3))


def _alike(right: Array, given: Array, is_any: bool) -> Array:
    """cos² of right columns i and columns j of the file: (maps, shifts, i, j); j is one column, i itself, without ``is_any``."""
    if is_any:
        products = np.einsum("cmi,smj->csij", right, given, optimize=True)
    else:
        products = np.einsum("cmi,smi->csi", right, given)[..., None]
    one, other = np.einsum("cmi,cmi->ci", right, right)[:, None, :, None], np.einsum("smj,smj->sj", given, given)
    other = other[None, :, None, :] if is_any else other[None, :, :, None]
    with np.errstate(all="ignore"):
        cos = products**2 / (one * other)
    # Zeros are like zeros, and like nothing else.
    return np.nan_to_num(np.where((one == 0) & (other == 0), 1.0, cos), nan=0.0, posinf=0.0)


def sources_of(
    name: str, right: Array, given: Array, shifts: Sequence[int], si: Sequence[str], is_any: bool
) -> tuple[Source, ...]:
    """The sources of the right answers (rows, n) in the file's columns (shifts, rows, n); none if two have one source.

    Of columns that are equally alike, that of the right place, of the right row, of the right size comes first.
    """
    alike = _alike(right[None], given, is_any)[0]
    found = []
    for i in range(right.shape[1]):
        off = 1 - alike[:, i]
        near = np.argwhere(off <= max(SAME, 4 * off.min()))
        s, j = min(near.tolist(), key=lambda at: ((at[1] != i) * is_any + (shifts[at[0]] != 0), abs(shifts[at[0]])))
        j = j if is_any else i
        y, t = given[s, :, j], right[:, i]
        factor, unit = _read(float(y @ t / (y @ y)) if y.any() else 1.0, max(0.0, float(off.min())) ** 0.5, si[j])
        found.append(Source(name, j, factor, unit, shifts[s]))
    return tuple(found) if len({source.column for source in found}) == len(found) else ()


def _read(factor: float, noise: float, si: str) -> tuple[float, str]:
    """The factor, and the unit that has it: one, that of a unit, or a number of few digits, if it is as near as the noise."""
    room = SNAP + 4 * noise
    for known, unit in ((1.0, ""), *((factor_of(unit, si), unit) for unit in choices(si)[1:])):
        if abs(factor / known - 1) <= room:
            return known, unit
    return short(factor, room), ""


def short(factor: float, room: float = SNAP) -> float:
    """The factor, or its inverse, as a number of few digits, if there is one nearby."""
    for number, inverse in ((factor, False), (1 / factor, True)):
        rounded = float(f"{number:.{DIGITS}g}")
        if abs(number / rounded - 1) <= room:
            return 1 / rounded if inverse else rounded
    return factor


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
