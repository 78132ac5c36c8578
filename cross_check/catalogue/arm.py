"""A robot arm as in text 003, §§22–29: screws and exponentials, and the tool's pose by the reference's transforms."""

from __future__ import annotations

from functools import reduce
from operator import matmul
from typing import Any, NamedTuple

from cross_check.catalogue.notation import (
    Ad,
    Angle,
    exp_screw,
    exp_slide,
    one,
    pose,
    undo,
    vector,
)
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import CHAIN, Motion, moving
from implementations.field import Tensor
from mechanisms import Joint


class Arm(NamedTuple):
    """A moving arm; ``screws`` are the ξ_i and ``M`` is the tool’s pose, both where all θ are 0."""

    m: Motion
    tool: Tensor
    """The tool’s pose in the last body."""
    screws: list[Tensor]
    M: Tensor
    e: list[Tensor]
    """e^{[ξ_i]θ_i}"""

    @property
    def T(self) -> Tensor:
        """The tool’s pose in the root’s frame, by the reference’s transforms."""
        return self.m.T[-1] @ self.tool

    @property
    def speeds(self) -> Tensor:
        return self.m.qd[:, 0]


def arm(p: Point) -> Arm:
    """A random arm with a revolute, a prismatic and a helical joint."""
    mechanism, tool = p.mechanism(*CHAIN), p.pose()
    m = moving(p, mechanism)
    home, screws, e = one(4), [], []
    for body, link, (q,) in zip(mechanism.bodies, m.model.links, m.q, strict=True):
        home = home @ placed_at(body.joint)
        ξ = Ad(home) @ link.S[:, 0, 0]
        screws.append(ξ)
        e.append(exp_slide(ξ, q) if body.joint.kind == "prismatic" else exp_screw(ξ, angle_of(p, q)))
    return Arm(m, tool, screws, home @ tool, e)


def placed_at(joint: Joint) -> Tensor:
    """The pose of a joint's frame in the parent body's frame."""
    rotation, translation = joint.placement.rotation, joint.placement.translation
    return pose(vector(*rotation.matrix).reshape(3, 3), vector(*translation))


def angle_of(p: Point, t: Any) -> Angle:
    """The angle that was drawn together with t = tan(θ/2)."""
    return Angle(p.field.angle(vector(t))[0], (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t), t)


def product(factors: list[Tensor]) -> Tensor:
    """The product of 4×4 matrices in this order."""
    return reduce(matmul, factors, one(4))


def in_tool(a: Arm) -> tuple[list[Tensor], list[Tensor]]:
    """ξ_i^t and e^{[ξ_i^t]θ_i}: the screws and their exponentials in the tool’s frame where all θ are 0."""
    return [Ad(undo(a.M)) @ ξ for ξ in a.screws], [undo(a.M) @ e @ a.M for e in a.e]
