"""Conventions of single joints, numbers that code takes for zero, and bodies that are taken for each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np

from cross_check.explain.faults import wrong_mechanisms as wm
from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.fault import Fault
from cross_check.memory import Array
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
        joint = body.joint
        for columns, what in (("q", "position"), ("v", "velocity"), ("a", "acceleration")):
            if columns != "q" or joint.nq == 1:
                yield _multiplied(joint.name, f"the {what} of {joint.name} is ignored", "ignored joints", 0, columns)
        if joint.nv == 1 and joint.nq == 1:
            for unit, factor in UNITS[joint.slots[0].form]:
                name = joint.name
                yield _multiplied(name, f"the position of {name} is in {unit}", "units", factor, "q")
                words = f"position, velocity and acceleration of {name} are in {unit}"
                yield _multiplied(name, words, "units", factor, "qva")
            yield _multiplied(joint.name, f"the position of {joint.name} has the wrong sign", "joints", -1, "q")
    pairs = list(combinations(mechanism.bodies, 2))
    for first, second in pairs if len(pairs) <= MOST_PAIRS else ():
        if first.inertia != second.inertia:
            yield _exchanged(first, second, whole=True)
            if first.inertia.mass != second.inertia.mass:
                yield _exchanged(first, second, whole=False)


def _multiplied(name: str, clause: str, group: str, factor: float, columns: str) -> Fault:
    def state(m: Mechanism, given: ws.State) -> ws.State:
        changed = dict(given)
        for body, q, v in zip(m.bodies, m.q_slices, m.v_slices, strict=True):
            for column in columns:
                if body.joint.name == name and column in given:
                    x: Array = changed[column].copy()
                    x[:, q if column == "q" else v] *= factor
                    changed[column] = x
        return changed

    return Fault(clause, group, state=state, needs=lambda m: _has_joint(m, name), where=(name,))


def _has_joint(mechanism: Mechanism, name: str) -> bool:
    return any(body.joint.name == name for body in mechanism.bodies)


def _exchanged(first: Body, second: Body, whole: bool) -> Fault:
    """Two bodies with the inertias, or only the masses, of each other."""
    what = "the inertias" if whole else "the masses"
    by_name = {first.name: second.inertia, second.name: first.inertia}

    def change(_: int, body: Body) -> Body:
        other = by_name.get(body.name)
        if other is None:
            return body
        return replace(body, inertia=other if whole else replace(body.inertia, mass=other.mass))

    def both_there(m: Mechanism) -> bool:
        return {first.name, second.name} <= {body.name for body in m.bodies}

    clause = f"{what} of {first.name} and {second.name} are exchanged"
    names = (first.name, second.name)
    return Fault(clause, "inertia", mechanism=lambda m: wm.with_bodies(m, change), needs=both_there, where=names)
