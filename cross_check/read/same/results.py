"""What a comparison of two robots has found, as frozen data that becomes JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from cross_check.read.same.motion import Change
from mechanisms.errors import Place

SCHEMA = "dalembert-same-1"

Verdict = Literal["exactly", "digits", "motion", "different"]


@dataclass(frozen=True)
class Difference:
    """One number, or one fact, in which the robots differ; values are in words, in the frames of the first."""

    kind: str
    """"body", "joint", "constraint" or "gravity"."""
    name: str
    """Of the first mechanism's part; of the second's where the first has none."""
    what: str
    unit: str
    first: str
    second: str
    first_place: Place | None = None
    second_place: Place | None = None
    relation: str = ""
    """What the second number is of the first, if it is a usual mistake."""
    share: float | None = None
    """Relative to the size of the number; None for a fact."""
    effect: Change | None = None
    """The largest change of τ from this difference alone; None if it was not computed."""
    also: tuple[str, ...] = ()
    """Other bodies or joints that differ in the same way."""

    @property
    def size(self) -> float:
        return self.effect.size if self.effect else 0.0


@dataclass(frozen=True)
class Same:
    """The comparison of two mechanisms."""

    verdict: Verdict
    differences: tuple[Difference, ...] = ()
    """Facts first, then numbers, those with the largest effect first."""
    notes: tuple[str, ...] = ()
    """What differs and is no difference of the robots: names, their order, and frames that coordinates are about."""
    effect: Change | None = None
    """The largest change of τ from all differences together; None if it was not computed."""

    def to_document(self) -> dict[str, Any]:
        """Plain JSON data."""
        changes = {"effect": self.effect and self.effect._asdict()}
        return {"schema": SCHEMA, **asdict(self), **changes, "differences": [_document(one) for one in self.differences]}


def _document(one: Difference) -> dict[str, Any]:
    named = {
        name: value and value._asdict() for name in ("first_place", "second_place", "effect") for value in [getattr(one, name)]
    }
    return {**asdict(one), **named}
