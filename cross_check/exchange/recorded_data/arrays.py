"""Columns put together to arrays: in the order of the mechanism, in SI units, each array whole."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cross_check.exchange.recorded_data.columns import (
    NOT_RECORDED,
    NUMBER,
    STATE_ARRAYS,
    TIMES,
    axes_of,
    columns_of,
    orders_of,
    ours,
    seconds_of,
    shape_of,
    split_unit,
    units_of,
    unnamed,
)
from cross_check.exchange.recorded_data.number_text import PRECISE, WrittenForm, written
from cross_check.exchange.recorded_data.table import Table
from cross_check.exchange.recorded_data.units import choices, plain, to_si
from cross_check.memory import Array
from mechanisms import Mechanism
from mechanisms.plain_text import one_line
from mechanisms.quantities import INTEGRATION, QUANTITIES

ROUNDINGS = 2.0**-52
"""A converted number and the one that code converted may differ by so much, relative to their size."""

CHOSEN = 10
"""Nobody chooses states of so many digits: they were rounded."""


@dataclass
class RecordedArrays:
    """The arrays of a table by name, each (states, numbers): NaN where there is none."""

    numbers: Array | None = None
    """The column of the states' numbers."""
    times: Array | None = None
    """The time of every row in seconds; None if the file has none."""
    headers: dict[str, str] = field(default_factory=dict)
    """By the name of a column: what the file calls it, without its unit."""
    arrays: dict[str, Array] = field(default_factory=dict)
    slack: dict[str, Array] = field(default_factory=dict)
    """How far each number may be from the one that was meant."""
    if_rounded: dict[str, Array] = field(default_factory=dict)
    """The slack of the arrays of states that are taken as exact, if they were rounded instead."""
    written: dict[str, str] = field(default_factory=dict)
    """How the numbers of an array were written; empty if exactly."""
    digits: dict[str, int] = field(default_factory=dict)
    """The most significant digits of a number of an array; of states, of those that were rounded."""
    converted: dict[str, Array] = field(default_factory=dict)
    """The part of the slack that comes from the conversion of units."""
    notes: list[str] = field(default_factory=list)


def arrays_of(table: Table, mechanism: Mechanism) -> RecordedArrays:
    """All arrays of the table. Raises :class:`RecordedError`."""
    names = (*table.blocks, *(split_unit(header)[0].partition(".")[0] for header in table.columns))
    if integrated := next((name for name in names if name in INTEGRATION), ""):
        raise table.error(f"it has {integrated}, and {NOT_RECORDED}", "check code that runs, or leave it out")
    read = RecordedArrays()
    groups: dict[str, dict[str, tuple[str, str]]] = {}
    known: dict[str, frozenset[str]] = {}
    blocks = dict(table.blocks)
    renamed = _names(read, table, mechanism)
    for header in table.columns:
        name, unit = split_unit(renamed.get(header, header))
        array = name.partition(".")[0]
        if name == NUMBER and not unit:
            read.numbers = table.columns[header]
            continue
        if (seconds := seconds_of(renamed.get(header, header))) is not None:
            read.times = seconds * table.columns[header]
            continue
        if array not in (*STATE_ARRAYS, *QUANTITIES):
            raise table.error(_unknown(header, [NUMBER, *STATE_ARRAYS, *QUANTITIES]), "rename it or leave it out")
        columns = groups.setdefault(array, {})
        if array not in known:
            known[array] = frozenset(columns_of(mechanism, array))
        if header in known[array]:
            name, unit = header, ""  # A joint may be called "e [deg]".
        if name in columns:
            raise table.error(f"the column {one_line(name, 80)!r} occurs twice", "remove one of them")
        columns[name] = (header, unit)
        read.headers[name] = split_unit(header)[0] if unit else header
    _take_forces_as_answers(read, groups, blocks)
    for array, columns in groups.items():
        if array in blocks:
            raise table.error(f"it has {array} as one array and as columns", "give one of them")
        _add_columns(read, table, mechanism, array, columns)
    for array, block in blocks.items():
        _add_block(read, table, mechanism, array, block)
    _take_states_as_exact(read, table.about.get("states_are"))
    return read


def _names(read: RecordedArrays, table: Table, mechanism: Mechanism) -> dict[str, str]:
    """By header: the header in our names, where it is another one."""
    if table.has_names:
        return ours(table.columns, mechanism)
    if not (names := unnamed(mechanism, len(table.columns))):
        said = f"it has no header, and {len(table.columns)} columns; q, v, a and tau are {mechanism.nq + 3 * mechanism.nv}"
        raise table.error(said, "name the columns in the first line")
    first = "t, " if names[0] == TIMES[0] else ""
    read.notes.append(f"the file names no columns: they were taken as {first}q, v, a and tau")
    return dict(zip(table.columns, names, strict=True))


def _take_forces_as_answers(read: RecordedArrays, groups: dict[str, Any], blocks: dict[str, Array]) -> None:
    """In a file with accelerations and without a quantity, tau is the answer to inverse dynamics."""
    given = {*groups, *blocks}
    if "a" not in given or "tau" not in given or given & {*QUANTITIES}:
        return
    answer = "inverse_dynamics"
    for place in (groups, blocks):
        if "tau" in place:
            place[answer] = place.pop("tau")
    if answer in groups:
        groups[answer] = {name.replace("tau", answer, 1): given for name, given in groups[answer].items()}
        read.headers |= {name: split_unit(header)[0] if unit else header for name, (header, unit) in groups[answer].items()}
    read.notes.append("tau was taken as the answer to inverse_dynamics, because the file has a and no quantity")


