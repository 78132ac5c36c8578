"""The names of columns: an array's name, then the name of an entry of each of its axes, with dots between them.

    q.elbow_joint    v.elbow_joint    f.forearm_link.nx    inverse_dynamics.elbow_joint    mass_matrix.elbow_joint.wrist_1_joint

The arrays are those of a state (q, v, a, tau, f) and the quantities. A column may declare its unit: ``q.elbow_joint [deg]``, or
``q.elbow_joint (deg)``.

People and programs write other headers: ``q_0``, ``qd1``, ``effort_3`` or ``position.elbow_joint (deg)``. Such a name is that of
an array or a usual one for it, and then a joint, or the number of a coordinate counted from 0 or from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import product

from cross_check.exchange.recorded_data.units import plain
from mechanisms import Mechanism
from mechanisms.joint_kinds import UNITS
from mechanisms.quantities import QUANTITIES, Axis, component_units, entries

STATE_AXES: dict[str, tuple[Axis, ...]] = {
    "q": ("nq",),
    "v": ("nv",),
    "a": ("nv",),
    "tau": ("nv",),
    "f": ("bodies", ("nx", "ny", "nz", "fx", "fy", "fz")),
}
"""The axes of the arrays of a state: q (batch, nq); v, a, tau (batch, nv); forces f = [n; f] on bodies (batch, bodies, 6)."""

STATE_ARRAYS = tuple(STATE_AXES)

ORDERS = {"nq": "positions", "nv": "coordinates", "bodies": "bodies", "parameters": "parameters"}
"""By axis: the name of what orders its entries. Axes of other entries have one order in all files."""

NOT_RECORDED = "files have no dv and no second position, on which it depends"
"""Why the quantities of the group integration have no columns."""

NUMBER = "state"
"""The column of the states' numbers."""

_UNIT = re.compile(r"(.*\S)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))", re.DOTALL)


def axes_of(mechanism: Mechanism, array: str) -> tuple[Sequence[str], ...]:
    """The names of the entries of every axis of one state's ``array``."""
    return tuple(entries(mechanism, axis) for axis in _axes(array))


def orders_of(array: str) -> tuple[str, ...]:
    """For every axis of one state's ``array``: the name of what orders its entries, empty if all files have one order."""
    return tuple(ORDERS[axis] if isinstance(axis, str) else "" for axis in _axes(array))


def _axes(array: str) -> tuple[Axis, ...]:
    return STATE_AXES[array] if array in STATE_AXES else QUANTITIES[array].axes


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


USUAL = {
    "q": ("q", "pos", "position", "positions"),
    "v": ("v", "qd", "dq", "vel", "velocity", "velocities"),
    "a": ("a", "qdd", "ddq", "acc", "acceleration", "accelerations"),
    "tau": ("tau", "τ", "effort", "efforts", "torque", "torques"),
}
"""By array: the names that programs give it."""

TIMES = ("t", "time", "stamp", "timestamp")
"""The names of a column of times."""

SECONDS = {"": 1.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
"""By unit of time: how many seconds it has."""

_NUMBERED = re.compile(r"(.*?)[._ ]?(?:([0-9]{1,5})|\[([0-9]{1,5})\])")


def seconds_of(header: str) -> float | None:
    """How many seconds the unit of a column of times has; None if this is no unit of time."""
    name, unit = split_unit(header)
    return SECONDS.get(unit) if name.lower() in TIMES else None


def ours(headers: Iterable[str], mechanism: Mechanism) -> dict[str, str]:
    """By header: the header in our names. Headers in our names, and headers that nobody knows, are left out."""
    found: dict[str, str] = {}
    numbered: dict[str, dict[int, tuple[str, str]]] = {}
    names = _by_usual_name()
    for header in headers:
        name, unit = (header, "") if _NUMBERED.fullmatch(header) else split_unit(header)
        usual, separator, rest = re.split(r"([._ ])", name, maxsplit=1) if re.search(r"[._ ]", name) else (name, "", "")
        match = _NUMBERED.fullmatch(name)
        array = names.get(usual.lower(), "")
        if array and separator and rest in axes_of(mechanism, array)[0]:
            if usual != array or separator != ".":
                found[header] = _named(array, rest, unit)
        elif match and (array := names.get(match[1].lower(), "")):
            numbered.setdefault(array, {})[int(match[2] or match[3])] = header, unit
    for array, columns in numbered.items():
        entries = axes_of(mechanism, array)[0]
        first = 0 if 0 in columns else 1
        for k, (header, unit) in columns.items():
            if k - first < len(entries):
                found[header] = _named(array, entries[k - first], unit)
    return found


def unnamed(mechanism: Mechanism, count: int) -> list[str]:
    """The names of ``count`` columns without a header: q, v, a and tau, after the time if there is one more; else none."""
    names = [name for array in USUAL for name in columns_of(mechanism, array)]
    return {len(names): names, len(names) + 1: [TIMES[0], *names]}.get(count, [])


def _by_usual_name() -> dict[str, str]:
    """By a usual name: the array. A quantity with a number for every coordinate has its own name."""
    usual = {name: array for array, names in USUAL.items() for name in names}
    return usual | {name: name for name, quantity in QUANTITIES.items() if quantity.axes == ("nv",)}


def _named(array: str, entry: str, unit: str) -> str:
    return f"{array}.{entry} [{unit}]" if unit else f"{array}.{entry}"
