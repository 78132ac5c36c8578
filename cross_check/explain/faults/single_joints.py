"""Conventions of single joints, numbers that code takes for zero, and bodies that are taken for each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
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
        multiplied = partial(_multiplied, name)
        for columns, what in (("q", "position"), ("v", "velocity"), ("a", "acceleration")):
            if columns != "q" or joint.nq == 1:
                yield multiplied(f"the {what} of {name} is ignored", "ignored joints", 0, columns)
        if joint.nv == 1 and joint.nq == 1:
            for unit, factor in UNITS[joint.slots[0].form]:
                yield multiplied(f"the position of {name} is in {unit}", "units", factor, "q")
                yield multiplied(f"position, velocity and acceleration of {name} are in {unit}", "units", factor, "qva")
            yield multiplied(f"the position of {name} has the wrong sign", "joints", -1, "q")
    pairs = list(combinations(mechanism.bodies, 2))
    for first, second in pairs if len(pairs) <= MOST_PAIRS else ():
        if first.inertia != second.inertia:
            yield _exchanged("inertias", first, second)
            if first.inertia.mass != second.inertia.mass:
                yield _exchanged("masses", first, second)


def _multiplied(name: str, clause: str, group: str, factor: float, columns: str) -> Fault:
    def needs(m: Mechanism) -> bool:
        return any(body.joint.name == name for body in m.bodies)

    def state(m: Mechanism, given: ws.State) -> ws.State:
        changed = {column: x.copy() if column in columns else x for column, x in given.items()}
        for body, q, v in zip(m.bodies, m.q_slices, m.v_slices, strict=True):
            for column in given.keys() & {*columns} if body.joint.name == name else ():
                changed[column][:, q if column == "q" else v] *= factor
        return changed

    return Fault(clause, group, state=state, needs=needs, where=(name,))


def _exchanged(what: str, first: Body, second: Body) -> Fault:
    """Two bodies with the inertias, or only the masses, of each other."""
    others = {first.name: second.inertia, second.name: first.inertia}

    def change(_: int, body: Body) -> Body:
        other = others.get(body.name, body.inertia)
        return replace(body, inertia=other if what == "inertias" else replace(body.inertia, mass=other.mass))

    def both_there(m: Mechanism) -> bool:
        return others.keys() <= {body.name for body in m.bodies}

    clause = f"the {what} of {first.name} and {second.name} are exchanged"
    return Fault(clause, "inertia", mechanism=lambda m: wm.with_bodies(m, change), needs=both_there, where=tuple(others))
