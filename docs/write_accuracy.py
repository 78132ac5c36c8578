"""Writes the tables of docs/accuracy.md from the files below docs/accuracy.

``python docs/write_accuracy.py``. Each file of a code is what ``dalembert worst -o docs/accuracy/CODE.json`` writes.
``benchmarks/random_errors.py`` writes docs/accuracy/random.csv.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from written import table as lines_of
from written import with_parts

from cross_check.exchange.worst_states import WorstState, WorstStates, read
from mechanisms.quantities import QUANTITIES
from reports.words import units

PAGE = Path(__file__).with_name("accuracy.md")

FOLDER = PAGE.with_suffix("")

RANDOM = FOLDER / "random.csv"

NAMES = ("inverse_dynamics", "nonlinear_effects", "mass_matrix", "forward_dynamics")
"""The quantities of the page, in its order."""


def codes() -> list[WorstStates]:
    """What the files of codes have: float64 first, then by name."""
    found = [read(path) for path in sorted(FOLDER.glob("*.json"))]
    return sorted(found, key=lambda code: (code.precision != "float64", code.code != "reference", code.code))


def known(code: WorstStates) -> dict[tuple[str, str], WorstState]:
    return {(one.mechanism, one.quantity): one for one in code.worst}


def accuracy(found: list[WorstStates]) -> Iterator[str]:
    """For each mechanism, a table of codes and quantities."""
    for mechanism in dict.fromkeys(one.mechanism for code in found for one in code.worst):
        rows = []
        for code in found:
            there = known(code)
            cells = [_cell(there.get((mechanism, name))) for name in NAMES]
            tried = max((there[mechanism, name].states for name in NAMES if (mechanism, name) in there), default="–")
            rows.append((code.code, code.version, code.precision, *cells, tried))
        titles = [QUANTITIES[name].title for name in NAMES]
        yield f"### {mechanism}\n"
        yield from lines_of(("code", "version", "precision", *titles, "states tried for each"), rows, "lll" + "r" * 5)
        yield ""


def _cell(one: WorstState | None) -> str:
    if one is None:
        return "–"
    return f"{units(one.found)}{'*' if one.copies > 1 else ''}"


def beside_random(found: list[WorstStates]) -> Iterator[str]:
    """The largest error found by search beside that of random states."""
    with RANDOM.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    worst = {(code.code, *key): one for code in found for key, one in known(code).items()}
    shown = []
    for row in rows:
        if one := worst.get((row["code"], row["mechanism"], row["quantity"])):
            title, largest = QUANTITIES[one.quantity].title, float(row["largest"])
            shown.append((row["code"], row["mechanism"], title, row["states"], units(largest), one.states, units(one.found)))
    larger = sum(one.found > float(row["largest"]) for row in rows if (one := worst.get(tuple(row.values())[:3])))
    yield f"In {larger} of {len(shown)} rows the search found the larger error.\n"
    head = ("code", "mechanism", "quantity", "random states", "largest error", "states of the search", "largest error")
    yield from lines_of(head, shown, "lllrrrr")


def worst_states(found: list[WorstStates]) -> Iterator[str]:
    """For each code, where its largest error is."""
    rows = []
    for code in found:
        one = max(code.worst, key=lambda one: one.found)
        where = f" at {one.component}" if one.component else ""
        q = " ".join(f"{float.fromhex(x):.4g}" for x in one.state["q"])
        what = f"{QUANTITIES[one.quantity].title} of {one.mechanism}{where}"
        rows.append((code.code, code.precision, units(one.found), what, q))
    yield from lines_of(("code", "precision", "error", "where", "q, rounded"), rows, "llrll")


def page() -> str:
    """The text of the page."""
    found = codes()
    parts = {"accuracy": accuracy(found), "worst": worst_states(found), "random": beside_random(found)}
    return with_parts(PAGE, **{name: "\n".join(lines).rstrip() for name, lines in parts.items()})


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
