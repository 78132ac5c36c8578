"""Orders of joints: the coordinates, and the bodies, come in another order than that of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.changes.wrappers import Mend
from cross_check.explain.faults.coordinates.conventions import identity, linear
from cross_check.explain.faults.fault import Fault, both
from implementations.conventions.positions import coordinates_in_order, with_own_coordinates
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, USUAL

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
