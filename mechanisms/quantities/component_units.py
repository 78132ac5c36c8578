"""The unit of every component of a quantity: the quantity's unit, times what the entries of its axes add.

A coordinate is an angle or a distance, and the components of a motion [ω; v] or of a momentum [k; l] differ by a length. So every
entry of an axis has an exponent of the metre. The force of a coordinate is its power divided by its rate. So an axis of
forces has the exponents of an axis of motions with the opposite sign, and so have the columns of a derivative.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from mechanisms.mechanism import Mechanism
from mechanisms.numbers.units import Unit
from mechanisms.quantities import (
    ALL_QUANTITIES,
    MOMENTUM,
    MOTION,
    PLACEMENT,
    ByConstrainedMotion,
    ByForces,
    BySolution,
    Quantity,
    entries,
)

LENGTHS: dict[tuple[str, ...], tuple[int, ...]] = {
    MOTION: (0, 0, 0, 1, 1, 1),
    MOMENTUM: (1, 1, 1, 0, 0, 0),
    PLACEMENT: (0, 0, 0, 1),
}
"""By axis: the exponents of the metre of its entries."""

OF_PARAMETERS = (0, -1, -1, -1, *[-2] * 6)

UNKNOWN = ("nq", "state")
"""Axes whose entries have several units: numbers of positions, and components of q and v together."""


def metres(mechanism: Mechanism, quantity: Quantity, position: int) -> list[int]:
    """The exponent of the metre of every entry of the axis at this position."""
    axis = quantity.axes[position]
    if axis == "nv":
        sign = 1 if _are_motions(quantity, position) else -1
        return [sign * (not screw.turns) for body in mechanism.bodies for screw in body.joint.screws]
    if axis == "parameters":
        return [*OF_PARAMETERS] * len(mechanism.bodies)
    if axis == "directions":
        sign = -1 if isinstance(quantity.judged, ByConstrainedMotion) else 1
        return [sign * LENGTHS[MOTION][row] for one in mechanism.constraints for row in one.rows]
    given = LENGTHS.get(axis) if isinstance(axis, tuple) else None
    return [*(given or [0] * len(entries(mechanism, axis)))]


def _are_motions(quantity: Quantity, position: int) -> bool:
    """Whether an axis of coordinates has motions for entries; otherwise they are forces, or columns that multiply motions."""
    if position:
        return quantity.by == "tau"
    judged = quantity.judged
    if isinstance(judged, ByConstrainedMotion):
        return judged.answer == "motion"
    return isinstance(judged, ByForces | BySolution) or quantity.group == "integration"


def _radians(mechanism: Mechanism, quantity: Quantity, position: int) -> list[int]:
    """The exponent of the radian of every entry of the axis at this position."""
    axis, unit, turns = quantity.axes[position], quantity.unit, [s.turns for body in mechanism.bodies for s in body.joint.screws]
    is_rate = unit.kg == 0 and unit.s < 0
    if axis == "nv" and quantity.is_by_angles and position == len(quantity.axes) - 1:
        return [-int(one) for one in turns]
    if axis == "nv" and _are_motions(quantity, position) and (is_rate or quantity.group == "integration"):
        return [int(one) for one in turns]
    if axis == MOTION and is_rate:
        return [1, 1, 1, 0, 0, 0]
    return [0] * len(entries(mechanism, axis))


def units_of(mechanism: Mechanism, quantity: str) -> tuple[str, ...]:
    """The unit of each component of one state's answer, such as "N m"; empty where it has none, or where it is not known."""
    one = ALL_QUANTITIES[quantity]
    if set(one.axes) & {*UNKNOWN}:
        return ("",) * len(list(product(*(entries(mechanism, axis) for axis in one.axes))))
    if not one.axes and one.unit == Unit(1, 2, -2):
        return ("J",)
    axes = [list(zip(metres(mechanism, one, k), _radians(mechanism, one, k), strict=True)) for k in range(len(one.axes))]
    return tuple(
        one.unit._replace(m=one.unit.m + sum(m for m, _ in places)).in_words(sum(rad for _, rad in places))
        for places in product(*axes)
    )


def common(units: Iterable[str]) -> str:
    """The unit that all have; empty if they have several."""
    one, *others = {*units} or {""}
    return "" if others else one
