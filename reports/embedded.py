"""The data from which the page's script draws a cell, compact and safe inside ``<script>``."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any

from cross_check.results.objects import Cell, Results, to_json
from reports.reproduction import reproduce
from reports.summary import pattern, spread
from reports.words import VERDICTS, position_names, title

NAMED = ("mechanism", "implementation", "quantity", "verdict")
FIELDS = ("error", "message", "errors", "coordinates", "worst", "pattern", "command", "output", "histogram", "spread")
"""A cell is a list: first the indices of its ``NAMED`` fields in a table of names, then its ``FIELDS``."""

ENOUGH = 8000
"""How many input numbers of worst states a page keeps. If there are more, only problems keep theirs, until this many."""


def embed(results: Results) -> str:
    """JSON without any "<", so that nothing in it can end its element."""
    kinds = list(dict.fromkeys(kind for mechanism in results.mechanisms for kind in mechanism.kinds))
    names = list(dict.fromkeys(getattr(cell, field) for cell in results.cells for field in NAMED))
    index = {name: k for k, name in enumerate(names)}
    kept = _kept(results)
    cells = [
        [*(index[getattr(cell, field)] for field in NAMED), *_values(results, cell, cell.id in kept)] for cell in results.cells
    ]
    data = {
        "bar": results.settings.bar,
        "names": names,
        "kinds": kinds,
        "verdicts": {name: [word.word, word.sign, word.style] for name, word in VERDICTS.items()},
        "quantities": {name: title(name) for name in dict.fromkeys(cell.quantity for cell in results.cells)},
        "mechanisms": {
            mechanism.name: {
                "v": mechanism.coordinates,
                "q": position_names(mechanism),
                "kinds": [kinds.index(kind) for kind in mechanism.kinds],
            }
            for mechanism in results.mechanisms
        },
        "fields": [*NAMED, *FIELDS],
        "cells": cells,
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _kept(results: Results) -> set[str]:
    """The ids of the cells whose inputs are kept."""
    sizes = {cell.id: sum(map(len, cell.worst.inputs.values())) for cell in results.cells if cell.worst}
    if sum(sizes.values()) <= ENOUGH:
        return set(sizes)
    wrong = [cell.id for cell in results.cells if cell.verdict != "agrees" and cell.worst]
    return {name for name, total in zip(wrong, accumulate(sizes[name] for name in wrong), strict=True) if total <= ENOUGH}


def _values(results: Results, cell: Cell, inputs: bool) -> list[Any]:
    """A cell's ``FIELDS``."""
    worst = to_json(cell.worst)
    if worst and not inputs:
        del worst["inputs"]
    errors, coordinates = (" ".join(map(brief, part)) for part in (cell.errors, cell.coordinates))
    about = pattern(results, cell) if cell.verdict in ("discrepancy", "known") else ""
    bins = to_json(cell.histogram.bins) if cell.histogram else None
    drawn = (errors, coordinates, worst, about, reproduce(results, cell), cell.output, bins, spread(cell))
    return [cell.error, cell.message, *drawn]


def brief(error: float) -> str:
    """Two digits, written as shortly as a script can read them."""
    return f"{error:.2g}".replace("e+0", "e").replace("e+", "e")
