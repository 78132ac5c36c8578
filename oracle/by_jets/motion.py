"""The transforms of all bodies along q + v t + ½ a t², as series in time, over any field.

    A = B D,        T = T_λ A,        Q = T_λ B ∂D                              with T = A for bodies on the root

T takes a body's points to the root, A to its parent λ. Every order in time needs the orders before it. So order zero is computed
once for a position, and the first order once for a position and a velocity, whichever quantities are asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracle.by_jets.jets import Jet
from oracle.by_jets.joint_jets import MovingPart
from oracle.by_jets.mimic_jets import following
from oracle.by_jets.system import System
from oracle.by_jets.transforms import after_rate, compose
from oracle.fields import Array, array


class Order(NamedTuple):
    """The terms of one order for all bodies: T and A (3, 4, batch), Q (3, 4, nv, batch), and B ∂D, which Q contains."""

    T: list[Array]
    A: list[Array]
    Q: list[Array]
    BdD: list[Array]


def transforms(system: System, q: Array, *rates: Array) -> tuple[list[Jet], list[Jet], list[Jet]]:
    """T, A and Q of every body at q (nq, batch).

    ``rates`` are v and a (nv, batch), v alone, or none: T and A are of second, first or zeroth order in time. Q is of first order
    at most.
    """
    if system.kept is None:
        system = system._replace(kept={})  # The orders share the ones before them.
    orders = [system.once(_positions, q)[0]]
    if rates:
        orders.append(system.once(_velocities, q, rates[0])[0])
    if rates[1:]:
        orders.append(system.once(_accelerations, q, *rates))
    T, A = ([Jet(*terms) for terms in zip(*(order[k] for order in orders), strict=True)] for k in (0, 1))
    return T, A, [Jet(*terms) for terms in zip(*(order.Q for order in orders[:2]), strict=True)]


def _positions(system: System, q: Array) -> tuple[Order, list[tuple[Array, MovingPart]]]:
    """Order zero, and B and D of every joint."""
    root = array(system.field, np.eye(3, 4, dtype=int))[..., None]
    joints = [following(link.joint, link.mimic, q[link.q], system.field) for link in system.links]
    at = Order([], [], [], [])
    for link, (B, part) in zip(system.links, joints, strict=True):
        parent = root if link.parent < 0 else at.T[link.parent]
        at.A.append(compose(B, part.D))
        at.BdD.append(after_rate(B, part.dD))
        at.T.append(compose(parent, at.A[-1]))
        at.Q.append(after_rate(parent, at.BdD[-1]))
    return at, joints


def _velocities(system: System, q: Array, v: Array) -> tuple[Order, list[Array]]:
    """The first order, and the rate of ∂D of every joint."""
    at, joints = system.once(_positions, q)
    rates: list[Array] = []
    now = Order([], [], [], [])
    for i, (link, (B, part)) in enumerate(zip(system.links, joints, strict=True)):
        rates.append((part.ddD * v[link.v]).sum(-2))
        now.A.append(after_rate(B, (part.dD * v[link.v]).sum(-2)))
        now.BdD.append(after_rate(B, rates[i]))
        if (λ := link.parent) < 0:
            now.T.append(now.A[i])
            now.Q.append(now.BdD[i])
        else:
            now.T.append(after_rate(at.T[λ], now.A[i]) + compose(now.T[λ], at.A[i]))
            now.Q.append(after_rate(at.T[λ], now.BdD[i]) + after_rate(now.T[λ], at.BdD[i]))
    return now, rates


def _accelerations(system: System, q: Array, v: Array, a: Array) -> Order:
    """The second order of T and A."""
    (at, joints), (first, rates) = system.once(_positions, q), system.once(_velocities, q, v)
    now = Order([], [], [], [])
    for i, (link, (B, part)) in enumerate(zip(system.links, joints, strict=True)):
        now.A.append(after_rate(B, (part.dD * a[link.v] + rates[i] * v[link.v]).sum(-2) / 2))
        if (λ := link.parent) < 0:
            now.T.append(now.A[i])
        else:
            T = after_rate(at.T[λ], now.A[i]) + after_rate(first.T[λ], first.A[i])
            now.T.append(T + compose(now.T[λ], at.A[i]))
    return now
