"""Mechanisms in general position: a tree and its joints' kinds are kept, every number is drawn anew.

What holds for random geometry, inertia and gravity over a large field holds for every mechanism of that tree: a
polynomial that is not zero has few zeros (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mechanisms import Body, Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.joint import QUATERNION, Kind
from mechanisms.numbers import Scalar, Vector

Draw = Callable[[], Scalar]
"""A fresh random element of the field."""

State = dict[str, list[Any]]
"""q, v and a; an angle q is given by t = tan(q/2), a quaternion has any length."""


def tree(parents: Sequence[int], kinds: Sequence[Kind]) -> Mechanism:
    """The mechanism with these parents (−1 for the root) and kinds of joints, its numbers of no account."""
    joints = [Joint(f"joint{i + 1}", kind) for i, kind in enumerate(kinds)]
    names = ["world", *(f"body{i + 1}" for i in range(len(joints)))]
    pairs = zip(parents, joints, strict=True)
    return Mechanism("tree", tuple(Body(names[i + 1], names[parent + 1], joint) for i, (parent, joint) in enumerate(pairs)))


def generic(mechanism: Mechanism, draw: Draw) -> Mechanism:
    """The mechanism with every axis, placement, inertia, armature, damping and gravity drawn."""
    bodies = tuple(
        Body(body.name, body.parent, _joint(body.joint, draw), Inertia(draw(), _many(draw, 3), _many(draw, 6)))
        for body in mechanism.bodies
    )
    return Mechanism(mechanism.name, bodies, _many(draw, 3), mechanism.root)


def generic_state(mechanism: Mechanism, draw: Draw) -> State:
    """Random q (nq), v and a (nv)."""
    q = [x for body in mechanism.bodies for x in _position(body.joint, draw)]
    return {"q": q, "v": list(_many(draw, mechanism.nv)), "a": list(_many(draw, mechanism.nv))}


def _position(joint: Joint, draw: Draw) -> Vector:
    if joint.kind != "continuous":
        return _many(draw, joint.nq)
    t = draw()
    return ((1 - t * t) / (1 + t * t), 2 * t / (1 + t * t))


def _joint(joint: Joint, draw: Draw) -> Joint:
    placement = Placement(Rotation(*_many(draw, 4)), _many(draw, 3))
    single: dict[str, Any] = {"armature": draw(), "damping": draw()} if joint.nv == 1 else {}
    if joint.kind == "helical":
        single["pitch"] = draw()
    if joint.kind == "universal":
        single["second_axis"] = direction(draw)
    # No axis for a joint that has none: drawn numbers would count, and stand for nothing.
    axis = {} if joint.kind in QUATERNION else {"axis": direction(draw)}
    return Joint(joint.name, joint.kind, placement=placement, **axis, **single)


def direction(draw: Draw) -> Vector:
    """A vector of length 1, from a point of the plane by stereographic projection."""
    x, y = draw(), draw()
    n = x * x + y * y + 1
    return (2 * x / n, 2 * y / n, (x * x + y * y - 1) / n)


def _many(draw: Draw, n: int) -> Vector:
    return tuple(draw() for _ in range(n))
