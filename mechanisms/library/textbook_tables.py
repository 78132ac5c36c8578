"""Mechanisms whose numbers stand in textbook.toml: bodies, each on a body before it or on the world, and constraints.

A joint has the fields of :class:`mechanisms.joint.Joint`; an axis may be a letter. An inertia has a ``mass``, a ``com``, and the
sides of a ``box``, radius and length of a ``cylinder`` along an ``axis``, or ``about_com``; :data:`SKEW`, moved,
without a mass. A placement is ``at`` a point, turned by the quaternion ``turn``, w x y z of any length.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mechanisms.body import MASSLESS, Body
from mechanisms.constraint import Constraint
from mechanisms.geometry import Placement, Rotation, basis
from mechanisms.inertia import CENTRE, Inertia, box, cylinder
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.numbers.exact import Vector, exact

SKEW = Inertia("1.4", ("0.1", "-0.02", "0.03"), ("0.006", "0.011", "0.009", "0.001", "-0.0015", "0.0005"))
"""A body whose centre of mass and principal axes have no special position."""

Make = Callable[..., Mechanism]


def down(gravity: object) -> Vector:
    """Gravity of this strength (m/s²) along −z."""
    return (0, 0, -exact(gravity, "gravity"))


def _mechanism(name: str, table: dict[str, Any], gravity: Vector) -> Mechanism:
    bodies = tuple(
        Body(one["name"], one.get("on", "world"), _joint(**one["joint"]), _inertia(one.get("inertia"))) for one in table["bodies"]
    )
    return Mechanism(name, bodies, gravity, constraints=tuple(_constraint(**one) for one in table.get("constraints", ())))


def _joint(name: str, kind: Any, axis: Any = "z", second_axis: Any = None, **given: Any) -> Joint:
    first, second = (dict(zip("xyz", basis(), strict=True))[one] if isinstance(one, str) else one for one in (axis, second_axis))
    at = _placement(given.pop("at", CENTRE), given.pop("turn", None))
    return Joint(name, kind, tuple(first), at, second_axis=second and tuple(second), **given)


def _inertia(given: Any) -> Inertia:
    if not isinstance(given, dict):
        return SKEW if given == "skew" else MASSLESS
    at = _placement(given.get("at", CENTRE), given.get("turn"))
    mass, com = given.get("mass"), tuple(given.get("com", CENTRE))
    if mass is None:
        return SKEW.placed(at)
    if "box" in given:
        return box(mass, given["box"], com)
    if "cylinder" in given:
        radius, length = given["cylinder"]
        return cylinder(mass, radius, length, given.get("axis", 2), com)
    return Inertia(mass, com, tuple(given.get("about_com", (0,) * 6)))


def _placement(at: Any, turn: Any) -> Placement:
    return Placement(Rotation(*turn) if turn else Rotation.identity(), tuple(at))


def _constraint(
    name: str, first: str, second: str, directions: str, first_at: Any = CENTRE, second_at: Any = CENTRE
) -> Constraint:
    return Constraint(name, first, second, tuple(directions.split()), _placement(first_at, None), _placement(second_at, None))


def _made(name: str, table: dict[str, Any]) -> Make:
    """What makes a mechanism; it takes the strength of ``gravity`` (m/s²), if the table does not have it."""

    def as_it_is() -> Mechanism:
        return _mechanism(name, table, tuple(table["gravity"]))

    def falling(gravity: object = "9.81") -> Mechanism:
        return _mechanism(name, table, down(gravity))

    make: Make = as_it_is if "gravity" in table else falling
    make.__doc__ = table["about"]
    return make


_TABLES = tomllib.loads(Path(__file__).with_name("textbook.toml").read_text("utf-8"), parse_float=str)

TREES: dict[str, Make] = {name: _made(name, table) for name, table in _TABLES.items() if "constraints" not in table}

LOOPS: dict[str, Make] = {name: _made(name, table) for name, table in _TABLES.items() if "constraints" in table}
"""Mechanisms with loops by name."""

DEFAULT_LOOPS = ("four-bar", "bricard")
"""Those of a default check: one with independent constraints, one with redundant ones."""
