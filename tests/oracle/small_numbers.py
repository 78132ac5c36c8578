"""States of fractions, and numbers with two infinitesimal parts, to differentiate energies by."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

from mechanisms import Mechanism
from oracle import fields

Array = np.ndarray[Any, Any]


def state(mechanism: Mechanism, seed: int = 0) -> list[Array]:
    """q, v, a as Fractions, none of them zero, one state each."""
    draw = random.Random(seed)

    def number() -> Fraction:
        return Fraction(draw.choice((-1, 1)) * draw.randint(1, 9), draw.randint(1, 9))

    q, v, a = (np.array([[number() for _ in range(n)]]) for n in (mechanism.nq, mechanism.nv, mechanism.nv))
    for body, at in zip(mechanism.bodies, mechanism.q_slices, strict=True):
        if body.joint.kind == "continuous":
            q[0, at] = np.array(fields.half_angle(q[0, at.start]))
    return [q, v, a]


class Small:
    """c₀₀ + c₁₀ t + c₀₁ ε + c₁₁ t ε over the rationals, where t² = ε² = 0."""

    def __init__(self, *c: Any) -> None:
        self.c = (*c, *(Fraction(0),) * (4 - len(c)))

    def __add__(self, other: Any) -> Small:
        return Small(*(x + y for x, y in zip(self.c, small(other).c, strict=True)))

    def __mul__(self, other: Any) -> Small:
        (a, b, c, d), (x, y, z, w) = self.c, small(other).c
        return Small(a * x, a * y + b * x, a * z + c * x, a * w + b * z + c * y + d * x)

    def __sub__(self, other: Any) -> Small:
        return self + -1 * small(other)

    def __rsub__(self, other: Any) -> Small:
        return other + -1 * self

    def __truediv__(self, other: int) -> Small:
        return self * Fraction(1, other)

    __radd__, __rmul__ = __add__, __mul__


def small(x: Any) -> Small:
    return x if isinstance(x, Small) else Small(x)


class Varied(fields.Rational):
    """Small numbers; the constant part of a revolute joint's position is tan(q/2), the rest is an angle."""

    def number(self, value: Any) -> Any:
        return small(value)

    def plain(self, x: Array) -> Array:
        return x

    def cos_sin(self, position: Array) -> tuple[Array, Array]:
        cosine, sine = np.empty_like(position), np.empty_like(position)
        for k, q in np.ndenumerate(position):
            h = small(q) - q.c[0]
            c, s = fields.half_angle(q.c[0])
            # To second order, as h³ = 0.
            cosine[k], sine[k] = c * (1 - h * h / 2) - s * h, s * (1 - h * h / 2) + c * h
        return cosine, sine
