"""The parts of a run: what one implementation did with one mechanism at some of the states.

A run is computed, kept and resumed part by part. Parts about consecutive states are merged into one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cross_check.results.codec import Frozen
from cross_check.results.merging import merge_cells
from cross_check.results.objects import Cell, Invariant, MechanismSummary, Rounding, Skipped


@dataclass(frozen=True)
class Part(Frozen):
    """One implementation and one mechanism, at ``states`` states from number ``first`` on.

    Without an implementation it is the truth's part: the mechanism's ``summary``.
    """

    mechanism: str
    implementation: str = ""
    first: int = 0
    states: int = 0
    cells: Sequence[Cell] = ()
    invariants: Sequence[Invariant] = ()
    skipped: Sequence[Skipped] = ()
    seconds: float = 0.0
    """What the implementation took."""
    rounding: Rounding | None = None
    """What a certified truth has taken so far."""
    summary: MechanismSummary | None = None
    one_robot: str = ""
    """If an experiment has shown that the implementation is code for this robot alone: what it has shown."""
    not_compared: Sequence[str] = ()
    """Of users' code: the quantities that it offers and that are not compared on this mechanism."""

    @property
    def key(self) -> str:
        """What identifies the part in a run. A name may contain any character, so line breaks separate."""
        return key_of(self.mechanism, self.implementation, self.first)

    @property
    def end(self) -> int:
        """The number of the state that follows."""
        return self.first + self.states


def key_of(mechanism: str, implementation: str = "", first: int = 0) -> str:
    """The key of a part."""
    return f"{mechanism}\n{implementation}\n{first}"


def merge_parts(parts: Sequence[Part]) -> Part:
    """One part from parts of one mechanism and one implementation, in the order of their states."""
    if len(parts) == 1:
        return parts[0]
    return replace(
        parts[0],
        states=sum(part.states for part in parts),
        # A part has no cells if the implementation could not represent the mechanism then.
        cells=tuple(map(merge_cells, zip(*(part.cells for part in parts if part.cells), strict=True))),
        invariants=tuple(invariant for part in parts for invariant in part.invariants),
        skipped=tuple(dict.fromkeys(skipped for part in parts for skipped in part.skipped)),
        seconds=sum(part.seconds for part in parts),
        rounding=merge_rounding([part.rounding for part in parts if part.rounding]),
        one_robot=next((part.one_robot for part in parts if part.one_robot), ""),
        not_compared=tuple(dict.fromkeys(name for part in parts for name in part.not_compared)),
    )


def merge_rounding(taken: Sequence[Rounding]) -> Rounding | None:
    """What a certified truth took in all; every entry is what it had taken until then."""
    if not taken:
        return None
    return Rounding(max(one.bits for one in taken), max(one.ties for one in taken), max(one.undecided for one in taken))