def _add(read: RecordedArrays, array: str, numbers: Array, how: WrittenForm, converted: Array) -> None:
    """Add the array. ``how`` and ``converted`` have the slack, in SI units, that comes from text and from conversion."""
    read.arrays[array], read.slack[array] = numbers, how.half + converted
    read.written[array], read.converted[array] = how.words, converted
    read.digits[array] = how.digits if array in QUANTITIES else how.rounded


def _take_states_as_exact(read: RecordedArrays, said: str | None) -> None:
    """Leave no slack to states that are exact: the file says so, or they have few digits and some answers have many.

    Nobody can see whether short numbers were chosen or rounded. If they were chosen, slack would hide wrong terms of its size.
    """
    are_precise = any(read.digits[array] >= PRECISE for array in read.arrays if array in QUANTITIES)
    for array in (array for array in STATE_ARRAYS if read.written.get(array)):
        if said == "exact" or (said is None and are_precise and read.digits[array] < CHOSEN):
            if said is None:
                read.if_rounded[array] = read.slack[array]
            else:
                read.written[array] = ""
            read.slack[array] = read.converted[array]


def _unknown(header: str, known: Sequence[str]) -> str:
    name = split_unit(header)[0]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
    hint = f"did you mean {one_line(near[0], 80)!r}?" if near else f"columns are such as {one_line(known[-1], 80)!r}"
    return f"there is no column {one_line(header, 80)!r} ({hint})"


def _add_columns(
    read: RecordedArrays, table: Table, mechanism: Mechanism, array: str, columns: Mapping[str, tuple[str, str]]
) -> None:
    names = columns_of(mechanism, array)
    if len(set(names)) < len(names):
        raise table.error(f"two columns of {array} of {mechanism.name!r} have one name", "use NPZ with whole arrays")
    known = frozenset(names)
    if strange := next((name for name in columns if name not in known), None):
        raise table.error(f"{mechanism.name!r} has none: {_unknown(strange, names)}", "rename it or leave it out")
    if lacking := [name for name in names if name not in columns]:
        more = f" and {len(lacking) - 1} more of {array}" if len(lacking) > 1 else ""
        raise table.error(f"the column {one_line(lacking[0], 80)!r} is missing{more}", f"add it, or leave {array} out")
    numbers = np.stack([table.columns[columns[name][0]] for name in names], axis=1) if names else np.empty((len(table.rows), 0))
    how = written(numbers)
    half, off, converted = how.half, np.zeros(numbers.shape), dict[str, None]()
    for k, (name, si) in enumerate(zip(names, units_of(mechanism, array), strict=True)):
        if not (unit := plain(columns[name][1])) or unit == si:
            continue
        try:
            numbers[:, k] = to_si(numbers[:, k], unit, si)
        except KeyError:
            known_units = ", ".join(choices(si)) or "none, because it has one unit only"
            raise table.error(
                f"the unit [{one_line(columns[name][1], 40)}] of {one_line(name, 80)!r} is not one of: {known_units}",
                "convert the column",
            ) from None
        half[:, k], off[:, k] = to_si(half[:, k], unit, si), ROUNDINGS * np.nan_to_num(np.abs(numbers[:, k]))
        converted[f"from {unit} to {si}"] = None
    if converted:
        read.notes.append(f"{array} was converted {' and '.join(converted)}")
    _add(read, array, numbers, how, off)


def _add_block(read: RecordedArrays, table: Table, mechanism: Mechanism, array: str, block: Array) -> None:
    expected = (len(table.rows), *shape_of(mechanism, array))
    if block.shape != expected:
        raise table.error(f"the array {array!r} has the shape {block.shape}, not {expected}", "give it this shape")
    for axis, order in enumerate(_orders(table, mechanism, array), 1):
        if order is not None:
            block = np.take(block, order, axis)
    numbers = np.array(block.reshape(len(block), -1))
    _add(read, array, numbers, written(numbers), np.zeros(numbers.shape))


def _orders(table: Table, mechanism: Mechanism, array: str) -> Iterator[list[int] | None]:
    """For every axis of the array: where our entries stand in the file, or None if all such arrays have the same order."""
    for what, entries in zip(orders_of(array), axes_of(mechanism, array), strict=True):
        if not what:
            yield None
            continue
        if what == "positions" and mechanism.positions == mechanism.coordinates and what not in table.orders:
            what = "coordinates"
        if (given := table.orders.get(what)) is None:
            raise table.error(f"it has no array {what!r} with the names that order {array!r}", "add it")
        if sorted(given) != sorted(entries):
            wrong = next((name for name in given if name not in entries), "")
            hint = f", such as {one_line(wrong, 80)!r}" if wrong else ""
            raise table.error(f"the names in {what!r} are not those of {mechanism.name!r}{hint}", "correct them")
        place = {name: k for k, name in enumerate(given)}
        yield [place[name] for name in entries]
