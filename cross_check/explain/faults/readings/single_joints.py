"""Conventions of single joints, numbers that code takes for zero, and bodies that are taken for each other."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from cross_check.explain.faults.changes import mechanisms as wm
from cross_check.explain.faults.changes.bodies import INERTIA, MASS, Numbers, taken
from cross_check.explain.faults.coordinates.special_states import at_joint
from cross_check.explain.faults.fault import Fault
from mechanisms import Body, Mechanism
from mechanisms.joint_kinds import Form

MOST_PAIRS = 100
"""If there are more pairs of bodies, pairs are not tried."""

UNITS: dict[Form, tuple[tuple[str, float], ...]] = {
    "angle": (("degrees", np.pi / 180), ("degrees where radians are meant", 180 / np.pi)),
    "distance": (("millimetres", 1e-3), ("metres where millimetres are meant", 1e3)),
}


def of_single_joints(mechanism: Mechanism) -> Iterator[Fault]:
    """What one joint does is ignored; its position is in another unit; inertias of two bodies are exchanged."""
    for body in mechanism.bodies:
        joint, name = body.joint, body.joint.name
        for columns, what in (("q", "position"), ("v", "velocity"), ("a", "acceleration")):
            if columns != "q" or joint.nq == 1:
                yield at_joint(f"the {what} of {name} is ignored", "ignored joints", name, columns, np.zeros_like)
        if joint.nv == 1 and joint.nq == 1:
            for unit, factor in UNITS[joint.slots[0].form]:
                change = partial(np.multiply, factor)
                yield at_joint(f"the position of {name} is in {unit}", "units", name, "q", change)
                said = f"position, velocity and acceleration of {name} are in {unit}"
                yield at_joint(said, "units", name, "qva", change)
            yield at_joint(f"the position of {name} has the wrong sign", "joints", name, "q", np.negative)
    pairs = list(combinations(mechanism.bodies, 2))
    for first, second in pairs if len(pairs) <= MOST_PAIRS else ():
        if first.inertia != second.inertia:
            yield _exchanged(INERTIA, "the inertias", first, second)
            if first.inertia.mass != second.inertia.mass:
                yield _exchanged(MASS, "the masses", first, second)


def _exchanged(numbers: Numbers, what: str, first: Body, second: Body) -> Fault:
    """Two bodies have these numbers of each other."""
    others = {first.name: second, second.name: first}

    def both_there(m: Mechanism) -> bool:
        return others.keys() <= {body.name for body in m.bodies}

    clause = f"{what} of {first.name} and {second.name} are exchanged"
    change = wm.every(lambda body: taken(numbers, body, others[body.name]), lambda body: body.name in others)
    return Fault(clause, "inertia", mechanism=change, needs=both_there, where=tuple(others))
