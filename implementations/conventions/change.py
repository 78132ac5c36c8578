"""The change between our coordinates and those of code with other conventions, at positions of a mechanism.

Our velocity is v = T v', where v' is the code's, and our acceleration is a = T a' + b. T is a product of factors, one for each
convention that differs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial

import numpy as np

from implementations.conventions import coordinates, positions, rates
from implementations.conventions.declared import Conventions
from implementations.protocol import Array
from mechanisms import Joint, Mechanism
from mechanisms.joint_kinds import Kind

Rates = Callable[[Mechanism, Array], Array]

_WITH_POINT = ("mixed", "angular body, linear mixed", "center of mass")
"""Velocities whose linear part is that of a point along fixed axes. Its rate is the acceleration of the point."""


class Change:
    """The change of coordinates of one mechanism. ``order`` has the index of our body for every joint of the code.

    Arrays are batch-first. Positions q are ours, except where a method says otherwise.
    """

    def __init__(self, mechanism: Mechanism, conventions: Conventions, order: Sequence[int] | None = None) -> None:
        self._mechanism, self._conventions = mechanism, conventions
        order = range(len(mechanism.bodies)) if order is None else order
        driven = positions.with_own_coordinates(mechanism, order)
        self.rows = positions.coordinates_in_order(mechanism.v_slices, driven)
        """Our index of every component of the code's v."""
        self._slots = [
            (slice(own.start + slot.q.start, own.start + slot.q.stop), positions.form_of(slot, conventions))
            for body, own in ((mechanism.bodies[i], mechanism.q_slices[i]) for i in driven)
            for slot in positions.slots_in_order(body.joint, conventions)
        ]
        poses = {body.joint.pose for body in mechanism.bodies}
        self._rates = list(_rates(conventions, poses))
        self._biases = list(_biases(conventions, poses))

    @property
    def is_one(self) -> bool:
        """Whether velocities and accelerations differ in the order of joints at most."""
        return not (self._rates or self._biases)

    @property
    def varies(self) -> bool:
        """Whether T depends on q."""
        return rates.varies(self._rates)

    @property
    def has_bias(self) -> bool:
        """Whether b may differ from zero."""
        return bool(self._biases)

    def at(self, q: Array, v: Array | None) -> tuple[Array, Array]:
        """T⁻¹ (batch, nv, nv) and −T⁻¹ b (batch, nv), at our q and v, with the joints in our order."""
        inverse = self._inverse(q)
        b = np.zeros((len(q), self._mechanism.nv))
        if v is not None:
            b = b - sum((inverse @ bias(self._mechanism, q, v)[..., None])[..., 0] for bias in self._biases)
        return inverse, b

    def velocity(self, q: Array, v: Array) -> Array:
        """The code's v' of ours."""
        return self._rates_of(q, v=v)["v"]

    def acceleration(self, q: Array, v: Array, a: Array) -> Array:
        """The code's a' of ours; ``v`` is ours."""
        return self._rates_of(q, v=v, a=a)["a"]

    def force(self, q: Array, tau: Array) -> Array:
        """The code's τ' of ours."""
        return self._rates_of(q, tau=tau)["tau"]

    def our_velocity(self, q: Array, v: Array) -> Array:
        """Our v of the code's."""
        return self._in_our_order(v) if self.is_one else _solved(self._inverse(q), self._in_our_order(v))

    def our_acceleration(self, q: Array, v: Array, a: Array) -> Array:
        """Our a of the code's v' and a'."""
        inverse, b = self.at(q, self.our_velocity(q, v))
        return _solved(inverse, self._in_our_order(a) - b)

    def our_force(self, q: Array, tau: Array) -> Array:
        """Our τ of the code's."""
        if self.is_one:
            return self._in_our_order(tau)
        return (self._inverse(q).swapaxes(-1, -2) @ self._in_our_order(tau)[..., None])[..., 0]

    def _rates_of(self, q: Array, **state: Array) -> dict[str, Array]:
        if self.is_one:
            return {name: np.asarray(x, dtype=float)[:, self.rows] for name, x in state.items()}
        inverse, b = self.at(q, state.get("v"))
        return {name: x[:, self.rows] for name, x in coordinates.read(state, inverse, b).items()}

    def _in_our_order(self, x: Array) -> Array:
        return np.asarray(x, dtype=float)[:, np.argsort(self.rows)]

    def position(self, q: Array) -> Array:
        """The code's q (batch, nq') of ours (batch, nq)."""
        return np.concatenate([q[:, :0], *(form.theirs(q[:, own]) for own, form in self._slots)], axis=1)

    def our_position(self, theirs: Array) -> Array:
        """Our q (batch, nq) of the code's (batch, nq'); cosines, sines and quaternions that are made have length one."""
        q, start = np.empty((len(theirs), self._mechanism.nq)), 0
        for own, form in self._slots:
            q[:, own] = form.ours(theirs[:, start : (start := start + form.size)])
        return q

    def _inverse(self, q: Array) -> Array:
        """T⁻¹ (batch, nv, nv)."""
        inverse: Array = np.zeros((len(q), self._mechanism.nv, self._mechanism.nv)) + np.eye(self._mechanism.nv)
        for rate in self._rates:
            inverted = rates.INVERSES.get(rate)
            # Other factors are orthogonal, and a transpose has no rounding.
            inverse = (inverted(self._mechanism, q) if inverted else rate(self._mechanism, q).swapaxes(-1, -2)) @ inverse
        return inverse


