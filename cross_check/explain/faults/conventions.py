"""Conventions: ways to read q, v, a and forces, to mean an answer, and to read a mechanism, that differ from ours throughout.

A convention of coordinates is *kept* where what code reads and what it answers change together. Code that keeps it only where
it reads, or only where it answers, is a hypothesis of its own. ``Fault.inverse`` has the source of a wrapper that undoes the
convention (:mod:`cross_check.explain.faults.changes.wrappers`).

On a mechanism that uses every parameter all of them are different functions. Some are the same on simpler ones:

- without armature, damping, gravity, products of inertia or bodies without mass, hypotheses on these say nothing;
- where placements turn about one axis at a time, as in ur5, the order of roll, pitch and yaw makes no difference;
- where two moments of inertia of every body are equal, as in ur5, their exchange makes none;
- M alone does not tell an order of joints that is kept from one in the answers only, if q reads the same;
- at w < 0, a quaternion whose w has lost its sign is that of the inverse rotation.
"""

from __future__ import annotations

from itertools import combinations

from cross_check.explain.faults.answers.conventions import ANSWERS
from cross_check.explain.faults.answers.frames import FRAMES_OF_FORCES
from cross_check.explain.faults.changes import states as ws
from cross_check.explain.faults.coordinates.joints import along_the_joint, in_units, of_angles, of_free_joints, of_quaternions
from cross_check.explain.faults.coordinates.orders import ORDERS, of_order
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.readings.mechanisms import WHOLE

ARGUMENTS = tuple(
    Fault(f"{one} and {other} are exchanged".replace("tau", "τ"), "arguments", state=ws.exchanged(one, other))
    for one, other in combinations(("q", "v", "a", "tau"), 2)
)
"""Arguments in another order: no convention, because code that answers in it answers another question."""

CONVENTIONS: tuple[Fault, ...] = (
    *of_free_joints(),
    *of_quaternions(),
    *in_units(),
    *of_angles(),
    *along_the_joint(),
    *(fault for words, order in ORDERS for fault in of_order(words, order)),
    *FRAMES_OF_FORCES,
    *ANSWERS,
    *WHOLE,
)
