"""Numbers of the mechanism that explain all errors of a quantity, by a fit (:mod:`cross_check.judge.sharpness.judged`), as
causes.

The errors may be within the bar: they are systematic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cross_check.exchange.results.causes import Cause, Observation
from cross_check.exchange.results.objects import INFINITE, Cell, Sharpness
from cross_check.explain.diagnosis.words import identifier

REMEDY = "compare this number with the file, digit by digit"


def systematic_causes(implementation: str, cells: Sequence[Cell]) -> Iterator[Cause]:
    """One cause for every mechanism and number that explains the errors of these cells."""
    groups: dict[tuple[str, str], list[tuple[Cell, Sharpness]]] = {}
    for cell in cells:
        if cell.sharpness and cell.verdict == "discrepancy":
            groups.setdefault((cell.mechanism, cell.sharpness.number), []).append((cell, cell.sharpness))
    for (mechanism, number), group in groups.items():
        worst, sharpness = max(group, key=lambda one: one[1].needed)
        within = "; every error is within the bar, but they are systematic" if worst.message else ""
        asked = f"which errors of the numbers of {mechanism} explain the errors of {worst.quantity} at all states"
        seen = Observation(asked, _explaining(sharpness))
        yield Cause(
            identifier(implementation, f"{mechanism} {number or 'systematic'}"),
            implementation,
            "model" if number else "unknown",
            f"In {implementation}, {sharpness.sentence} on {mechanism}{within}",
            tuple(cell.id for cell, _ in group),
            where=(number,) if number else (),
            tried=len(group),
            evidence=(seen,),
            remedy=REMEDY if number else "",
        )


def _explaining(sharpness: Sharpness) -> str:
    """Which errors of numbers explain those of the answers."""
    if sharpness.number:
        return f"this one, by {sharpness.amount}"
    if sharpness.needed < INFINITE:
        return f"all numbers together, by {sharpness.needed:.3g} ε of their sizes"
    return "none, not even those of all numbers together"
