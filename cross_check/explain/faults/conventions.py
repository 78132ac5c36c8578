"""Conventions: ways to read q, v, a and forces, to mean an answer, and to read a mechanism, that differ from ours throughout.

A convention of coordinates is *kept* where what code reads and what it answers change together. Code that keeps it only where
it reads, or only where it answers, is a hypothesis of its own. ``Fault.inverse`` has the source of a wrapper that undoes the
convention (:mod:`cross_check.explain.faults.wrappers`).

On a mechanism that uses every parameter all of them are different functions. Some are the same on simpler ones:

- without armature, damping, gravity, products of inertia or bodies without mass, hypotheses on these say nothing;
- where placements turn about one axis at a time, as in ur5, the order of roll, pitch and yaw makes no difference;
- where two moments of inertia of every body are equal, as in ur5, their exchange makes none;
- M alone does not tell an order of joints that is kept from one in the answers only, if q reads the same;
- at w < 0, a quaternion whose w has lost its sign is that of the inverse rotation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

from cross_check.explain.faults import wrong_states as ws
from cross_check.explain.faults.answers import ANSWERS
from cross_check.explain.faults.fault import Fault
from cross_check.explain.faults.frames import FRAMES_OF_FORCES
from cross_check.explain.faults.joint_orders import ORDERS, of_order
from cross_check.explain.faults.misreadings import WHOLE
from cross_check.explain.faults.other_coordinates import OF_FREE_JOINTS, Coordinates, Rates
from cross_check.explain.faults.other_velocities import OTHER_VELOCITIES
from cross_check.explain.faults.positions import POSITIONS
from implementations.conventions import rates
from mechanisms import Mechanism

TWISTS: tuple[tuple[str, tuple[Rates, ...]], ...] = (
    ("along the body's axes", ()),
    ("the spatial twist in the joint's frame (world representation)", (rates.spatial,)),
    ("that of the body's origin along the joint's axes (mixed representation)", (rates.mixed,)),
    ("ω along the body's axes and ṗ along the joint's", (rates.linear_mixed,)),
    ("ω along the joint's axes and v along the body's", (rates.angular_mixed,)),
)
"""What the velocity of a free joint may be, and T."""

WITH_POINT = ((), (rates.mixed,), (rates.linear_mixed,))
"""T of those whose linear part is ṗ, so that an acceleration may be classical."""


def velocities() -> Iterator[Fault]:
    """What v and a of a free joint are: their frame, their order, and whether the acceleration is spatial or classical."""
    free = Coordinates("", "free base", kinds=("free",), helpers=OF_FREE_JOINTS)
    for words, twist in TWISTS:
        for order, swap in (("", ()), (", linear part first", (rates.linear_first,))):
            for acceleration, bias in (("", None), (", the acceleration is classical", rates.classical)):
                if (twist or swap or bias) and (twist in WITH_POINT or not bias):
                    clause = f"the velocity of a free joint is {words}{order}{acceleration}"
                    faults = replace(free, clause=clause, rates=(*twist, *swap), varies=bool(twist), bias=bias).faults()
                    # Of code that only reads the acceleration so, there is a typical fault already.
                    yield from (fault for k, fault in enumerate(faults) if twist or swap or k != 1)
    clause = "the acceleration of a free joint is measured against free fall"
    weighed = replace(free, clause=clause, bias=rates.weighed, bias_in_drifts=False, needs=_is_weighed)
    yield from weighed.faults()


def _is_weighed(m: Mechanism) -> bool:
    roots = (body for body, parent in zip(m.bodies, m.parents, strict=True) if parent < 0)
    return any(m.gravity) and any(body.joint.kind == "free" for body in roots)


ARGUMENTS = tuple(
    Fault(f"{one} and {other} are exchanged".replace("tau", "τ"), "arguments", state=ws.exchanged(one, other))
    for one, other in combinations(("q", "v", "a", "tau"), 2)
)
"""Arguments in another order: no convention, because code that answers in it answers another question."""

CONVENTIONS: tuple[Fault, ...] = (
    *velocities(),
    *POSITIONS,
    *OTHER_VELOCITIES,
    *(fault for words, order in ORDERS for fault in of_order(words, order)),
    *FRAMES_OF_FORCES,
    *ANSWERS,
    *WHOLE,
)
