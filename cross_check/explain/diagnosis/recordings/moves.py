"""Single defects of the columns of states, as changes of a map: rows, exchanged columns, units, and angles before a gear."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations, product

import numpy as np

from cross_check.exchange.recorded_data.columns import units_of
from cross_check.exchange.recorded_data.units import choices, to_si
from cross_check.explain.diagnosis.recordings.column_map import ColumnMap, Source
from mechanisms import Mechanism

LATEST = 5
"""Rows are at most so many rows late or early."""

MOST_PERMUTED = 6
"""Of so many coordinates, all orders are tried; of more, exchanges of two."""

MOST_GEARED = 8
"""Of more coordinates, no gears are tried: there are too many ratios."""

RATIOS = 1.01 ** np.arange(5, 630)
"""The ratios of gears that are tried: the right one is nearer than half a percent to one of them."""


def has_one_number_each(mechanism: Mechanism) -> bool:
    """Whether every coordinate has one position, so that columns of q belong to columns of v."""
    return mechanism.nq == mechanism.nv and all(units_of(mechanism, "q"))


def moves(base: ColumnMap, mechanism: Mechanism, quantity: str, latest: int, has_orders: bool = True) -> Iterator[ColumnMap]:
    """The map with one more defect of its columns of states; with ``has_orders`` that may be another order of the columns.

    Rows are at most ``latest`` rows late or early.
    """
    arrays = [name for name in ("q", "v", "a") if name in base and name != quantity]
    for some in _subsets(arrays, 2):
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


def gears(base: ColumnMap, mechanism: Mechanism, quantity: str) -> Iterator[ColumnMap]:
    """The map with one joint whose position, or all of whose motion, is that of a motor before a gear."""
    arrays = [name for name in ("q", "v", "a") if name in base and name != quantity]
    if not has_one_number_each(mechanism) or mechanism.nv > MOST_GEARED:
        return
    for k, some in product(range(mechanism.nv), (arrays[:1], arrays)):
        for ratio in (*RATIOS, *-RATIOS):
            yield scaled(base, {(name, k): 1 / ratio for name in some})


def scaled(base: ColumnMap, factors: dict[tuple[str, int], float], units: dict[tuple[str, int], str] | None = None) -> ColumnMap:
    """The map with columns, each an array and a place in it, times a factor."""

    def one(name: str, k: int, source: Source) -> Source:
        if (name, k) not in factors:
            return source
        return source._replace(factor=source.factor * factors[name, k], unit=(units or {}).get((name, k), ""))

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
                yield scaled(base, {(name, k): factor_of(unit, si[name][k]) for (name, k), unit in units.items()}, units)


@cache
def factor_of(unit: str, si: str) -> float:
    """How many ``si`` one ``unit`` has."""
    return float(to_si(np.ones(1), unit, si)[0])


def _orders(count: int) -> Iterable[tuple[int, ...]]:
    own = tuple(range(count))
    if count <= MOST_PERMUTED:
        return (order for order in permutations(own) if order != own)
    return (tuple(j if k == i else i if k == j else k for k in own) for i, j in combinations(own, 2))


def _subsets(names: Sequence[str], most: int) -> list[tuple[str, ...]]:
    return [some for count in range(1, most + 1) for some in combinations(names, count)]
