"""Where code has a usual fault, and where it contradicts it: there the fault predicts errors that the code has not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cross_check.exchange.results.objects import Cell
from cross_check.exchange.results.plain_text import listing
from mechanisms.quantities import ALL_QUANTITIES

MOST_NAMES = 3
"""So many quantities, or mechanisms with their quantities, are named in a clause."""


def extent(explained: Sequence[Cell], contradicting: Sequence[Cell]) -> str:
    """The end of the fault's sentence: in which quantities alone the code has it. Empty if nothing contradicts it.

    ``contradicting`` are cells that agree, and cells that disagree in another way than the fault predicts.
    """
    if not contradicting:
        return ""
    # A quantity that has the fault on one mechanism alone needs the mechanism's name.
    apart = {cell.quantity for cell in explained}.isdisjoint(cell.quantity for cell in contradicting)
    right = _named((cell for cell in contradicting if cell.verdict != "discrepancy"), apart)
    other = _named((cell for cell in contradicting if cell.verdict == "discrepancy"), apart)
    clauses = [f"only in {_listed(_named(explained, apart))}"]
    clauses += [f"right in {_listed(right)}"] if right else []
    clauses += [f"wrong in another way in {_listed(other)}"] if other else []
    return f" ({'; '.join(clauses)})"


def _named(cells: Iterable[Cell], apart: bool) -> list[str]:
    if apart:
        return [*dict.fromkeys(ALL_QUANTITIES[cell.quantity].title for cell in cells)]
    symbols: dict[str, list[str]] = {}
    for cell in cells:
        symbols.setdefault(cell.mechanism, []).append(ALL_QUANTITIES[cell.quantity].symbol)
    return [f"{', '.join(own)} on {mechanism}" for mechanism, own in symbols.items()]


def _listed(names: Sequence[str]) -> str:
    left = len(names) - MOST_NAMES
    return listing(names) if left <= 0 else f"{', '.join(names[:MOST_NAMES])} and {left} more"
