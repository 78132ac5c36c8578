"""Derivatives of the oracle's quantities: its functions run on dual numbers, exact over exact fields.

    ∂f/∂qₖ = d/dε f(q ⊕ ε eₖ, v, a),    ∂f/∂vₖ = d/dε f(q, v + ε eₖ, a),    Ṁ = d/dε M(q ⊕ ε v)        at ε = 0

q ⊕ v t is the position reached from q in the time t at the constant velocity v; see :func:`mechanisms.integrate`.

Dual numbers are x + Σ ẋₖ εₖ, where εₖ εₗ = 0. A computation with them gives derivatives, by the chain rule:

    f(x + Σ ẋₖ εₖ) = f(x) + Σ f′(x) ẋₖ εₖ        (A. Griewank, A. Walther, "Evaluating Derivatives", 2nd ed. 2008, §3.1)

The number is x. Its rates are the ẋₖ, one for every direction k in which the arguments move.

A dual number is a pair of a number and its rates, :class:`Dual`. Derivatives are exact if the field is. Recorded values have no
pairs: their rates are recorded when they are asked for (:mod:`machine.recording.tangents`).

The rate of an angle is that of the angle q, also in fields where t = tan(q/2) is given. The algorithms use t only through
cosine and sine, whose rates are −sin q and cos q times the angle's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from machine.recording.tangents import tangents
from machine.recording.values import Values
from mechanisms import Mechanism
from mechanisms.joint_kinds import Form
from oracle.by_jets.system import Link, build
from oracle.fields import Array, Field, Recorded, array, each

Function = Callable[..., Array]
"""A function of the system and of batch-last arrays, such as :func:`oracle.by_jets.variation.euler_lagrange`."""


class Dual:
    """x + Σ ẋₖ εₖ over Python scalars. ``rates`` is an array of the ẋₖ, or None for a constant. Integers may be mixed in."""

    __slots__ = ("rates", "x")

    def __init__(self, x: Any, rates: Array | None = None) -> None:
        self.x, self.rates = x, rates

    def __add__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.x + other, self.rates)
        return Dual(self.x + other.x, _sum(self.rates, other.rates))

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(-self.x, _times(self.rates, -1))

    def __sub__(self, other: Any) -> Dual:
        return self + -other

    def __rsub__(self, other: Any) -> Dual:
        return -self + other

    def __mul__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.x * other, _times(self.rates, other))
        return Dual(self.x * other.x, _sum(_times(self.rates, other.x), _times(other.rates, self.x)))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Dual:
        if not isinstance(other, Dual):
            return Dual(self.x / other, None if self.rates is None else self.rates / other)
        quotient = self.x / other.x
        rates = _sum(self.rates, _times(other.rates, -quotient))
        return Dual(quotient, None if rates is None else rates / other.x)

    def __rtruediv__(self, other: Any) -> Dual:
        quotient = other / self.x
        return Dual(quotient, None if self.rates is None else self.rates * -quotient / self.x)

    def __eq__(self, other: object) -> bool:
        """Whether the numbers are equal. Rates do not count, so that algorithms take the same branches as without rates."""
        return bool(self.x == (other.x if isinstance(other, Dual) else other))

    def __ne__(self, other: object) -> bool:
        return bool(self.x != (other.x if isinstance(other, Dual) else other))

    __hash__ = None  # type: ignore[assignment]


def _sum(a: Array | None, b: Array | None) -> Array | None:
    return b if a is None else a if b is None else a + b


def _times(rates: Array | None, x: Any) -> Array | None:
    return None if rates is None else rates * x


@dataclass(frozen=True)
class Duals:
    """The dual numbers over ``field``; they are a :class:`~oracle.fields.Field` too."""

    field: Field
    dtype = np.dtype(object)

    def number(self, value: Any) -> Any:
        return value if isinstance(value, Dual) else Dual(self.field.number(value))

    def constant(self, x: Array, directions: int) -> Array:
        """x (n, batch) with the rates zero."""
        return each(Dual, x)

    def with_rates(self, x: Array, rates: Array) -> Array:
        """x (n, batch) with ``rates`` (n, directions, batch)."""
        return each(Dual, x, [rates[i, :, b] for i, b in np.ndindex(x.shape)])

    def rates(self, x: Array, directions: int) -> Array:
        """The rates (…, directions, batch) of results computed from such numbers."""
        rates = np.empty((*x.shape, directions), self.field.dtype)
        for index, value in np.ndenumerate(x):
            rates[index] = 0 * value.x if value.rates is None else value.rates
        return np.moveaxis(rates, -1, -2)

    def plain(self, x: Array) -> Array:
        return x

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        c, s = self.field.cos_sin(self._numbers(position))
        return self._chain(position, c, -s), self._chain(position, s, c)

    def angle(self, position: Array) -> Array:
        angle = self.field.angle(self._numbers(position))
        return self._chain(position, angle, 0 * angle + 1)

    def position(self, angle: Array) -> Array:
        position = self.field.position(self._numbers(angle))
        # The rate of a position is that of its angle.
        return self._chain(angle, position, 0 * position + 1)

    def sign(self, velocity: Array) -> Array:
        return each(Dual, self.field.sign(self._numbers(velocity)))

    def _numbers(self, x: Array) -> Array:
        return each(lambda value: value.x, x).astype(self.field.dtype)

    def _chain(self, x: Array, value: Array, slope: Array) -> Array:
        """f(x) with its rates, from ``value`` = f and ``slope`` = f′ at the numbers of x."""
        return each(Dual, value, [_times(dual.rates, df) for dual, df in zip(x.flat, slope.flat, strict=True)])


@dataclass(frozen=True)
class RecordedDuals(Recorded):
    """The dual numbers over recorded values: the values themselves. Their rates are recorded when they are asked for."""

    moving: list[Any] = field(default_factory=list)
    """The points that move, and their rates, as references."""

    def constant(self, x: Any, directions: int) -> Any:
        return x

    def with_rates(self, x: Any, rates: Any) -> Any:
        """x (n, 1), which are inputs; from now on they move with ``rates`` (n, directions, 1), and nothing else moves."""
        self.moving[:] = [x.references[:, 0], rates.references[..., 0]]
        return x

    def rates(self, x: Any, directions: int) -> Any:
        """The rates (…, directions, 1)."""
        points, rates = self.moving
        result = tangents(self.recording, x.references.ravel(), points, rates)
        return Values(self.recording, result.reshape(*x.shape[:-1], directions, 1))


def duals(field: Field) -> Any:
    """The dual numbers over ``field``."""
    return RecordedDuals(field.recording) if isinstance(field, Recorded) else Duals(field)


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
