"""Every quantity that an implementation may compute: what engines, error scale, proofs and reports read.

A quantity is a function of a mechanism's state. An implementation offers it as a method of this name, on batches
(:mod:`implementations.protocol`); docs/conventions.md has the conventions. ``dalembert quantities`` prints the table, which is in
quantities.toml (:mod:`mechanisms.quantities.declared`). Here are the selections that follow from it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any, get_args

from mechanisms.mechanism import Mechanism
from mechanisms.quantities.declared import CONSTRAINT_DERIVATIVES, DECLARED, RESTITUTIONS
from mechanisms.quantities.quantity import (
    FRAMES,
    MOMENTUM,
    MOTION,
    PARAMETERS,
    PLACEMENT,
    POSITIONS,
    VECTOR,
    Axis,
    ByConstrainedMotion,
    ByCoriolis,
    ByDelassus,
    ByForces,
    ByPosition,
    BySolution,
    ByValue,
    Group,
    Quantity,
    entries,
)

__all__ = [
    "ALL_GROUPS",
    "ALL_QUANTITIES",
    "ALL_USUAL",
    "BY_NAME",
    "CONSTRAINT_DERIVATIVES",
    "CONSTRAINT_QUANTITIES",
    "FRAMES",
    "GROUPS",
    "INTEGRATION",
    "MOMENTUM",
    "MOTION",
    "PARAMETERS",
    "PLACEMENT",
    "POSITIONS",
    "QUANTITIES",
    "RESTITUTIONS",
    "USUAL",
    "VECTOR",
    "Axis",
    "ByConstrainedMotion",
    "ByCoriolis",
    "ByDelassus",
    "ByForces",
    "ByPosition",
    "BySolution",
    "ByValue",
    "Quantity",
    "base_of",
    "by_quantity",
    "entries",
    "expand_groups",
    "quantities_of",
    "unknown_quantity",
]

BY_NAME: tuple[Group, ...] = ("frames", "motion-derivatives", "statics", "energy-regressors", "centroidal", "integration")
"""The groups that are compared only if they are named, or "all": they are large, or few mechanisms or engines have them."""

_GROUPS = get_args(Group)

ALL_QUANTITIES = dict(sorted(DECLARED.items(), key=lambda item: _GROUPS.index(item[1].group)))
"""Every quantity that an implementation may offer, by name, group after group."""

CONSTRAINT_QUANTITIES = {name: quantity for name, quantity in ALL_QUANTITIES.items() if quantity.group == "constraints"}
"""The quantities of a mechanism with constraints, beside those of its tree."""

QUANTITIES = {name: quantity for name, quantity in ALL_QUANTITIES.items() if name not in CONSTRAINT_QUANTITIES}
"""The quantities that every mechanism has."""

ALL_GROUPS: dict[str, tuple[str, ...]] = {
    group: tuple(name for name, quantity in ALL_QUANTITIES.items() if quantity.group == group) for group in _GROUPS
}
"""The names of every group's quantities."""

GROUPS = {group: names for group, names in ALL_GROUPS.items() if group != "constraints"}
"""The same, without the quantities of constraints."""

ALL_USUAL = tuple(name for name, quantity in ALL_QUANTITIES.items() if quantity.group not in BY_NAME)
"""The names of the quantities that are compared if none is named."""

USUAL = tuple(name for name in ALL_USUAL if name in QUANTITIES)
"""The same, without the quantities of constraints."""

INTEGRATION = GROUPS["integration"]
"""The quantities that contain exponentials and logarithms of motions. No recorded program computes them, and none is proven."""


def quantities_of(mechanism: Mechanism, names: Iterable[str]) -> tuple[str, ...]:
    """The names of quantities that this mechanism has: without constraints it has no quantities of constraints."""
    return tuple(name for name in names if name in QUANTITIES or mechanism.constraints)


def base_of(quantity: Quantity) -> Quantity | None:
    """What the quantity is a derivative of, component by component; None if it is no derivative."""
    return ALL_QUANTITIES.get(quantity.base or "")


def expand_groups(words: Iterable[str], groups: Mapping[str, tuple[str, ...]] = GROUPS) -> tuple[str, ...]:
    """Names of quantities, each once. The name of a group gives its quantities, "usual" gives those of all groups but
    :data:`BY_NAME`, "all" gives all. A word that names no group is kept unchanged."""
    usual = chain.from_iterable(names for group, names in groups.items() if group not in BY_NAME)
    known = {**groups, "usual": tuple(usual), "all": tuple(chain.from_iterable(groups.values()))}
    return tuple(dict.fromkeys(name for word in words for name in known.get(word, (word,))))


def unknown_quantity(name: str, groups: Mapping[str, tuple[str, ...]] = GROUPS) -> str:
    """The sentence that refuses ``name``, with the nearest name in ``groups`` if one is near."""
    near = difflib.get_close_matches(name, chain.from_iterable(groups.values()), n=1, cutoff=0.75)
    if near:
        return f"there is no quantity {name!r}; did you mean {near[0]!r}? `dalembert quantities` lists all"
    return f"there is no quantity {name!r}; use all, {', '.join(groups)}, usual or a name that `dalembert quantities` lists"


def by_quantity(functions: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Functions by the names of quantities.

    ``functions`` has one entry per family. The result has one entry per quantity, in the table's order. A function of a family
    that comes in several frames takes the frame as its argument ``frame``.
    """
    table = (quantity for quantity in QUANTITIES.values() if quantity.family in functions)
    return {
        quantity.name: partial(functions[quantity.family], frame=quantity.frame) if quantity.frame else functions[quantity.family]
        for quantity in table
    }
