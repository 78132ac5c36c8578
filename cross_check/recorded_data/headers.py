"""Headers as people and programs write them, in our names: ``q_0``, ``qd1``, ``effort_3`` or ``position.elbow_joint (deg)``.

A name is that of an array or a usual one for it, and then a joint, or the number of a coordinate counted from 0 or from 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from cross_check.recorded_data.columns import axes_of, columns_of, split_unit
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES

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
    """How many seconds the unit of a column of times has; None if this is none."""
    name, unit = split_unit(header)
    return SECONDS.get(unit) if name.lower() in TIMES else None


def ours(headers: Iterable[str], mechanism: Mechanism) -> dict[str, str]:
    """By header: the header in our names. Those that are ours already, and those that nobody knows, are left out."""
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
