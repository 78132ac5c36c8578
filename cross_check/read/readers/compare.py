"""Where two readings of one file differ, row by row. The first row that differs is nearest to the cause."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mechanisms.reading import Reading, ReadJoint, ReadMimic

EXACT = 1e-11
"""Readings that differ by less, relative to the size of what is compared, are the same: readers round in other orders."""

FEW_DIGITS = 1e-5
"""Differences below are lost digits: float32, six printed digits, an eigenvalue decomposition."""


@dataclass(frozen=True)
class Difference:
    """One number, or one fact, that two readers take differently from a file."""

    row: str
    joint: str
    """The moving joint; empty for what concerns no single joint."""
    ours: str
    theirs: str
    size: float | None
    """Relative to the size of what is compared; None where it is no number that differs."""

    @property
    def is_digits(self) -> bool:
        return self.size is not None and self.size <= FEW_DIGITS


Values = Callable[[ReadJoint], Sequence[float | None]]

Scale = Callable[[ReadJoint, float], float]


def _moment(joint: ReadJoint, reach: float) -> float:
    """The size of what is summed where inertias are added and moved."""
    distance = max(map(abs, joint.carries.com), default=0.0)
    return max(max(map(abs, joint.carries.inertia)), 1e-4 * joint.carries.mass * distance * distance)


class Row(NamedTuple):
    """What is compared: the numbers of a joint, and their size, for a robot with this reach (m)."""

    values: Values = lambda joint: ()
    scale: Scale = lambda joint, reach: 0.0


ROWS = {
    # Which joints move, of which kind, and which joint carries the parent.
    "joints": Row(),
    # The joint's origin (m), and its axis. All vectors are along the root's axes, and points are in its frame.
    "origins": Row(lambda joint: joint.origin, lambda joint, reach: reach),
    "axes": Row(lambda joint: joint.axis, lambda joint, reach: 1.0),
    # Of what each joint carries: mass (kg), centre of mass (m), unless nothing has mass, and moments about it (kg m²).
    "mass": Row(lambda joint: (joint.carries.mass,)),
    "com": Row(lambda joint: joint.carries.com if joint.carries.mass else (), lambda joint, reach: reach),
    "inertia": Row(lambda joint: joint.carries.inertia, _moment),
    "limits": Row(lambda joint: joint.limits),
    "damping": Row(lambda joint: (joint.damping,)),
    "armature": Row(lambda joint: (joint.armature,)),
    "friction": Row(lambda joint: (joint.friction,)),
    # The mass that gravity compensation lifts (kg).
    "lifted": Row(lambda joint: (joint.lifted,)),
    "gravity": Row(),
}
"""What is compared, in this order, at position zero. A centre of mass follows the joint's place."""


def differences(ours: Reading, theirs: Reading) -> tuple[Difference, ...]:
    """Every difference, in the order of :data:`ROWS`. Joints correspond by their names; their order is no difference."""
    mine, other = ({joint.name: joint for joint in reading.joints} for reading in (ours, theirs))
    both = [(joint, other[name]) for name, joint in mine.items() if name in other]
    found = [*_structure(mine, other, ours.tells_mimic and theirs.tells_mimic)]
    reach = max((abs(x) for joint in ours.joints for x in (*joint.origin, *joint.carries.com)), default=0.0) or 1.0
    for row in ROWS:
        found += _in_limits(both, theirs) if row == "limits" else _in_numbers(row, both, reach)
    if (size := _distance(ours.gravity, theirs.gravity, 9.81)) > EXACT:
        found.append(_difference("gravity", "", ours.gravity, theirs.gravity, size))
    return tuple(found)


def compared_rows(ours: Reading, theirs: Reading) -> tuple[str, ...]:
    """The rows of which both readings have something for some joint."""
    other = {joint.name: joint for joint in theirs.joints}
    both = [(joint, other[joint.name]) for joint in ours.joints if joint.name in other]
    kept = {
        row
        for row, (values, _) in ROWS.items()
        if any(a is not None and b is not None for one, two in both for a, b in zip(values(one), values(two), strict=False))
    }
    return tuple(row for row in ROWS if row in kept or row in ("joints", "gravity"))


def order_differs(ours: Reading, theirs: Reading) -> bool:
    """Whether two readers number the joints that both have in another order."""
    names = {joint.name for joint in ours.joints} & {joint.name for joint in theirs.joints}
    one, other = ([joint.name for joint in reading.joints if joint.name in names] for reading in (ours, theirs))
    return one != other


def _structure(mine: dict[str, ReadJoint], other: dict[str, ReadJoint], tells_mimic: bool) -> Iterator[Difference]:
    for name, joint in mine.items():
        if name not in other:
            yield Difference("joints", name, joint.kind, "does not move", None)
            continue
        that = other[name]
        if joint.kind != that.kind:
            yield Difference("joints", name, joint.kind, that.kind, None)
        if joint.parent != that.parent:
            yield Difference("joints", name, f"on {joint.parent!r}", f"on {that.parent!r}", None)
        if tells_mimic and joint.mimic != that.mimic:
            yield Difference("joints", name, _following(joint.mimic), _following(that.mimic), None)
    for name, joint in other.items():
        if name not in mine:
            yield Difference("joints", name, "does not move", joint.kind, None)


def _following(mimic: ReadMimic | None) -> str:
    return f"follows {mimic.leader!r}, {mimic.multiplier:g} q {mimic.offset:+g}" if mimic else "moves by itself"


def _in_numbers(row: str, both: Sequence[tuple[ReadJoint, ReadJoint]], reach: float) -> Iterator[Difference]:
    values, scale = ROWS[row]
    for a, b in both:
        one, other = values(a), values(b)
        if one and other and (size := _distance(one, other, max(scale(a, reach), scale(b, reach)))) > EXACT:
            yield _difference(row, a.name, one, other, size)


def _in_limits(both: Sequence[tuple[ReadJoint, ReadJoint]], theirs: Reading) -> Iterator[Difference]:
    """A reader that keeps a limit of some joints has dropped it where it keeps none."""
    kept = [any(joint.limits[k] is not None for joint in theirs.joints) for k in range(4)]
    for a, b in both:
        other = [
            math.inf if kept[k] and mine is not None and theirs_ is None else theirs_
            for k, (mine, theirs_) in enumerate(zip(a.limits, b.limits, strict=True))
        ]
        if (size := _distance(a.limits, other, 1.0)) > EXACT:
            yield _difference("limits", a.name, a.limits, b.limits, size)


def _difference(row: str, joint: str, ours: Sequence[float | None], theirs: Sequence[float | None], size: float) -> Difference:
    return Difference(row, joint, written(ours), written(theirs), size if math.isfinite(size) else None)


def _distance(one: Sequence[float | None], other: Sequence[float | None], scale: float) -> float:
    """The largest difference of two numbers that both readers have, relative to ``scale`` or to the number if that is larger.

    Infinite where one of them is not finite and the other one is not the same.
    """
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None and a != b]
    if any(not (math.isfinite(a) and math.isfinite(b)) for a, b in pairs):
        return math.inf
    return max((abs(a - b) / (max(scale, abs(a)) or max(abs(a), abs(b))) for a, b in pairs), default=0.0)


def written(values: Sequence[float | None]) -> str:
    """The numbers, in as few digits as needed to see differences of readers."""
    return " ".join("–" if x is None else f"{x + 0.0:.7g}" for x in values)
