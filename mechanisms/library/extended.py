"""Mechanisms with more: on a free base, or with a frame at a general placement on every body and on the root."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

from mechanisms.body import Body, Frame
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError
from mechanisms.geometry import Placement, Rotation
from mechanisms.inertia import Inertia, box
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.reading import ROOT_JOINT

BASE = box(10, ("0.4", "0.3", "0.2"))
"""The base of a mechanism that was fixed to the ground: a 10 kg box, because the root has no inertia of its own."""


def on_free_base(mechanism: Mechanism, inertia: Inertia = BASE) -> Mechanism:
    """``mechanism`` with its root turned into the body "base" of this ``inertia``, outboard of the free joint "root_joint".

    Raises :class:`MechanismError` for a mechanism that is on a free joint already.
    """
    root = mechanism.root
    if any(body.parent == root and body.joint.kind == "free" for body in mechanism.bodies):
        raise MechanismError(f"mechanism {mechanism.name!r} is on a free joint already; take it as it is")
    base = Body("base", root, Joint(ROOT_JOINT, "free"), inertia)
    moved = (dataclasses.replace(body, parent="base") if body.parent == root else body for body in mechanism.bodies)
    frames = tuple(dataclasses.replace(frame, body=frame.body + 1) for frame in mechanism.frames)
    constraints = tuple(_moved(constraint, root) for constraint in mechanism.constraints)
    name = f"free:{mechanism.name}"
    return dataclasses.replace(mechanism, name=name, bodies=(base, *moved), frames=frames, constraints=constraints)


def _moved(constraint: Constraint, root: str) -> Constraint:
    """The constraint with what it has on the root on the base: a loop through the ground becomes one through the base."""
    first, second = ("base" if end == root else end for end in (constraint.first, constraint.second))
    return dataclasses.replace(constraint, first=first, second=second)


def framed(mechanism: Mechanism) -> Mechanism:
    """``mechanism`` with one more frame on the root and on every body, each at another placement: "frame 0", "frame 1", …."""
    frames = []
    for i in range(len(mechanism.bodies) + 1):
        place = Placement(Rotation(3 + i, 1, -2, 2), (Fraction(1, 4), Fraction(-1, 3 + i), Fraction(2, 5)))
        frames.append(Frame(f"frame {i}", f"weld {i}", i - 1, place))
    return dataclasses.replace(mechanism, name=f"framed:{mechanism.name}", frames=(*mechanism.frames, *frames))
