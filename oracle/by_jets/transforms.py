"""The transforms of all bodies along q + v t + ½ a t², as series in time, over any field.

    A = B D,        T = T_λ A,        Q = T_λ B ∂D                              with T = A for bodies on the root

T takes a body's points to the root, A to its parent λ. Every order in time needs the orders before it. So order zero is computed
once for a position, and the first order once for a position and a velocity, whichever quantities are asked for.

A coordinate may take the place of time: T + ε ∂ᵢT is a series too. So a Jacobian is computed as a velocity is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from oracle.by_jets.jets import Jet, after_rate, compose
from oracle.by_jets.joint_jets import MovingPart, following
from oracle.by_jets.system import System, rest
from oracle.fields import Array, array


class Order(NamedTuple):
    """The terms of one order for all bodies: T and A (3, 4, batch), Q (3, 4, nv, batch), and B ∂D, which Q contains."""

    T: list[Array]
    A: list[Array]
    Q: list[Array]
    BdD: list[Array]

    def append(self, *terms: Array) -> None:
        """Append the terms of one body, in this order."""
        for bodies, term in zip(self, terms, strict=True):
            bodies.append(term)


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


def in_time(system: System, q: Array, *rates: Array) -> list[Jet]:
    """T of every body (3, 4, batch), of the order of the ``rates`` that are given."""
    return transforms(system, q, *rates)[0]


def at_constant_velocity(system: System, q: Array, v: Array) -> list[Jet]:
    """T of every body (3, 4, batch) to second order, at zero acceleration."""
    return in_time(system, q, v, rest(system, q))


def along_coordinates(system: System, q: Array) -> list[Jet]:
    """T + ε ∂ᵢT of every body, for every coordinate i (3, 4, nv, batch)."""
    zero = rest(system, q)
    T, A, Q = transforms(system, q)
    dT: list[Array] = []
    for i, link in enumerate(system.links):
        partials = zero * T[i].now[:, :, None] if link.parent < 0 else compose(dT[link.parent], A[i].now)
        partials[:, :, link.v] = partials[:, :, link.v] + Q[i].now
        dT.append(partials)
    return [Jet(x.now[:, :, None], partials) for x, partials in zip(T, dT, strict=True)]


def _positions(system: System, q: Array) -> tuple[Order, list[tuple[Array, MovingPart]]]:
    """Order zero, and B and D of every joint."""
    root = array(system.field, np.eye(3, 4, dtype=int))[..., None]
    joints = [following(link.joint, link.mimic, q[link.q], system.field) for link in system.links]
    at = Order([], [], [], [])
    for (λ, _), (B, part) in zip(_parents(system), joints, strict=True):
        A, BdD = joint_position(B, part)
        T, Q = body_position(root if λ < 0 else at.T[λ], A, BdD)
        at.append(T, A, Q, BdD)
    return at, joints


def _velocities(system: System, q: Array, v: Array) -> tuple[Order, list[Array]]:
    """The first order, and the rate of ∂D of every joint."""
    at, joints = system.once(_positions, q)
    rates: list[Array] = []
    now = Order([], [], [], [])
    for i, ((λ, own), (B, part)) in enumerate(zip(_parents(system), joints, strict=True)):
        A, BdD, rate = joint_velocity(B, part, v[own])
        T, Q = (A, BdD) if λ < 0 else body_velocity(at.T[λ], now.T[λ], at.A[i], at.BdD[i], A, BdD)
        now.append(T, A, Q, BdD)
        rates.append(rate)
    return now, rates


def _accelerations(system: System, q: Array, v: Array, a: Array) -> Order:
    """The second order of T and A."""
    (at, joints), (first, rates) = system.once(_positions, q), system.once(_velocities, q, v)
    now = Order([], [], [], [])
    for i, ((λ, own), (B, part)) in enumerate(zip(_parents(system), joints, strict=True)):
        now.A.append(joint_acceleration(B, part, rates[i], v[own], a[own]))
        orders = (at, first, now)
        now.T.append(now.A[i] if λ < 0 else body_acceleration(*(x.T[λ] for x in orders), *(x.A[i] for x in orders)))
    return now


def _parents(system: System) -> list[tuple[int, slice]]:
    """λ of every body, and the part of v that belongs to its joint."""
    return [(link.parent, link.v) for link in system.links]


# The bodies of the loops, for ``dalembert prove --every-tree``. The second order is half of the second derivative.


def joint_position(B: Array, part: MovingPart) -> tuple[Array, Array]:
    """A and B ∂D."""
    return compose(B, part.D), after_rate(B, part.dD)


def joint_velocity(B: Array, part: MovingPart, v: Array) -> tuple[Array, Array, Array]:
    """The first order of A and of B ∂D, and the rate of ∂D."""
    rate = (part.ddD * v).sum(-2)
    return after_rate(B, (part.dD * v).sum(-2)), after_rate(B, rate), rate


def joint_acceleration(B: Array, part: MovingPart, rate: Array, v: Array, a: Array) -> Array:
    """The second order of A, from the rate of ∂D."""
    return after_rate(B, (part.dD * a + rate * v).sum(-2) / 2)


def body_position(T: Array, A: Array, BdD: Array) -> tuple[Array, Array]:
    """T and Q of a body, from T of its parent."""
    return compose(T, A), after_rate(T, BdD)


def body_velocity(T: Array, T1: Array, A: Array, BdD: Array, A1: Array, BdD1: Array) -> tuple[Array, Array]:
    """The first order of T and Q of a body, from the two orders of T of its parent, and of A and B ∂D."""
    return after_rate(T, A1) + compose(T1, A), after_rate(T, BdD1) + after_rate(T1, BdD)


def body_acceleration(T: Array, T1: Array, T2: Array, A: Array, A1: Array, A2: Array) -> Array:
    """The second order of T of a body, from the three orders of T of its parent, and of A."""
    return after_rate(T, A2) + after_rate(T1, A1) + compose(T2, A)
