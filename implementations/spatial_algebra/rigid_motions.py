"""Exponential coordinates of rigid motions: closed forms of exp and its derivative for motion vectors x = [ω; v].

With φ = [ω], ρ = [v] and θ = |ω|,

    exp x = (R, J v)           R = 1 + a₁ φ + a₂ φ²                                  Lynch & Park 2017, eqs. 3.51, 3.88
    J = 1 + a₂ φ + a₃ φ²       J⁻¹ = 1 − φ/2 + c φ²                                  Barfoot 2017, eqs. 7.77, 7.76
    Q = ρ/2 + a₃ (φρ + ρφ + φρφ) + a₄ (φφρ + ρφφ − 3 φρφ) + a₅ (φρφφ + φφρφ)         Barfoot 2017, eq. 7.86

    a₁ = sin θ / θ             a₂ = (1 − cos θ) / θ²                a₃ = (θ − sin θ) / θ³
    a₄ = (θ² + 2 cos θ − 2) / (2 θ⁴)                                a₅ = (2 θ − 3 sin θ + θ cos θ) / (2 θ⁵)
    c  = (2 (1 − cos θ) − θ sin θ) / (2 a₂ θ⁴)

E(x) = [[J, 0], [Q, J]] is the motion of exp x, in the frame before it, for a change of x; A(x) is the adjoint of exp x. Below
θ = 1, quotients whose numerators cancel are computed by their power series.

Floating-point numbers only, because of the norm θ. Vectors are (3, batch) or (6, batch), matrices (n, n, batch).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import factorial
from typing import NamedTuple

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.spatial import mul

TERMS = 12
"""The terms of every power series; the first that is left out is below 2⁻⁸⁰ for θ < 1."""


class Coefficients(NamedTuple):
    """a₁ … a₅ and c of turns θ (batch,)."""

    a1: Tensor
    a2: Tensor
    a3: Tensor
    a4: Tensor
    a5: Tensor
    c: Tensor


def coefficients(theta: Tensor) -> Coefficients:
    is_small = theta < 1
    t = np.where(is_small, 1, theta)
    sine, cosine, vers = np.sin(t), np.cos(t), 2 * np.sin(t / 2) ** 2

    def either(closed: Tensor, term: Callable[[int], Fraction]) -> Tensor:
        return np.where(is_small, _series(np.where(is_small, theta, 0), term), closed)

    a2 = either(vers / t**2, lambda k: Fraction(1, factorial(2 * k + 2)))
    return Coefficients(
        either(sine / t, lambda k: Fraction(1, factorial(2 * k + 1))),
        a2,
        either((t - sine) / t**3, lambda k: Fraction(1, factorial(2 * k + 3))),
        either((t**2 - 2 * vers) / (2 * t**4), lambda k: Fraction(1, factorial(2 * k + 4))),
        either((2 * t - 3 * sine + t * cosine) / (2 * t**5), lambda k: Fraction(k + 1, factorial(2 * k + 5))),
        either(2 * vers - t * sine, lambda k: Fraction(2 * k + 2, factorial(2 * k + 4)))
        / (2 * a2 * np.where(is_small, 1, t) ** 4),
    )


def _series(theta: Tensor, term: Callable[[int], Fraction]) -> Tensor:
    """Σ (−1)ᵏ term(k) θ²ᵏ."""
    total = 0 * theta
    for k in reversed(range(TERMS)):
        total = float(term(k)) - theta**2 * total
    return total


def exponential(x: Tensor) -> tuple[Tensor, Tensor]:
    """R (3, 3, batch) and p (3, batch) of exp x, for x (6, batch)."""
    φ, a = skew(x[:3]), coefficients(length(x[:3]))
    return one(φ) + a.a1 * φ + a.a2 * mul(φ, φ), mul(one(φ) + a.a2 * φ + a.a3 * mul(φ, φ), x[3:])


def left_jacobian(ω: Tensor) -> Tensor:
    """J (3, 3, batch)."""
    φ, a = skew(ω), coefficients(length(ω))
    return one(φ) + a.a2 * φ + a.a3 * mul(φ, φ)


def inverse_left_jacobian(ω: Tensor) -> Tensor:
    """J⁻¹ (3, 3, batch), for θ below 2π."""
    φ = skew(ω)
    return one(φ) - φ / 2 + coefficients(length(ω)).c * mul(φ, φ)


def coupling(x: Tensor) -> Tensor:
    """Q (3, 3, batch)."""
    φ, ρ, a = skew(x[:3]), skew(x[3:]), coefficients(length(x[:3]))
    φρ, ρφ = mul(φ, ρ), mul(ρ, φ)
    φρφ = mul(φρ, φ)
    once, twice = mul(φ, φρ) + mul(ρφ, φ) - 3 * φρφ, mul(φρφ, φ) + mul(φ, φρφ)
    return ρ / 2 + a.a3 * (φρ + ρφ + φρφ) + a.a4 * once + a.a5 * twice


def adjoint(x: Tensor) -> Tensor:
    """A (6, 6, batch)."""
    R, p = exponential(x)
    return lower(R, mul(skew(p), R))


def trivialised(x: Tensor) -> Tensor:
    """E (6, 6, batch)."""
    return lower(left_jacobian(x[:3]), coupling(x))


def inverse_trivialised(x: Tensor) -> Tensor:
    """E⁻¹ (6, 6, batch)."""
    inverse = inverse_left_jacobian(x[:3])
    return lower(inverse, -mul(inverse, mul(coupling(x), inverse)))


def lower(diagonal: Tensor, below: Tensor) -> Tensor:
    """[[D, 0], [B, D]] (6, 6, batch)."""
    return np.concatenate([np.concatenate([diagonal, 0 * diagonal], 1), np.concatenate([below, diagonal], 1)])


def length(x: Tensor) -> Tensor:
    """|x| (batch,)."""
    return np.sqrt((x * x).sum(0))


def skew(x: Tensor) -> Tensor:
    """[x] (3, 3, batch)."""
    zero = 0 * x[0]
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]])


def one(like: Tensor) -> Tensor:
    """The identity (3, 3, batch)."""
    return np.eye(3, dtype=like.dtype)[:, :, None] + 0 * like
