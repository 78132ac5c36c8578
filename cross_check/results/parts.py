"""The parts of a run: what one implementation did with one mechanism. A run is computed, kept and resumed part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.results.objects import Cell, Frozen, Invariant, MechanismSummary, Rounding, Skipped


@dataclass(frozen=True)
class Part(Frozen):
    """One implementation and one mechanism. Without an implementation it is the truth's part: the mechanism's ``summary``."""

    mechanism: str
    implementation: str = ""
    cells: Sequence[Cell] = ()
    invariants: Sequence[Invariant] = ()
    skipped: Sequence[Skipped] = ()
    seconds: float = 0.0
    """What the implementation took."""
    rounding: Rounding | None = None
    """What a certified truth has taken so far."""
    summary: MechanismSummary | None = None

    @property
    def key(self) -> str:
        """What identifies the part in a run. A name may contain any character, so a line break separates."""
        return f"{self.mechanism}\n{self.implementation}"
