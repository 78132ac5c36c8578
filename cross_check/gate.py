"""The gate: did a change move any number?

A baseline is a small JSON file that users commit: the error of every cell when it was right. The gate fails when a cell
is wrong, when a cell that was right has become worse than noise explains, and when a cell that was compared no longer is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cross_check.results import COMPARED, ResultsError, read_json

SCHEMA = "dalembert-baseline-1"

NOISE = 4.0
"""Another compiler, processor or summation order moves rounding errors by such a factor."""

FLOOR = 0.5
"""In ε-units; below it an error is luck."""


@dataclass(frozen=True)
class Regression:
    """A cell that moved, and one sentence on how."""

    id: str
    message: str


def baseline_of(document: dict[str, Any]) -> dict[str, Any]:
    """The baseline that a results document of one implementation makes."""
    items = (*document["cells"], *document["invariants"])
    return {
        "schema": SCHEMA,
        "implementation": document["implementations"][0]["spec"],
        "settings": document["settings"],
        "mechanisms": {m["name"]: {"spec": m["spec"], "fingerprint": m["fingerprint"]} for m in document["mechanisms"]},
        "cells": {item["id"]: {name: item[name] for name in ("mechanism", "verdict", "error")} for item in items},
    }


def read_baseline(path: Path) -> dict[str, Any]:
    """The baseline in ``path``. Raises :class:`ResultsError` for a file of another version, or none at all."""
    baseline = read_json(path)
    remedy = "write it anew with --update-baseline"
    found = baseline.get("schema") if isinstance(baseline, dict) else None
    if found != SCHEMA:
        raise ResultsError(f"{path} is no baseline of this version (schema {found!r}, not {SCHEMA!r}); {remedy}")
    try:
        seed, states, bar = (baseline["settings"][name] for name in ("seed", "states", "bar"))
        whole = isinstance(seed, int) and seed >= 0 and isinstance(states, int) and states > 0 and bar > 0
        known = all(isinstance(m["spec"], str) and isinstance(m["fingerprint"], str) for m in baseline["mechanisms"].values())
        right = all(c["error"] >= 0 for c in baseline["cells"].values() if c["mechanism"] and c["verdict"] in COMPARED)
    except (AttributeError, KeyError, TypeError) as error:
        raise ResultsError(f"{path} is damaged ({type(error).__name__} {error}); {remedy}") from error
    if not (whole and known and right):
        raise ResultsError(f"{path} is damaged; {remedy}")
    return baseline


def regressions(document: dict[str, Any], baseline: Mapping[str, Any]) -> list[Regression]:
    """What moved since the baseline, on the mechanisms of this run.

    Cells that are wrong now are the document's own business and not repeated here.
    """
    checked = {mechanism["name"] for mechanism in document["mechanisms"]}
    now = {item["id"]: item for item in (*document["cells"], *document["invariants"])}
    moved = []
    for mechanism in document["mechanisms"]:
        before = baseline["mechanisms"].get(mechanism["name"])
        if before and before["fingerprint"] != mechanism["fingerprint"]:
            message = "the mechanism is not the one of the baseline; if that is meant, --update-baseline"
            moved.append(Regression(mechanism["name"], message))
    for name, then in baseline["cells"].items():
        if then["verdict"] not in COMPARED or then["mechanism"] not in checked:
            continue
        item = now.get(name)
        if item is None or item["verdict"] in ("not offered", "unsupported"):
            why = f" ({item['message']})" if item else ""
            moved.append(Regression(name, f"was compared in the baseline and is not any more{why}"))
        elif item["verdict"] == "agrees" and item["error"] > NOISE * max(then["error"], FLOOR):
            moved.append(Regression(name, f"is off by {item['error']:.3g} ε-units, {then['error']:.3g} in the baseline"))
    return moved
