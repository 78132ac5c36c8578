"""The closed forms of exp and its derivatives are identities, in exact arithmetic, and their series are theirs.

The closed forms are rational in x, θ, sin θ and 1 − cos θ. Here the axis of the turn is a rational unit vector u, θ any rational
number, and cosine and sine any rational point of the circle: nothing of them is used but |u| = 1, c² + s² = 1 and, along a
change of x, dθ = u · dω, dc = −s dθ and ds = c dθ. Numbers with a derivative are pairs (value, derivative). An identity that
holds at random points of this kind holds for the functions.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest

from implementations.spatial_algebra import rigid_motions
from implementations.spatial_algebra.rigid_motions import (
    Coefficients,
    adjoint,
    closed_forms,
    exponential,
    inverse_left_jacobian,
    inverse_trivialised,
    left_jacobian,
    lower,
    power_series,
    skew,
    trivialised,
)
from implementations.spatial_algebra.spatial import mul


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


class Point(NamedTuple):
    """x and its change dx, (6, 1) fractions; x as duals along dx, and its coefficients."""

    x: Any
    dx: Any
    moving: Any
    a: Coefficients


def point(rng: random.Random, dx: Any = None) -> Point:
    def fraction() -> Fraction:
        return Fraction(rng.randint(-50, 50), rng.randint(1, 50))

    m, n, p, q = (Fraction(rng.randint(1, 20)) for _ in range(4))
    u = np.array([m * m + n * n - p * p - q * q, 2 * (m * q + n * p), 2 * (n * q - m * p)]) / (m * m + n * n + p * p + q * q)
    t, θ = abs(fraction()) + 1, abs(fraction()) + 1
    c, s = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    x = np.array([*(θ * u), *(fraction() for _ in range(3))])
    dx = x if dx == "x" else np.array([fraction() for _ in range(6)])
    dθ = u @ dx[:3]
    moving = np.array([[Dual(*pair)] for pair in zip(x, dx, strict=True)])
    a = closed_forms(*(np.array([Dual(*pair)]) for pair in ((θ, dθ), (s, c * dθ), (1 - c, s * dθ))))
    return Point(x[:, None], dx[:, None], moving, a)


value = np.vectorize(lambda x: dual(x).x, otypes=[object])
rate = np.vectorize(lambda x: dual(x).rate, otypes=[object])


def values(a: Coefficients) -> Coefficients:
    return Coefficients(*map(value, a))


@pytest.fixture(params=range(3))
def rng(request: pytest.FixtureRequest) -> random.Random:
    return random.Random(request.param)


def rates_are_those_of(y: Any, at: Point) -> bool:
    """Whether exp x changes by exp x [y]: dR = R [y₁] and dp = R y₂."""
    R, p = exponential(at.moving, at.a)
    return bool((rate(R) == mul(value(R), skew(y[:3]))).all() and (rate(p) == mul(value(R), y[3:])).all())


@pytest.mark.parametrize("along", ["x", None], ids=["along x", "any change"])
def test_a_change_of_x_moves_the_exponential_by_the_right_jacobian(rng: random.Random, along: Any) -> None:
    """Along dx = x the velocity is x; exp 0 = 1 follows from the series. So it is the exponential, by uniqueness."""
    at = point(rng, along)
    y = mul(trivialised(-at.x, values(at.a)), at.dx)
    assert rates_are_those_of(y, at)
    assert along is None or (y == at.x).all()


def test_inverses_and_adjoints(rng: random.Random) -> None:
    at = point(rng)
    x, a = at.x, values(at.a)
    one = np.eye(6, dtype=int)[:, :, None]
    assert (mul(left_jacobian(x[:3], a), inverse_left_jacobian(x[:3], a)) == one[:3, :3]).all()
    assert (mul(trivialised(x, a), inverse_trivialised(x, a)) == one).all()
    assert (mul(adjoint(x, a), adjoint(-x, a)) == one).all()
    assert (mul(adjoint(x, a), trivialised(-x, a)) == trivialised(x, a)).all()
    R, p = exponential(x, a)
    assert (mul(R, R.swapaxes(0, 1)) == one[:3, :3]).all()
    assert (adjoint(x, a) == lower(R, mul(skew(p), R))).all()


def test_the_series_are_those_of_the_closed_forms() -> None:
    """With the series of sine and cosine in exact arithmetic, at θ = 1/2."""
    θ, n = Fraction(1, 2), 30
    terms = [Fraction(1)]
    for k in range(1, 2 * n):
        terms.append(terms[-1] * θ / k)
    sine, cosine = (sum((-1) ** k * terms[2 * k + odd] for k in range(n)) for odd in (1, 0))
    closed = closed_forms(*(np.array([x]) for x in (θ, sine, 1 - cosine)))
    for one, other in zip(power_series(np.array([float(θ)])), closed, strict=True):
        assert abs(float(one[0]) / float(other[0]) - 1) < 4e-16
    # What is left out at θ = 1 is less than a rounding.
    k = rigid_motions.TERMS
    assert max(rigid_motions._over_factorial(2, 2, 4, k), rigid_motions._over_factorial(1, 0, 1, k)) < 2**-80
