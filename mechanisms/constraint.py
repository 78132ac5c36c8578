"""Constraints between two bodies, or a body and the root: two frames coincide, in some or in all directions.

A tree of joints has no loops. A loop, or a contact that holds, is a constraint on the tree: a frame on one body stays at a frame
on another. A point keeps the origins together (three directions), a weld the axes too (six), a hinge all but one angle.
docs/loops.md has examples, docs/conventions.md the signs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement

WELD = ("wx", "wy", "wz", "vx", "vy", "vz")
"""All six components of the relative motion [ω; v]: the frames coincide."""

POINT = WELD[3:]
"""The origins of the frames coincide."""


IDENTITY = Placement()
"""The body's own frame."""


@dataclass(frozen=True)
class Constraint:
    """The frame ``second_placement`` on ``second`` does not move in ``directions`` relative to ``first_placement`` on ``first``.

    ``first`` and ``second`` are names of bodies, of frames outboard of fixed joints, or of the root. Placements are in that
    body's frame. ``directions`` are components of the relative motion [ω; v] along the axes of the first frame, in the order of
    :data:`WELD`; v is the velocity of the second frame's origin. The frames coincide in these directions.

    Of the three angular components none, two or three are constrained: one alone would be no constraint on positions.

    Raises :class:`MechanismError` for directions that do not exist, for none, and for one angular one.
    """

    name: str
    first: str
    second: str
    directions: tuple[str, ...] = WELD
    first_placement: Placement = IDENTITY
    second_placement: Placement = IDENTITY

    def __post_init__(self) -> None:
        for direction in self.directions:
            if direction not in WELD:
                raise MechanismError(f"constraint {self.name!r} has a direction {direction!r}; use {', '.join(WELD)}")
        if not self.directions:
            raise MechanismError(f"constraint {self.name!r} has no direction; give some of {', '.join(WELD)}")
        if len([name for name in WELD[:3] if name in self.directions]) == 1:
            raise MechanismError(f"constraint {self.name!r} has one angular direction; give two for a common axis, or three")
        object.__setattr__(self, "directions", tuple(name for name in WELD if name in self.directions))

    @property
    def rows(self) -> tuple[int, ...]:
        """The places of its directions in [ω; v]."""
        return tuple(map(WELD.index, self.directions))

    def placed(self, change: Callable[[str, Placement], Placement]) -> Constraint:
        """The same constraint with other placements; ``change`` gets the name of what a frame is on, and where it is there."""
        first, second = change(self.first, self.first_placement), change(self.second, self.second_placement)
        return replace(self, first_placement=first, second_placement=second)

    def on(self, carriers: Mapping[str, tuple[str, Placement | None]]) -> Constraint:
        """The same constraint on bodies that move, or the root; ``carriers`` has what every name is fixed to, and where.

        Raises :class:`MechanismError` for unknown names, and if both frames are on one body.
        """
        for name in (self.first, self.second):
            if name not in carriers:
                raise MechanismError(f"constraint {self.name!r} is on {name!r}, which is no body; correct the name")
        (first, under_first), (second, under_second) = carriers[self.first], carriers[self.second]
        if first == second:
            raise MechanismError(f"both frames of constraint {self.name!r} are fixed to {first!r}; put them on two bodies")
        return replace(
            self,
            first=first,
            second=second,
            first_placement=under_first @ self.first_placement if under_first else self.first_placement,
            second_placement=under_second @ self.second_placement if under_second else self.second_placement,
        )