def size_of(joint: Joint, conventions: Conventions) -> int:
    """How many numbers the position of a joint has in code with these conventions."""
    return sum(positions.form_of(slot, conventions).size for slot in joint.slots)


def layout(mechanism: Mechanism, conventions: Conventions) -> tuple[list[int], int]:
    """Where the numbers of every joint begin in the q of code with these conventions and our order of joints, and how many q has.

    A mimic joint has those of its leader.
    """
    starts, end = list[int](), 0
    for body in mechanism.bodies:
        starts.append(end)
        end += size_of(body.joint, conventions) if body.joint.mimic is None else 0
    return [starts[leader] for leader in mechanism.arrays.leaders], end


def as_declared(mechanism: Mechanism, conventions: Conventions) -> Mechanism:
    """The mechanism for code with these conventions: its ``nq`` and ``q_slices`` are those of the code's positions."""
    starts, nq = layout(mechanism, conventions)
    if nq == mechanism.nq:
        return mechanism
    theirs, bodies = copy(mechanism), mechanism.bodies
    sizes = [size_of(bodies[leader].joint, conventions) for leader in mechanism.leaders]
    vars(theirs).update(nq=nq, q_slices=tuple(slice(k, k + size) for k, size in zip(starts, sizes, strict=True)))
    return theirs


def _solved(A: Array, x: Array) -> Array:
    return np.asarray(np.linalg.solve(A, x[..., None])[..., 0], dtype=np.float64)


def _rates(conventions: Conventions, poses: set[Kind | None]) -> Iterator[Rates]:
    """The factors of T that are not one for joints with these poses."""
    for kind in (kind for kind in rates.COMPONENTS if kind in poses):
        order = getattr(conventions, f"{kind}_velocity_order", "")
        yield from rates.factors(kind, getattr(conventions, f"{kind}_velocity"), order)


def _biases(conventions: Conventions, poses: set[Kind | None]) -> Iterator[Callable[[Mechanism, Array, Array], Array]]:
    """The summands of b."""
    is_rate_of_point = conventions.free_velocity in _WITH_POINT and conventions.free_acceleration == "rate"
    if "free" in poses and (conventions.free_acceleration == "point" or is_rate_of_point):
        yield rates.of_point(conventions.free_velocity)
    if "planar" in poses and conventions.planar_velocity == "joint":
        yield partial(rates.classical, "planar")
