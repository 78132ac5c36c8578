"""The table of all quantities, from quantities.toml, which says what its words mean."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

from mechanisms.numbers.units import Unit
from mechanisms.quantities.quantity import (
    FRAMES,
    MOMENTUM,
    MOTION,
    PLACEMENT,
    VECTOR,
    Axis,
    ByConstrainedMotion,
    ByCoriolis,
    ByDelassus,
    ByForces,
    ByPosition,
    BySolution,
    ByValue,
    Judgement,
    Quantity,
)

AXES: Mapping[str, Axis] = {"vector": VECTOR, "placement": PLACEMENT, "motion": MOTION, "momentum": MOMENTUM}

JUDGEMENTS: Mapping[str, Callable[..., Judgement]] = {
    kind.__name__.removeprefix("By"): kind
    for kind in (ByValue, ByPosition, ByForces, BySolution, ByCoriolis, ByConstrainedMotion, ByDelassus)
}

PARTS = {"": ("", "", ""), "bodies": ("", "", ""), "frames": ("frame_", " of frames", "frames")}
"""What motions are of: what is before their names, what is behind their symbols and titles, and their group if it is another."""


def _quantities(group: str, name: str, table: dict[str, Any], found: Iterable[Quantity]) -> Iterator[Quantity]:
    """The quantities of one table; those that it refers to are ``found`` already."""
    how = table.pop("judged", {"by": "Value"})
    judged = JUDGEMENTS[how.pop("by")](**{key: Fraction(x) if key == "restitution" else x for key, x in how.items()})
    family = table.pop("derivative_of", None)
    for part in table.pop("of", "").split() or ("",):
        prefix, words, own = PARTS[part]
        given = {**table, "judged": judged, "group": own or group}
        given["meaning"] = given["meaning"].replace("body", "frame") if own else given["meaning"]
        if family:
            yield from [_derivative(one, words, **given) for one in found if one.family == prefix + family]
        elif part:
            yield from _motions(name, part, **given)
        else:
            yield _quantity(name, **given)


def _quantity(name: str, *, arguments: str, axes: str, unit: Iterable[int], title: str = "", **others: Any) -> Quantity:
    kinds = tuple(AXES.get(axis, cast("Axis", axis)) for axis in axes.split())
    title = title or name.replace("_", " ")
    return Quantity(name, title, arguments=tuple(arguments.split()), axes=kinds, unit=Unit(*unit), **others)


def _motions(
    name: str,
    part: str,
    *,
    symbol: str,
    axes: str,
    title: str = "",
    base: str | None = None,
    is_aligned: bool = False,
    **others: Any,
) -> Iterator[Quantity]:
    """A motion of every body or frame, in each of the frames that it comes in."""
    prefix, words, _ = PARTS[part]
    for frame in ("",) if is_aligned else FRAMES:
        yield _quantity(
            "_".join(filter(None, (prefix + name, frame))),
            symbol=" ".join(filter(None, (symbol + words, frame))),
            axes=f"{part} {axes}",
            title=" ".join(filter(None, (frame, (title or name.replace("_", " ")) + words))),
            frame=frame or None,
            base=base and "_".join(filter(None, (prefix + base, frame))),
            **others,
        )


def _derivative(one: Quantity, of: str, *, by: str, symbol: str = "", title: str = "", **others: Any) -> Quantity:
    """The derivative of a quantity by one argument, or by the state x = (q, v)."""
    letter, words = {"tau": ("τ", "τ"), "x": ("x", "the state")}.get(by, (by, by))
    per = {"v": (0, 0, -1), "tau": (1, 2, -2)}.get(by, (0, 0, 0))
    what, *where = one.symbol.split(" ", 1)
    return Quantity(
        "_".join(filter(None, (f"{one.family}_d{by.removeprefix('d')}", one.frame))),
        " ".join(filter(None, (one.frame, title + of))) if title else f"{one.title} by {words}",
        symbol or " ".join([f"∂{what}/∂{letter}", *where]),
        arguments={"v": ("q", "v"), "tau": ("q",)}.get(by, one.arguments),
        # A position moves with as many components as a velocity has.
        axes=(*("nv" if axis == "nq" else axis for axis in one.axes), "state" if by == "x" else "nv"),
        unit=Unit(*(exponent - below for exponent, below in zip(one.unit, per, strict=True))),
        frame=one.frame,
        needs_mass=one.needs_mass,
        base=one.name,
        by=by,
        **others,
    )


DECLARED: dict[str, Quantity] = {}
"""Every quantity that an implementation may offer, by name."""

CONSTRAINT_DERIVATIVES: dict[str, Quantity] = {}
"""What derivatives of constrained motion are made from, by name. No implementation offers them."""

for _group, _tables in tomllib.loads(Path(__file__).with_name("quantities.toml").read_text("utf-8")).items():
    for _name, _table in _tables.items():
        _into = DECLARED if _table.pop("is_offered", True) else CONSTRAINT_DERIVATIVES
        _into.update({one.name: one for one in _quantities(_group, _name, _table, DECLARED.values())})

RESTITUTIONS = {
    name.removeprefix("impact_velocity_"): one.judged.restitution
    for name, one in DECLARED.items()
    if name.startswith("impact_velocity_") and isinstance(one.judged, ByConstrainedMotion)
}
"""The restitution r of impacts, by the word at the end of a quantity's name."""
