"""The data from which the page's script draws cells, the map and the pages of mechanisms: one deflated text in base64.

It is JSON, a zero byte, then one byte for every error of a state, of a coordinate, and of a coordinate by kind of state, cell by
cell. ``templates/data.js`` reads it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from cross_check.exchange.results.codec import to_json
from cross_check.exchange.results.objects import Cell, ImplementationSummary, Item, MechanismSummary, Results, name_of
from cross_check.exchange.results.tally import OWN
from mechanisms.quantities import QUANTITIES
from reports.causes import rank
from reports.reproduction import reproduce
from reports.summary import pattern, spread
from reports.words import INVARIANTS, VERDICTS, group, position_names, symbol, title

STEPS, LEAST, LARGEST = 12, -2, 255
"""The byte of an error: so many steps per decade, counted from this decade up. The last byte stands for an infinite error."""

ENOUGH = 6000
"""How many input numbers of worst states a page keeps. If there are more, only problems keep theirs, until this many."""


Places = Mapping[str, int]
"""By name, a place in a table of the data."""


def embed(results: Results, fragments: Mapping[str, Any]) -> str:
    """The text; ``fragments`` are parts of the page that the script puts in when they are opened."""
    texts: dict[str, int] = {"": 0}
    kinds = list(dict.fromkeys(kind for mechanism in results.mechanisms for kind in mechanism.kinds))
    columns = columns_of(results)
    index = tables(results)
    quantities = list(index["quantity"])
    kept, places = _kept(results), {kind: k for k, kind in enumerate(kinds)}
    data = {
        "bar": results.settings.bar,
        "kinds": kinds,
        "verdicts": [[name, word.word, INVARIANTS[name].word, word.sign, word.style] for name, word in VERDICTS.items()],
        "implementations": [[entry.name, entry.version, int(entry.spec in OWN)] for entry in columns],
        "quantities": [
            [name, title(name), symbol(name), group(name) if name in known else "", _axis(name)]
            for known in [{cell.quantity for cell in results.cells}]
            for name in quantities
        ],
        "mechanisms": [_mechanism(mechanism, places) for mechanism in results.mechanisms],
        "cells": [_row(results, item, index, texts, item.id in kept, places) for item in results.items],
        "texts": list(texts),
        "fragments": fragments,
    }
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
    errors = in_bytes([error for cell in results.cells for error in _errors(cell)])
    return base64.b64encode(zlib.compress(text + b"\0" + errors, 9)).decode()


def columns_of(results: Results) -> list[ImplementationSummary]:
    """The implementations in the order of the map: users' code, engines, our own."""
    return sorted(results.implementations, key=lambda entry: rank(entry.spec))


def tables(results: Results) -> dict[str, Places]:
    """The names of the run, each with its place among those of its kind."""
    named = {
        "mechanism": [mechanism.name for mechanism in results.mechanisms],
        "implementation": [entry.name for entry in columns_of(results)],
        "quantity": list(dict.fromkeys(map(name_of, results.items))),
        "verdict": list(VERDICTS),
    }
    return {kind: {name: k for k, name in enumerate(names)} for kind, names in named.items()}


def in_bytes(errors: Sequence[float]) -> bytes:
    """A byte for every error. It is exact to a tenth of the error, from a hundredth of an ε-unit to 10¹⁹ of them."""
    given = np.array(errors, dtype=np.float64)
    with np.errstate(divide="ignore"):
        steps = np.rint(STEPS * (np.log10(given) - LEAST)) + 1
    return np.where(given >= 1e99, LARGEST, np.clip(steps, 0, LARGEST - 1)).astype(np.uint8).tobytes()


def _errors(cell: Cell) -> Iterable[float]:
    yield from cell.errors
    yield from cell.coordinates
    for errors in cell.by_kind.values():
        yield from errors


def _axis(quantity: str) -> str:
    """What the first axis of a quantity counts: "nv", "bodies" or nothing."""
    axes = QUANTITIES[quantity].axes[:1] if quantity in QUANTITIES else ()
    return axes[0] if axes and isinstance(axes[0], str) else ""


def _mechanism(mechanism: MechanismSummary, kinds: Places) -> dict[str, Any]:
    return {
        "name": mechanism.name,
        "nv": mechanism.nv,
        "v": mechanism.coordinates,
        "q": position_names(mechanism),
        "bodies": [bone.body for bone in mechanism.skeleton],
        "kinds": [kinds[kind] for kind in mechanism.kinds],
    }


def _row(
    results: Results, item: Item, index: Mapping[str, Places], texts: dict[str, int], keep: bool, kinds: Places
) -> list[Any]:
    """A cell or an invariant: numbers that point into the other tables, its error, and for a cell what it measured."""

    def place_of(text: str) -> int:
        return texts.setdefault(text, len(texts))

    names = (item.mechanism, item.implementation, name_of(item), item.verdict)
    row = [
        *(table[name] for table, name in zip(index.values(), names, strict=True)),
        item.error,
        place_of(item.message),
        place_of(reproduce(results, item)),
    ]
    if not isinstance(item, Cell):
        return row
    worst = to_json(item.worst)
    if worst:
        inputs = worst.pop("inputs")
        worst = [*worst.values(), inputs if keep else 0]
    about = pattern(results, item) if item.verdict in ("discrepancy", "known") else ""
    bins = to_json(item.histogram.bins) if item.histogram else 0
    return [
        *row,
        place_of(about),
        place_of(item.output),
        place_of(spread(item)),
        len(item.errors),
        len(item.coordinates),
        [[kinds.get(kind, 0), len(errors)] for kind, errors in item.by_kind.items()],
        worst or 0,
        bins,
        0 if list(item.states) == list(range(len(item.states))) else item.states,
    ]


def _kept(results: Results) -> set[str]:
    """The ids of the cells whose inputs are kept."""
    sizes = {cell.id: sum(map(len, cell.worst.inputs.values())) for cell in results.cells if cell.worst}
    if sum(sizes.values()) <= ENOUGH:
        return set(sizes)
    wrong = [cell.id for cell in results.cells if cell.verdict != "agrees" and cell.worst]
    return {name for name, total in zip(wrong, accumulate(sizes[name] for name in wrong), strict=True) if total <= ENOUGH}
