"""The cells and invariants of one implementation, counted; and whose code an implementation is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cross_check.exchange.results.objects import COMPARED, Cell, Invariant, Item, Results
from implementations.plugins.registry import ENGINE_NAMES, OURS
from mechanisms.numbers.precision import FLOAT64
from mechanisms.quantities import USUAL

__all__ = ["ENGINE_NAMES", "OWN", "Tally", "tallies"]

OWN = tuple(OURS)
"""Implementations that are part of dalembert. Every implementation is one of these, an engine, or a user's."""


@dataclass(frozen=True)
class Tally:
    """One implementation's cells and invariants."""

    name: str
    version: str
    cells: tuple[Cell, ...]
    invariants: tuple[Invariant, ...]
    spec: str = ""
    precision: str = ""
    """The one in which it is judged; empty if that is float64."""
    is_blind: bool = False
    """Whether code with any typical fault would have passed all of its comparisons: then they say nothing."""

    @property
    def title(self) -> str:
        """Its name, with its precision if that is not float64."""
        return f"{self.name} ({self.precision})" if self.precision else self.name

    @property
    def items(self) -> tuple[Item, ...]:
        return (*self.cells, *self.invariants)

    def having(self, *verdicts: str) -> int:
        """How many cells have one of these verdicts."""
        return sum(cell.verdict in verdicts for cell in self.cells)

    @property
    def compared(self) -> int:
        return self.having(*COMPARED)

    @property
    def violated(self) -> int:
        return sum(invariant.verdict == "discrepancy" for invariant in self.invariants)

    @property
    def failed(self) -> int:
        return sum(item.verdict == "failed" for item in self.items)

    @property
    def worst(self) -> Cell | None:
        """The cell with the largest error. Known faults do not count."""
        unexplained = (cell for cell in self.cells if cell.error is not None and cell.verdict != "known")
        return max(unexplained, key=lambda cell: cell.error or 0.0, default=None)

    @property
    def verdict(self) -> Literal["discrepancy", "broken", "failed", "agrees", "not run"]:
        """The gravest of its verdicts; "broken" if only invariants are violated."""
        if self.having("discrepancy"):
            return "discrepancy"
        if self.violated:
            return "broken"
        if self.failed:
            return "failed"
        has_shown = not self.is_blind and any(item.verdict in COMPARED for item in self.items)
        return "agrees" if has_shown else "not run"


def tallies(results: Results) -> list[Tally]:
    """One per implementation, in the run's order."""
    empty = {name for coverage in results.coverage if coverage.is_empty for name in coverage.implementations}
    found = []
    for entry in results.implementations:
        cells = tuple(cell for cell in results.cells if cell.implementation == entry.name)
        invariants = tuple(invariant for invariant in results.invariants if invariant.implementation == entry.name)
        precision = entry.precision if entry.precision != FLOAT64.name else ""
        # Faults are listed of the usual quantities.
        has_faults = all(cell.quantity in USUAL for cell in cells if cell.verdict in COMPARED)
        is_blind = entry.name in empty and has_faults
        found.append(Tally(entry.name, entry.version, cells, invariants, entry.spec, precision, is_blind))
    return found
