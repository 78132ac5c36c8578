"""Exact numbers for tests: random fractions, and dual numbers for exact derivatives."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np

from implementations.model import Model
from mechanisms import Rotation

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

    def __neg__(self) -> Dual:
        return -1 * self

    __radd__, __rmul__ = __add__, __mul__


def dual(x: Any) -> Dual:
    return x if isinstance(x, Dual) else Dual(x)


def part(a: Tensor, k: int) -> Tensor:
    """Values (k = 0) or rates (k = 1) of an array of dual numbers."""
    return np.array([(dual(x).x, dual(x).rate)[k] for x in a.flat], dtype=object).reshape(a.shape)


def moving(model: Model, q: Tensor, v: Tensor) -> Tensor:
    """q with the rate it has at the velocity v: dt = ½ (1 + t²) dq; for a pose R v and ½ e ∘ ω."""
    rate = np.empty_like(q)
    for link in model.links:
        old, step = q[link.q], v[link.v]
        if link.joint.kind == "revolute":
            rate[link.q] = (1 + old * old) / 2 * step
        elif link.joint.kind == "prismatic":
            rate[link.q] = step
        else:
            x, y, z, w = old[3:, 0]
            moved = Rotation(w, x, y, z)(tuple(step[3:, 0]))
            turned = (Fraction(0),) * 4
            if step[:3].any():
                product = Rotation(w, x, y, z) @ Rotation(0, *step[:3, 0])
                turned = (product.x / 2, product.y / 2, product.z / 2, product.w / 2)
            rate[link.q] = np.array([*moved, *turned], dtype=object)[:, None]
    return np.array([Dual(x, dx) for x, dx in zip(q.flat, rate.flat, strict=True)], dtype=object).reshape(q.shape)
