"""The data that the page's script draws a cell from, compact and safe inside ``<script>``."""

from __future__ import annotations

import json
from typing import Any

from cross_check.results import COMPARED
from reports.commands import reproduce
from reports.summary import pattern
from reports.words import VERDICTS, position_names, symbol, title

ENOUGH = 8000
"""Inputs of cells that agree are kept only where all of them together are no more numbers than this."""


def embed(document: dict[str, Any]) -> str:
    """JSON without any "<", so that nothing in it can end its element."""
    agreeing = [cell for cell in document["cells"] if cell["verdict"] == "agrees" and cell["worst"]]
    numbers = sum(len(x) for cell in agreeing for x in cell["worst"]["inputs"].values())
    kinds = list(dict.fromkeys(kind for mechanism in document["mechanisms"] for kind in mechanism["kinds"]))
    data = {
        "bar": document["settings"]["bar"],
        "kinds": kinds,
        "verdicts": {name: [word.word, word.sign, word.style] for name, word in VERDICTS.items()},
        "quantities": {name: [title(name), symbol(name)] for name in dict.fromkeys(cell["quantity"] for cell in document["cells"])},
        "mechanisms": {
            mechanism["name"]: {
                "v": mechanism["coordinates"],
                "q": position_names(mechanism),
                "kinds": [kinds.index(kind) for kind in mechanism["kinds"]],
            }
            for mechanism in document["mechanisms"]
        },
        "cells": [_cell(document, cell, numbers <= ENOUGH) for cell in document["cells"]],
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _cell(document: dict[str, Any], cell: dict[str, Any], inputs: bool) -> dict[str, Any]:
    compared = cell["verdict"] in COMPARED
    worst = cell["worst"] and {**cell["worst"]}
    if worst and cell["verdict"] == "agrees" and not inputs:
        del worst["inputs"]
    return {
        **{name: cell[name] for name in ("id", "mechanism", "implementation", "quantity", "verdict", "message")},
        "error": cell["error"],
        "errors": [brief(x) for x in cell["errors"]],
        "coordinates": [brief(x) for x in cell["coordinates"]],
        "worst": worst,
        "pattern": pattern(document, cell) if compared and cell["verdict"] != "agrees" else "",
        "command": reproduce(document, cell),
    }


def brief(error: float) -> float | int:
    """Two digits, written as shortly as JSON allows."""
    rounded = float(f"{error:.2g}")
    return int(rounded) if rounded.is_integer() and rounded < 1e4 else rounded
