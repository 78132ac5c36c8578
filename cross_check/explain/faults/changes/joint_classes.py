"""Classes of joints, at which a fault may act. The class of a joint is its kind, and its axis by name."""

from __future__ import annotations

from cross_check.exchange.results.plain_text import listing
from mechanisms import Joint
from mechanisms.joint_kinds import JOINT_KINDS, MOVING, Kind

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
    return joint.kind, next((name for axis, name in AXES.items() if axis == tuple(joint.axis)), SKEW)


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
