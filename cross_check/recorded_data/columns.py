"""The names of columns: an array's name, then the name of an entry of each of its axes, with dots between them.

    q.elbow_joint    v.elbow_joint    f.forearm_link.nx    inverse_dynamics.elbow_joint    mass_matrix.elbow_joint.wrist_1_joint

The arrays are those of a state (q, v, a, tau, f) and the quantities. A column may declare its unit: ``q.elbow_joint [deg]``, or
``q.elbow_joint (deg)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from cross_check.recorded_data.units import plain
from mechanisms import Mechanism, component_units
from mechanisms.joint_kinds import UNITS
from mechanisms.quantities import QUANTITIES, entries

STATE_ARRAYS = ("q", "v", "a", "tau", "f")
"""The arrays of a state, batch first: q (batch, nq); v, a, tau (batch, nv); f (batch, bodies, 6)."""

WRENCH = ("nx", "ny", "nz", "fx", "fy", "fz")
"""The entries of a force [n; f] on a body."""

NOT_RECORDED = "files have no dv and no second position, on which it depends"
"""Why the quantities of the group integration have no columns."""

NUMBER = "state"
"""The column of the states' numbers."""

_UNIT = re.compile(r"(.*\S)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))", re.DOTALL)


def axes_of(mechanism: Mechanism, array: str) -> tuple[Sequence[str], ...]:
    """The names of the entries of every axis of one state's ``array``."""
    if array == "q":
        return (mechanism.positions,)
    if array in ("v", "a", "tau"):
        return (mechanism.coordinates,)
    if array == "f":
        return (entries(mechanism, "bodies"), WRENCH)
    return tuple(entries(mechanism, axis) for axis in QUANTITIES[array].axes)


def orders_of(array: str) -> tuple[str, ...]:
    """For every axis of one state's ``array``: the name of what orders its entries, empty if all files have one order."""
    if array == "q":
        return ("positions",)
    if array in ("v", "a", "tau"):
        return ("coordinates",)
    if array == "f":
        return ("bodies", "")
    orders = {"nv": "coordinates", "bodies": "bodies", "parameters": "parameters"}
    return tuple(orders[axis] if isinstance(axis, str) else "" for axis in QUANTITIES[array].axes)


def shape_of(mechanism: Mechanism, array: str) -> tuple[int, ...]:
    """The shape of one state's ``array``."""
    return tuple(map(len, axes_of(mechanism, array)))


def columns_of(mechanism: Mechanism, array: str) -> list[str]:
    """The names of the array's columns, in the order of its numbers."""
    return [".".join((array, *names)) for names in product(*axes_of(mechanism, array))]


WITH_UNITS_OF = {"v": "impact_velocity_plastic", "a": "forward_dynamics", "tau": "inverse_dynamics"}
"""The quantities that have the units of the arrays of a state."""


def units_of(mechanism: Mechanism, array: str) -> tuple[str, ...]:
    """The SI unit of every column of the array; empty where it has none."""
    if array == "q":
        forms = [(slot.form, len(slot.names)) for body in mechanism.bodies for slot in body.joint.slots]
        return tuple(UNITS[form] if form in ("angle", "distance") else "" for form, count in forms for _ in range(count))
    if array == "f":
        return (*["N m"] * 3, *["N"] * 3) * len(mechanism.bodies)
    return tuple(map(plain, component_units.units_of(mechanism, WITH_UNITS_OF.get(array, array))))


def split_unit(header: str) -> tuple[str, str]:
    """A column's name, and the unit that it declares, empty if it declares none."""
    match = _UNIT.fullmatch(header.strip())
    return (match[1], " ".join((match[2] or match[3] or "").split())) if match else (header.strip(), "")
