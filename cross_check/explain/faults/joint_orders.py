"""Orders of joints: the coordinates, and the bodies, come in another order than that of the mechanism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cross_check.explain.faults.fault import Fault, both
from cross_check.explain.faults.other_coordinates import Coordinates, expression, source_of
from cross_check.explain.faults.wrappers import wrapper
from implementations.conventions.positions import coordinates_in_order
from mechanisms import Mechanism
from mechanisms.quantities import QUANTITIES, USUAL

Order = Callable[[Mechanism], Sequence[int]]
"""The indices of our bodies, in the order that code has them in."""


def depth_first(m: Any) -> list[int]:
    """A body, then all that it carries."""
    done: list[int] = []
    waiting = [i for i, parent in enumerate(m.parents) if parent < 0][::-1]
    while waiting:
        done.append(waiting.pop())
        waiting += [i for i, parent in enumerate(m.parents) if parent == done[-1]][::-1]
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
    done: list[int] = []
    by_name = sorted(range(len(m.bodies)), key=lambda i: str(m.bodies[i].joint.name), reverse=True)
    waiting = [i for i in by_name if m.parents[i] < 0]
    while waiting:
        done.append(waiting.pop())
        waiting += [i for i in by_name if m.parents[i] == done[-1]]
    return done


def in_order(order: Sequence[int], m: Any) -> Sequence[int]:
    """One order, for the mechanisms that have so many bodies."""
    return order if len(order) == len(m.bodies) else range(len(m.bodies))


def reordered(order: Callable[[Any], Sequence[int]], mechanism: Any, q: Any) -> Any:
    """T (nv, nv) with v = T v'."""
    return np.eye(mechanism.nv)[:, coordinates_in_order(mechanism.v_slices, order(mechanism))]


def position_from(order: Callable[[Any], Sequence[int]], mechanism: Any, q: Any) -> Any:
    """Our q, where that of the code comes in this order."""
    ours = np.empty_like(q)
    ours[..., coordinates_in_order(mechanism.q_slices, order(mechanism))] = q
    return ours


def position_in(order: Callable[[Any], Sequence[int]], mechanism: Any, q: Any) -> Any:
    """q of the code, where it comes in this order."""
    return q[..., coordinates_in_order(mechanism.q_slices, order(mechanism))]


def differs(order: Order, m: Mechanism) -> bool:
    return list(order(m)) != list(range(len(m.bodies)))


def joint_order(clause: str, order: Order) -> Coordinates:
    """Joints come in this order: ``clause`` is "joints come depth first" or the like."""
    return Coordinates(
        clause,
        "joint order",
        (partial(reordered, order),),
        position=partial(position_from, order),
        position_back=partial(position_in, order),
        needs=partial(differs, order),
        helpers=(coordinates_in_order, source_of(order)),
    )


def of_bodies(name: str, x: Any, order: Sequence[int], axis: int) -> Any:
    """The answer x to the quantity ``name`` with its bodies in this order; they are on ``axis``, or ten columns each."""
    if name == "joint_torque_regressor":
        return x[..., [10 * i + k for i in order for k in range(10)]]
    return np.take(x, order, axis)


def body_order(clause: str, order: Order) -> Fault:
    """Bodies come in this order, in answers and in forces on bodies; ``clause`` is as above."""
    quantities = tuple(name for name in USUAL if {"bodies", "parameters"} & {*QUANTITIES[name].axes})
    back = f"""
        order = list({expression(order)}(mechanism))
        if "f" in state:
            return ask(name, {{**state, "f": state["f"][order]}})
        return of_bodies(name, ask(name, state), np.argsort(order), 0)
    """
    return Fault(
        clause,
        "joint order",
        state=lambda m, state: {**state, "f": state["f"][:, np.argsort(order(m))]} if "f" in state else state,
        answer=lambda m, name, state, x: of_bodies(name, x, order(m), 1),
        quantities=quantities,
        needs=partial(differs, order),
        inverse=wrapper(clause, (*quantities, "inverse_dynamics_with_forces"), back, of_bodies, source_of(order)),
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
    joints = tuple(joint_order(f"coordinates come {words}", order).faults())
    bodies = body_order(f"bodies come {words}", order)
    together = replace(both(joints[0], bodies), name=f"joints and bodies come {words}", group="joint order")
    yield from (*joints, bodies, together)
