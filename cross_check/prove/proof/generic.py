"""Mechanisms in general position: a tree with its kinds of joints, in which every number is drawn at random.

An identity that holds for random geometry, inertia and gravity over a large field holds for every mechanism of that tree,
because a polynomial that is not zero has few zeros (Schwartz 1980, Zippel 1979).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from cross_check.prove.proof.objects import Constrained
from mechanisms import Body, Constraint, Frame, Inertia, Joint, Mechanism, Placement, Rotation
from mechanisms.joint_kinds import Kind, Slot
from mechanisms.mimic import Mimic
from mechanisms.numbers.exact import Scalar, Vector
from oracle.fields import half_angle

Draw = Callable[[], Scalar]
"""A fresh random element of the field."""

State = dict[str, list[Any]]
"""q, v and a; an angle q is given by t = tan(q/2), a quaternion has any length."""


def tree(
    parents: Sequence[int],
    kinds: Sequence[Kind],
    leaders: Sequence[int] | None = None,
    constraints: Sequence[Constrained] = (),
) -> Mechanism:
    """The mechanism with these parents (−1 for the root) and kinds of joints, with default numbers.

    ``leaders`` has the joint that each joint follows; a joint that follows itself, by default every one, moves on its own.
    Raises :class:`mechanisms.MechanismError` for what is no mechanism, and :class:`IndexError` for a body that does not exist.
    """
    followed = (Mimic(f"joint{k + 1}") if k != i else None for i, k in enumerate(leaders or range(len(kinds))))
    joints = [Joint(f"joint{i + 1}", kind, mimic=mimic) for i, (kind, mimic) in enumerate(zip(kinds, followed, strict=True))]
    names = ["world", *(f"body{i + 1}" for i in range(len(joints)))]
    pairs = enumerate(zip(parents, joints, strict=True))
    bodies = tuple(Body(names[i + 1], names[parent + 1], joint) for i, (parent, joint) in pairs)
    ties = tuple(
        Constraint(f"constraint{i}", names[one.first + 1], names[one.second + 1], tuple(one.directions))
        for i, one in enumerate(constraints, 1)
    )
    return Mechanism("tree", bodies, constraints=ties)


def generic(mechanism: Mechanism, draw: Draw) -> Mechanism:
    """The mechanism with every axis, placement, inertia, armature, damping, multiplier, offset and gravity drawn, and
    with all frames, also those of constraints."""
    bodies = tuple(
        Body(body.name, body.parent, _joint(body.joint, draw), Inertia(draw(), _many(draw, 3), _many(draw, 6)))
        for body in mechanism.bodies
    )
    gravity = _many(draw, 3)
    frames = tuple(replace(frame, placement=_placement(draw)) for frame in mechanism.frames)
    constraints = tuple(
        replace(one, first_placement=_placement(draw), second_placement=_placement(draw)) for one in mechanism.constraints
    )
    return Mechanism(mechanism.name, bodies, gravity, mechanism.root, frames, constraints=constraints)


def is_general(mechanism: Mechanism) -> bool:
    """Whether it has only what those of :func:`generic` have: no springs, no Coulomb friction and no gravity compensation."""
    return mechanism.lifted is None and all(body.joint.forces.keys() <= {"damping"} for body in mechanism.bodies)


def with_frames(mechanism: Mechanism) -> Mechanism:
    """The mechanism with a frame that is fixed to each of its bodies, and one that is fixed to the root."""
    carriers = range(-1, len(mechanism.bodies))
    return replace(mechanism, frames=tuple(Frame(f"frame{i + 1}", f"weld{i + 1}", i, Placement()) for i in carriers))


def generic_state(mechanism: Mechanism, draw: Draw) -> State:
    """Random q (nq), v and a (nv)."""
    q = [x for body in mechanism.driven for slot in body.joint.slots for x in _position(slot, draw)]
    return {"q": q, "v": list(_many(draw, mechanism.nv)), "a": list(_many(draw, mechanism.nv))}


def _position(slot: Slot, draw: Draw) -> Vector:
    if slot.form != "circle":
        return _many(draw, slot.q.stop - slot.q.start)
    return half_angle(draw())


def _joint(joint: Joint, draw: Draw) -> Joint:
    kind, numbers = joint.description, dict[str, Any]()
    numbers["placement"] = _placement(draw)
    if kind.takes_armature_and_damping:
        numbers |= {"armature": draw(), "damping": draw()}
    if kind.takes_pitch:
        numbers["pitch"] = draw()
    if kind.takes_second_axis:
        numbers["second_axis"] = direction(draw)
    # No axis is drawn for a joint without one: the numbers would count among those drawn, and mean nothing.
    if kind.has_axis:
        numbers["axis"] = direction(draw)
    if joint.mimic:
        numbers["mimic"] = Mimic(joint.mimic.joint, draw(), draw())
    return Joint(joint.name, joint.kind, **numbers)


def _placement(draw: Draw) -> Placement:
    return Placement(Rotation(*_many(draw, 4)), _many(draw, 3))


def direction(draw: Draw) -> Vector:
    """A vector of length 1, from a point of the plane by stereographic projection."""
    x, y = draw(), draw()
    n = x * x + y * y + 1
    return (2 * x / n, 2 * y / n, (x * x + y * y - 1) / n)


def _many(draw: Draw, n: int) -> Vector:
    return tuple(draw() for _ in range(n))
