"""Exact numbers for tests: random fractions, and dual numbers for exact derivatives."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.field import Rational
from mechanisms import Joint, Mechanism, Rotation
from mechanisms.numbers import stand_in

Tensor = np.ndarray[Any, Any]


def numbers(draw: random.Random, *shape: int) -> Tensor:
    """Fractions, none of them zero, of ``shape`` and a batch of one."""
    size = int(np.prod(shape))
    values = [draw.choice((-1, 1)) * Fraction(draw.randint(1, 9), draw.randint(1, 9)) for _ in range(size)]
    return np.array(values, dtype=object).reshape(*shape, 1)


def same(a: Tensor, b: Tensor) -> bool:
    return a.shape == b.shape and bool((a == b).all())


class Dual:
    """x + ẋ ε with ε² = 0: exact derivatives."""

    def __init__(self, x: Any, rate: Any = Fraction(0)) -> None:
        self.x, self.rate = x, rate

    def __add__(self, other: Any) -> Dual:
        other = dual(other)
        return Dual(self.x + other.x, self.rate + other.rate)

    def __sub__(self, other: Any) -> Dual:
        return self + -1 * dual(other)

    def __mul__(self, other: Any) -> Dual:
        other = dual(other)
        return Dual(self.x * other.x, self.rate * other.x + self.x * other.rate)

    def __truediv__(self, other: Any) -> Dual:
        other = dual(other)
        return self * Dual(1 / Fraction(other.x), -other.rate / Fraction(other.x) ** 2)

    def __rsub__(self, other: Any) -> Dual:
        return dual(other) - self

    def __rtruediv__(self, other: Any) -> Dual:
        return dual(other) / self

    def __pow__(self, n: int) -> Dual:
        return self * self ** (n - 1) if n > 1 else self

    def __neg__(self) -> Dual:
        return -1 * self

    __radd__, __rmul__ = __add__, __mul__


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


def part(a: Tensor, k: int) -> Tensor:
    """Values (k = 0) or rates (k = 1) of an array of dual numbers."""
    return np.array([(dual(x).x, dual(x).rate)[k] for x in a.flat], dtype=object).reshape(a.shape)


@dataclass(frozen=True)
class DualRational(Rational):
    """Rationals and dual numbers of them."""

    def angle(self, position: Tensor) -> Tensor:
        """The stand-in of the value; its rate is that of the angle, 2 dt / (1 + t²)."""
        if not any(isinstance(x, Dual) for x in position.flat):
            return super().angle(position)
        each = [Dual(Fraction(stand_in(d.x)), 2 * d.rate / (1 + d.x * d.x)) for d in map(dual, position.flat)]
        return np.array(each, dtype=object).reshape(position.shape)


def position(draw: random.Random, mechanism: Mechanism) -> Tensor:
    """A position (nq, 1) without zeros; cosine and sine have the length one."""
    q = numbers(draw, mechanism.nq)
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "continuous":
            q[at] = np.concatenate(Rational().cos_sin(q[at][:1]))
    return q


def moving(mechanism: Mechanism, q: Tensor, v: Tensor) -> Tensor:
    """q with the rate it has at the velocity v: dt = ½ (1 + t²) dq for an angle; for a pose R v and ½ e ∘ ω."""
    parts = zip(mechanism.bodies, mechanism.q_slices, mechanism.v_slices, strict=True)
    rate = np.concatenate([_rate(body.joint, q[at, 0], v[step, 0]) for body, at, step in parts])
    return np.array([Dual(x, dx) for x, dx in zip(q.flat, rate, strict=True)], dtype=object).reshape(q.shape)


def _rate(joint: Joint, q: Tensor, v: Tensor) -> list[Any]:
    if joint.kind == "continuous":
        return [-q[1] * v[0], q[0] * v[0]]
    if joint.kind == "planar":
        turn = Rotation(1, 0, 0, q[2])
        return [*turn((v[1], v[2], Fraction(0)))[:2], (1 + q[2] * q[2]) / 2 * v[0]]
    if joint.velocity_is_body_twist:
        x, y, z, w = q[-4:]
        slid = Rotation(w, x, y, z)(tuple(v[3:])) if joint.kind == "free" else ()
        ω = (Fraction(0), *v[:3])
        turned = [
            w * ω[1] + y * ω[3] - z * ω[2],
            w * ω[2] + z * ω[1] - x * ω[3],
            w * ω[3] + x * ω[2] - y * ω[1],
            -x * ω[1] - y * ω[2] - z * ω[3],
        ]
        return [*slid, *(component / 2 for component in turned)]
    turns = [screw.turns for screw in joint.screws]
    return [(1 + t * t) / 2 * dq if turn else dq for t, dq, turn in zip(q, v, turns, strict=True)]
