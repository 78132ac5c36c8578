"""Positions, velocities, units and orders that code has for its joints. Wrappers for users contain the text of these functions.

The coordinates, and the bodies, may come in another order than that of the mechanism.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from cross_check.explain.faults.changes.wrappers import Mend
from cross_check.explain.faults.coordinates.conventions import Coordinates, identity, linear
from cross_check.explain.faults.fault import Fault, both
from implementations.conventions import rates
from implementations.conventions.positions import (
    coordinates_in_order,
    in_slots,
    orientation_moved,
    w_first,
    w_last,
    with_own_coordinates,
)
from mechanisms import Mechanism
from mechanisms.joint_kinds import JOINT_KINDS, Form, Kind
from mechanisms.quantities import QUANTITIES, USUAL

BALLS: tuple[Kind, ...] = tuple(kind for kind, declared in JOINT_KINDS.items() if "quaternion" in declared.forms)

EULER: tuple[Kind, ...] = tuple(kind for kind, declared in JOINT_KINDS.items() if declared.singular_angle is not None)

TWISTS = (
    ("along the body's axes", "body"),
    ("the spatial twist in the joint's frame (world representation)", "spatial"),
    ("that of the body's origin along the joint's axes (mixed representation)", "mixed"),
    ("ω along the body's axes and ṗ along the joint's", "angular body, linear mixed"),
    ("ω along the joint's axes and v along the body's", "angular mixed, linear body"),
    ("that of the centre of mass along the joint's axes", "center of mass"),
)
"""What the velocity of a free joint may be, and its name as code declares it."""

WITH_POINT = ("body", "mixed", "angular body, linear mixed", "center of mass")
"""Those whose linear part is that of a point along axes of one frame, so that an acceleration may be classical."""


def of_free_joints() -> Iterator[Fault]:
    """What v and a of a free joint are: their frame, their order, and whether the acceleration is spatial or classical."""
    orders, accelerations = ("", ", linear part first"), ("", ", the acceleration is classical")
    for (words, twist), order, acceleration in product(TWISTS, orders, accelerations):
        factors = rates.factors("free", twist, "linear first" if order else "")
        bias = rates.of_point(twist) if acceleration else None
        if (factors or bias) and (twist in WITH_POINT or not bias):
            clause = f"the velocity of a free joint is {words}{order}{acceleration}"
            code = Coordinates(clause, "free base", tuple(factors), bias, kinds=("free",))
            # Of code that only reads the acceleration so, there is a typical fault already.
            yield from (fault for k, fault in enumerate(code.faults()) if factors or k != 1)
    clause = "the acceleration of a free joint is measured against free fall"
    yield from Coordinates(clause, "free base", (), rates.weighed, bias_in_drifts=False, kinds=("free",)).faults()


def along_the_joint() -> Iterator[Fault]:
    """Velocities along the axes of the joint's frame instead of the body's."""
    ways: tuple[tuple[Kind, str, str], ...] = (
        ("spherical", "ω of a spherical joint", ""),
        ("planar", "the velocity of a planar joint", ""),
        ("planar", "the velocity of a planar joint", ", the acceleration is its rate"),
    )
    for kind, subject, acceleration in ways:
        words = f"{subject} is along the axes of the joint's frame{acceleration}"
        bias = partial(rates.classical, kind) if acceleration else None
        along = Coordinates(words, f"{kind} joints", tuple(rates.factors(kind, "joint", "")), bias, kinds=(kind,))
        yield from along.faults()
        # Code that computes M from accelerations, and turns velocities alone, has an M that is not symmetric.
        yield next(replace(along, clause=f"{words}, forces are along the body's", forces=False).faults())


def sums(power: int, mechanism: Any, slices: Sequence[slice]) -> Any:
    """The matrix that adds up angles along chains of revolute joints, or, with the power −1, takes their differences."""
    A = identity(slices)
    for i, parent in enumerate(mechanism.parents):
        if parent >= 0 and {mechanism.bodies[k].joint.kind for k in (i, parent)} == {"revolute"}:
            A[slices[i]] += A[slices[parent]]
    return np.linalg.matrix_power(A, power)


def ends_exchanged(mechanism: Any, slices: Sequence[slice]) -> Any:
    """The matrix that exchanges the first and the third angle of every joint with three angles."""
    A = identity(slices)
    for body, own in zip(mechanism.bodies, slices, strict=True):
        if body.joint.kind.startswith("euler"):
            A[own] = A[own][::-1]
    return A


def of_angles() -> Iterator[Fault]:
    """Sums of angles, and their order."""
    for clause, power in (
        ("angles are absolute, those along a chain of revolute joints added up", -1),
        ("angles along a chain of revolute joints are added up before they are used", 1),
    ):
        chain = linear(f"{clause} (q, v, a and τ)", "absolute angles", partial(sums, power), kinds=("revolute",))
        yield from chain.alone(f"{clause} (q alone)")
    clause = "the first and the third angle of a joint with three angles are exchanged (q, v, a and τ)"
    yield from linear(clause, "order of angles", ends_exchanged, kinds=EULER).faults()


def conjugated(e: Any) -> Any:
    return e * np.array([-1, -1, -1, 1])


W_FIRST = Coordinates(
    "quaternions are read with w first",
    "quaternions",
    positions=(partial(in_slots, "quaternion", w_last), partial(in_slots, "quaternion", w_first)),
    kinds=BALLS,
)


def of_quaternions() -> Iterator[Fault]:
    inverse = partial(in_slots, "quaternion", conjugated)
    yield from replace(W_FIRST, clause="quaternions are those of the inverse rotation", positions=(inverse, inverse)).faults()
    clause = "the quaternion of a free joint comes before its distances"
    moved = (partial(orientation_moved, -4), partial(orientation_moved, 4))
    yield from Coordinates(clause, "free base", positions=moved, kinds=("free",)).faults()


def multiplied(factor: float, x: Any) -> Any:
    return factor * x


def unit_rates(turns: bool, factor: float, mechanism: Any, q: Any) -> Any:
    """T (nv, nv): velocities of turns, or else of slides, are multiplied by ``factor``."""
    of_joints = (body.joint.description.coordinates for body in mechanism.driven)
    return np.diag([factor if coordinate.turns == turns else 1.0 for joint in of_joints for coordinate in joint])


def in_units() -> Iterator[Fault]:
    """In another unit: all of q, v and a; q alone; v and a alone."""
    units: tuple[tuple[str, Form, bool, float], ...] = (
        ("degrees", "angle", True, float(np.pi / 180)),
        ("millimetres", "distance", False, 1e-3),
    )
    for unit, form, turns, factor in units:
        ours, theirs = (partial(in_slots, form, partial(multiplied, k)) for k in (factor, 1 / factor))
        moving = tuple(kind for kind, declared in JOINT_KINDS.items() if any(c.turns == turns for c in declared.coordinates))
        factors = (partial(unit_rates, turns, factor),)
        code = Coordinates(f"q, v and a are in {unit}", "units", factors, positions=(ours, theirs), forces=False, kinds=moving)
        yield from code.alone(f"q is in {unit}", f"v and a are in {unit}")


Order = Callable[[Mechanism], Sequence[int]]
"""The indices of our bodies, in the order that code has them in."""


def depth_first(m: Any, rank: Callable[[int], Any] = int) -> list[int]:
    """A body, then all that it carries, those of the lowest ``rank`` first."""
    done: list[int] = []
    last_first = sorted(range(len(m.bodies)), key=rank, reverse=True)
    waiting = [i for i in last_first if m.parents[i] < 0]
    while waiting:
        done.append(waiting.pop())
        waiting += [i for i in last_first if m.parents[i] == done[-1]]
    return done


def breadth_first(m: Any) -> list[int]:
    """Bodies by the number of joints between them and the root."""
    depth: list[int] = []
    for parent in m.parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    return sorted(range(len(depth)), key=depth.__getitem__)


def reversed_order(m: Any) -> list[int]:
    return list(range(len(m.bodies)))[::-1]


def alphabetical(m: Any) -> list[int]:
    return sorted(range(len(m.bodies)), key=lambda i: str(m.bodies[i].joint.name))


def alphabetical_depth_first(m: Any) -> list[int]:
    """A body, then all that it carries, children by their joints' names."""
    return depth_first(m, alphabetical(m).index)


