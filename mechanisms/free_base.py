"""A mechanism on a free base."""

from __future__ import annotations

import dataclasses

from mechanisms.body import Body
from mechanisms.constraint import Constraint
from mechanisms.errors import MechanismError
from mechanisms.inertia import Inertia, box
from mechanisms.joint import Joint
from mechanisms.mechanism import Mechanism
from mechanisms.reading import ROOT_JOINT

BASE = box(10, ("0.4", "0.3", "0.2"))
"""The base of a mechanism that was fixed to the ground: a 10 kg box, because the root has no inertia of its own."""


def on_free_base(mechanism: Mechanism, inertia: Inertia = BASE) -> Mechanism:
    """``mechanism`` with its root turned into the body "base" of this ``inertia``, behind the free joint "root_joint".

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
