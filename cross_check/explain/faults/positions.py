"""Positions and units that code has for q, v and a. Wrappers for users contain the text of these functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.other_coordinates import Coordinates
from implementations.conventions.positions import in_slots, orientation_first, orientation_last, w_first, w_last
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Kind

BALLS: tuple[Kind, ...] = ("spherical", "free")


def conjugated(e: Any) -> Any:
    return e * np.array([-1, -1, -1, 1])


def degrees(x: Any) -> Any:
    return x * 180 / np.pi


def radians(x: Any) -> Any:
    return x * np.pi / 180


def millimetres(x: Any) -> Any:
    return x * 1000


def metres(x: Any) -> Any:
    return x / 1000


def unit_rates(turns: bool, factor: float, mechanism: Any, q: Any) -> Any:
    """T (nv, nv): velocities of turns, or else of slides, are multiplied by ``factor``."""
    of_joints = (body.joint.description.coordinates for body in mechanism.bodies)
    chosen = [coordinate.turns == turns for joint in of_joints for coordinate in joint]
    return np.diag(np.where(chosen, factor, 1.0))


def has_form(*forms: str) -> Callable[[Mechanism], bool]:
    return lambda m: any(slot.form in forms for body in m.bodies for slot in body.joint.slots)


def _quaternions(clause: str, ours: Callable[[Any], Any], theirs: Callable[[Any], Any]) -> Coordinates:
    return Coordinates(
        clause,
        "quaternions",
        position=partial(in_slots, "quaternion", ours),
        position_back=partial(in_slots, "quaternion", theirs),
        kinds=BALLS,
        helpers=(ours, theirs),
    )


def _unit(
    clause: str, form: str, turns: bool, factor: float, ours: Callable[[Any], Any], theirs: Callable[[Any], Any]
) -> Iterator[Fault]:
    """In another unit: all of q, v and a; q alone; v and a alone."""
    moving: tuple[Kind, ...] = tuple(kind for kind, x in JOINT_KINDS.items() if any(c.turns == turns for c in x.coordinates))
    q = Coordinates(
        f"q is in {clause}",
        "units",
        position=partial(in_slots, form, ours),
        position_back=partial(in_slots, form, theirs),
        forces=False,
        helpers=(ours, theirs),
        needs=has_form(form),
    )
    rates = (partial(unit_rates, turns, factor),)
    # Answers depend on the unit of v and a alone, so that the third of these is among the last ones.
    yield from list(replace(q, clause=f"q, v and a are in {clause}", rates=rates).faults())[:2]
    yield from q.faults()
    yield from Coordinates(f"v and a are in {clause}", "units", rates, forces=False, kinds=moving).faults()


W_FIRST = _quaternions("quaternions are read with w first", w_last, w_first)

POSITIONS = (
    *_quaternions("quaternions are those of the inverse rotation", conjugated, conjugated).faults(),
    *Coordinates(
        "the quaternion of a free joint comes before its distances",
        "free base",
        position=orientation_last,
        position_back=orientation_first,
        kinds=("free",),
    ).faults(),
    *_unit("degrees", "angle", True, float(np.pi / 180), radians, degrees),
    *_unit("millimetres", "distance", False, 1e-3, metres, millimetres),
)
