"""What a comparison of two robots has found, as frozen data that becomes JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from cross_check.read.readers.compare import FEW_DIGITS
from cross_check.read.same.motion import Change
from mechanisms import Mechanism
from mechanisms.errors import Place

SCHEMA = "dalembert-same-1"

Verdict = Literal["exactly", "digits", "motion", "different"]

Sides = tuple[Mechanism, Mechanism]
"""The first mechanism and the second."""

LINES = {"body": ("inertial", "body"), "joint": ("joint", "body"), "constraint": ("constraint", "joint"), "lifted": ("body",)}
"""By the kind of a part, or by what it has: the elements whose line is its own, the first that the file has."""


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

    @classmethod
    def between(
        cls, sides: Sides, kind: str, names: Sequence[str | None], what: str, values: Sequence[str], unit: str = "", **more: Any
    ) -> Difference:
        """With the lines of the parts that the ``names`` are of: those of both mechanisms, None where one has none."""
        of = next((one for one in LINES if what.startswith(one)), kind)
        (name, *_), (first, second) = [one for one in names if one is not None], values
        here, there = (_line(side, of, one) for side, one in zip(sides, names, strict=True))
        return cls(kind, name, what, unit, first, second, here, there, **more)

    @property
    def is_digits(self) -> bool:
        return self.share is not None and self.share <= FEW_DIGITS

    @property
    def size(self) -> float:
        return self.effect.size if self.effect else 0.0


def _line(mechanism: Mechanism, kind: str, name: str | None) -> Place | None:
    places = mechanism.places if name is not None and mechanism.places else {}
    return next((place for line in LINES.get(kind, (kind,)) if (place := places.get((line, name or "")))), None)


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
        return {"schema": SCHEMA, **asdict(self)}
