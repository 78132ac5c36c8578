"""The command line that does it again."""

from __future__ import annotations

import shlex
from typing import Any

from cross_check.comparison.measure import BAR


def reproduce(document: dict[str, Any], cell: dict[str, Any]) -> str:
    """The command that repeats one cell, at its worst state where there is one; an invariant is repeated whole."""
    mechanism = _spec(document["mechanisms"], cell["mechanism"])
    words = ["dalembert", "check", mechanism, "--implementation", _spec(document["implementations"], cell["implementation"])]
    if "quantity" in cell:
        words += ["--quantity", cell["quantity"]]
    words += _draw(document)
    if cell.get("worst"):
        words += ["--state", str(cell["worst"]["state"])]
    return shlex.join(words)


def repeat(document: dict[str, Any]) -> str:
    """The command that repeats the whole run."""
    chosen = [word for entry in document["implementations"] for word in ("--implementation", entry["spec"])]
    return shlex.join(["dalembert", "check", *(m["spec"] for m in document["mechanisms"]), *chosen, *_draw(document)])


def _draw(document: dict[str, Any]) -> list[str]:
    settings = document["settings"]
    bar = ["--bar", f"{settings['bar']:g}"] if settings["bar"] != BAR else []
    certified = ["--certified"] if settings.get("certified") else []
    return ["--seed", str(settings["seed"]), "--states", str(settings["states"]), *bar, *certified]


def _spec(entries: list[dict[str, Any]], name: str) -> str:
    return next((entry["spec"] for entry in entries if entry["name"] == name), name)
