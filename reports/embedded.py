"""The data that the page's script draws a cell from, compact and safe inside ``<script>``."""

from __future__ import annotations

import json
from itertools import accumulate
from typing import Any

from reports.reproduction import reproduce
from reports.summary import pattern
from reports.words import VERDICTS, position_names, title

NAMED = ("mechanism", "implementation", "quantity", "verdict")
FIELDS = ("error", "message", "errors", "coordinates", "worst", "pattern", "command")
"""A cell is a list: first the places of its ``NAMED`` fields in a table of names, then ``FIELDS``."""

ENOUGH = 8000
"""How many numbers of worst states' inputs are kept: those of problems as far as they go, of the rest all or none."""


def embed(document: dict[str, Any]) -> str:
    """JSON without any "<", so that nothing in it can end its element."""
    kinds = list(dict.fromkeys(kind for mechanism in document["mechanisms"] for kind in mechanism["kinds"]))
    names = list(dict.fromkeys(cell[field] for cell in document["cells"] for field in NAMED))
    at = {name: k for k, name in enumerate(names)}
    kept = _kept(document)
    cells = [[*(at[cell[field]] for field in NAMED), *_values(document, cell, cell["id"] in kept)] for cell in document["cells"]]
    data = {
        "bar": document["settings"]["bar"],
        "names": names,
        "kinds": kinds,
        "verdicts": {name: [word.word, word.sign, word.style] for name, word in VERDICTS.items()},
        "quantities": {name: title(name) for name in dict.fromkeys(cell["quantity"] for cell in document["cells"])},
        "mechanisms": {
            mechanism["name"]: {
                "v": mechanism["coordinates"],
                "q": position_names(mechanism),
                "kinds": [kinds.index(kind) for kind in mechanism["kinds"]],
            }
            for mechanism in document["mechanisms"]
        },
        "fields": [*NAMED, *FIELDS],
        "cells": cells,
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _kept(document: dict[str, Any]) -> set[str]:
    """The ids of the cells whose inputs are kept."""
    sizes = {c["id"]: sum(map(len, c["worst"]["inputs"].values())) for c in document["cells"] if c["worst"]}
    if sum(sizes.values()) <= ENOUGH:
        return set(sizes)
    wrong = [cell["id"] for cell in document["cells"] if cell["verdict"] != "agrees" and cell["worst"]]
    return {name for name, total in zip(wrong, accumulate(sizes[name] for name in wrong), strict=True) if total <= ENOUGH}


def _values(document: dict[str, Any], cell: dict[str, Any], inputs: bool) -> list[Any]:
    """A cell's ``FIELDS``."""
    worst = cell["worst"]
    if worst and not inputs:
        worst = {name: value for name, value in worst.items() if name != "inputs"}
    errors, coordinates = (" ".join(map(brief, cell[part])) for part in ("errors", "coordinates"))
    about = pattern(document, cell) if cell["verdict"] in ("discrepancy", "known") else ""
    return [cell["error"], cell["message"], errors, coordinates, worst, about, reproduce(document, cell)]


def brief(error: float) -> str:
    """Two digits, written as shortly as a script can read them."""
    return f"{error:.2g}".replace("e+0", "e").replace("e+", "e")