def in_order(order: Sequence[int], m: Any) -> Sequence[int]:
    """One order, for the mechanisms that have so many bodies."""
    return order if len(order) == len(m.bodies) else range(len(m.bodies))


def reordered(order: Callable[[Any], Sequence[int]], mechanism: Any, slices: Sequence[slice]) -> Any:
    """The matrix whose columns are those of joints in this order."""
    return identity(slices)[:, coordinates_in_order(slices, with_own_coordinates(mechanism, order(mechanism)))]


def differs(order: Order, m: Mechanism) -> bool:
    return list(order(m)) != list(range(len(m.bodies)))


def of_bodies(name: str, x: Any, order: Sequence[int], axis: int) -> Any:
    """The answer x to the quantity ``name`` with its bodies in this order; they are on ``axis``, or ten columns each."""
    if name == "joint_torque_regressor":
        return x[..., [10 * i + k for i in order for k in range(10)]]
    return np.take(x, order, axis)


def bodies_in_our_order(order: Callable[[Any], Sequence[int]], name: str, mechanism: Any, state: Any, ask: Any) -> Any:
    """What code with another order of bodies answers, in ours."""
    theirs = list(order(mechanism))
    if "f" in state:
        return ask(name, {**state, "f": state["f"][theirs]})
    return of_bodies(name, ask(name, state), np.argsort(theirs).tolist(), 0)


def body_order(clause: str, order: Order) -> Fault:
    """Bodies come in this order, in answers and in forces on bodies; ``clause`` is "bodies come depth first" or the like."""
    quantities = tuple(name for name in USUAL if {"bodies", "parameters"} & {*QUANTITIES[name].axes})
    mended = (*quantities, "inverse_dynamics_with_forces")
    return Fault(
        clause,
        "joint order",
        state=lambda m, state: {**state, "f": state["f"][:, np.argsort(order(m))]} if "f" in state else state,
        answer=lambda m, name, state, x: of_bodies(name, x, order(m), 1),
        quantities=quantities,
        needs=partial(differs, order),
        mends=(Mend(mended, partial(bodies_in_our_order, order)),),
    )


ORDERS: tuple[tuple[str, Order], ...] = (
    ("depth first", depth_first),
    ("breadth first", breadth_first),
    ("in reverse", reversed_order),
    ("in alphabetical order", alphabetical),
    ("depth first, siblings in alphabetical order", alphabetical_depth_first),
)


def of_order(words: str, order: Order) -> Iterator[Fault]:
    """Joints in this order, and joints and bodies in this order."""
    joints = tuple(linear(f"coordinates come {words}", "joint order", partial(reordered, order)).faults())
    bodies = body_order(f"bodies come {words}", order)
    together = replace(both(joints[0], bodies), name=f"joints and bodies come {words}", group="joint order")
    yield from (*joints, bodies, together)
