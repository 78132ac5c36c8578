"""Terms that are wrong at the joints of some classes. The class of a joint is its kind, and its axis by name.

Such a fault names no joint, so that it is the same for every mechanism.
"""

from __future__ import annotations

from cross_check.exchange.results.plain_text import listing
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.scaled import Term, scaled_where
from mechanisms import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind
from mechanisms.numbers.exact import Vector

SKEW = "skew"

AXES: dict[tuple[int, int, int], str] = {
    (1, 0, 0): "+x",
    (0, 1, 0): "+y",
    (0, 0, 1): "+z",
    (-1, 0, 0): "−x",
    (0, -1, 0): "−y",
    (0, 0, -1): "−z",
}
"""The axes that have a name. All others are skew."""

JointClass = tuple[Kind, str]
"""A kind of joint, and the name of its axis in the joint's frame."""


def class_of(joint: Joint) -> JointClass:
    """The class of a joint; joints without an axis have z."""
    return joint.kind, axis_name(joint.axis)


def axis_name(axis: Vector) -> str:
    return next((name for named, name in AXES.items() if named == tuple(axis)), SKEW)


def scaled_at(term: Term, factor: float, classes: frozenset[JointClass]) -> Fault:
    """The term multiplied by ``factor`` at the joints of these classes."""
    # All of this is made of our own words: nothing of it comes from a file.
    kinds = tuple(kind for kind in MOVING if any(kind == one for one, _ in classes))

    def condition(link: str) -> str:
        return f"({link}.joint.kind, {AXES!r}.get(tuple({link}.joint.axis), {SKEW!r})) in {sorted(classes)!r}"

    return scaled_where(term, factor, condition, f" at {words(classes)}", kinds=kinds)


def words(classes: frozenset[JointClass]) -> str:
    """The joints of these classes, such as "revolute joints whose axis is none of +x, +y and +z"."""
    kinds: dict[frozenset[str], list[str]] = {}
    for kind in MOVING:
        if axes := frozenset(axis for one, axis in classes if one == kind):
            everywhere = not JOINT_KINDS[kind].has_axis or len(axes) == len(AXES) + 1
            kinds.setdefault(frozenset() if everywhere else axes, []).append(kind)
    return ", and at ".join(f"{listing(names)} joints{_whose(axes)}" for axes, names in kinds.items())


def _whose(axes: frozenset[str]) -> str:
    if not axes:
        return ""
    if SKEW not in axes:
        return f" whose axis is {' or '.join(name for name in AXES.values() if name in axes)}"
    return f" whose axis is none of {listing([name for name in AXES.values() if name not in axes])}"
