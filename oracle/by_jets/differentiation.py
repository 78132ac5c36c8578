"""Derivatives of the oracle's quantities: its functions run on dual numbers, exact over exact fields.

    ∂f/∂qₖ = d/dε f(q ⊕ ε eₖ, v, a),    ∂f/∂vₖ = d/dε f(q, v + ε eₖ, a),    Ṁ = d/dε M(q ⊕ ε v)        at ε = 0

q ⊕ v t is the position reached from q in the time t at the constant velocity v; see :func:`mechanisms.integrate`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechanisms import Mechanism
from mechanisms.joint_kinds import Form
from oracle.by_jets.dual import duals
from oracle.by_jets.system import Link, build
from oracle.fields import Array, Field, array

Function = Callable[..., Array]
"""A function of the system and of batch-last arrays, such as :func:`oracle.by_jets.variation.euler_lagrange`."""


class Derivatives:
    """The derivatives of one mechanism over ``field``. Arrays are batch-last, with elements of that field.

    Raises :class:`~oracle.errors.OracleError` as :func:`oracle.by_jets.system.build` does.
    """

    def __init__(self, mechanism: Mechanism, field: Field) -> None:
        self.field, self.duals = field, duals(field)
        self.system = build(mechanism, self.duals)

    def of(self, function: Function, by: str, q: Array, *rates: Array) -> Array:
        """The derivative of f(q), f(q, v) or f(q, v, a) at ``rates`` v and a, or at the first of them.

        ∂f/∂q (…, nv, batch) with v and a held fixed; ∂f/∂v (…, nv, batch) of a function f(q, v); and, if ``by`` is empty, the
        rate (…, batch) at the velocity v of a function f(q).
        """
        if not by:
            moving = self.moving(q, *(v[:, None] for v in rates))
            return self.duals.rates(function(self.system, moving), 1)[..., 0, :]
        n = len(self.system.armature)
        units = self._unit_directions(n, q.shape[-1])
        if by == "q":
            state = [self.moving(q, units), *(self.duals.constant(x, n) for x in rates)]
        else:
            state = [self.duals.constant(q, n), self.duals.with_rates(*rates, units)]
        return self.duals.rates(function(self.system, *state), n)

    def _unit_directions(self, n: int, batch: int) -> Array:
        """A unit step along every component of v: (nv, nv directions, batch)."""
        return np.broadcast_to(array(self.field, np.eye(n, dtype=int))[..., None], (n, n, batch))

    def moving(self, q: Array, v: Array) -> Array:
        """q with its rates at the velocities v (nv, directions, batch)."""
        rates = [self._rate(link, q[link.q, None], v[link.v]) for link in self.system.links if link.mimic is None]
        return self.duals.with_rates(q, np.concatenate(rates))

    def _rate(self, link: Link, q: Array, v: Array) -> Array:
        """One joint's q̇ (nq, directions, batch) at q (nq, 1, batch). For t = tan(q/2) it is the rate of the angle."""
        joint = link.joint.joint
        if not joint.velocity_is_body_twist:
            return np.concatenate([slot_rate(slot.form, q[slot.q], v[slot.v]) for slot in joint.slots])
        n = joint.description.distances
        if joint.slots[-1].form == "angle":
            (c, s), (turn, x, y) = self.field.cos_sin(q[n]), v
            return np.stack([c * x - s * y, s * x + c * y, turn])
        e, w, omega = q[n:-1], q[-1], v[:3]
        # ė = ½ e ⊗ (ω, 0)
        turning = [*(w * omega + cross(e, omega)), -(e * omega).sum(0)]
        sliding = [*rotated(e, w, v[3:])] if n else []
        return np.stack(sliding + [x / 2 for x in turning])


def slot_rate(form: Form, q: Array, v: Array) -> Array:
    """The rate of an angle or a distance, or of an angle's cosine and sine."""
    if form != "circle":
        return v
    c, s = q
    return np.stack([-s * v[0], c * v[0]])


def cross(a: Array, b: Array) -> Array:
    """a × b of (3, …) arrays."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotated(e: Array, w: Array, x: Array) -> Array:
    """x (3, …) rotated by the quaternion (e, w) of any length: x + 2 e × (e × x + w x) / |(e, w)|²."""
    return x + 2 * cross(e, cross(e, x) + w * x) / ((e * e).sum(0) + w * w)
