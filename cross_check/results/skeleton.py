"""A mechanism's shape in one pose, as frozen objects: enough to draw it. :mod:`cross_check.pose` computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cross_check.results.codec import Frozen


@dataclass(frozen=True)
class Bone(Frozen):
    """One body of a mechanism and the joint that carries it. Points are in metres, along the root's axes."""

    body: str
    joint: str
    kind: str
    """Of the joint."""
    parent: int
    """The index of the body that carries it, -1 for the root."""
    start: Sequence[float]
    """The origin of the joint's frame, which is fixed to the parent."""
    origin: Sequence[float]
    """The origin of the body's frame."""
    center: Sequence[float]
    """The body's centre of mass; its origin if it has no mass."""
    axis: Sequence[float]
    """The joint's axis, a unit vector; empty if joints of this kind have none."""


Skeleton = Sequence[Bone]
"""The bodies of a mechanism in their order."""
