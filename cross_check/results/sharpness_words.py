"""How sharp a run's verdict is, in one sentence: the same in the terminal, in Markdown and in the report."""

from __future__ import annotations

from cross_check.results.objects import Cell, Results
from cross_check.results.plain_text import listing, one_line
from mechanisms.quantities import QUANTITIES

MOST = 4
"""Implementations that the sentence names."""


def sharpnesses(results: Results) -> list[tuple[Cell, float]]:
    """The right cells whose errors were fitted, each with the part of its size to which every number is right.

    Code that is wrong somewhere is left out.
    """
    accused = {cell.implementation for cell in results.cells if cell.verdict == "discrepancy"}
    right = (cell for cell in results.cells if cell.verdict == "agrees" and cell.implementation not in accused)
    return [(cell, cell.sharpness.bound) for cell in right if cell.sharpness]


def sharpness_sentences(results: Results) -> list[str]:
    """A sentence, without full stop, on how well the mechanisms' numbers are known; none if no errors were fitted."""
    if not (fitted := sharpnesses(results)):
        return []
    bounds: dict[str, float] = {}
    for cell, bound in fitted:
        bounds[cell.implementation] = max(bounds.get(cell.implementation, 0.0), bound)
    symbols = dict.fromkeys(QUANTITIES[cell.quantity].symbol for cell, _ in fitted)
    worst = dict(sorted(bounds.items(), key=lambda item: -item[1])[:MOST])
    known = listing([f"{bound:.2g} in {one_line(name, 40)}" for name, bound in worst.items()])
    others = "; in the others they are at least as good" if len(bounds) > MOST else ""
    of = f"{listing(list(symbols))} {'depend' if len(symbols) > 1 else 'depends'}"
    return [f"Every number of a mechanism on which {of} is right, to this part of its size: {known}{others}"]
