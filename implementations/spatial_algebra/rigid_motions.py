"""Exponential coordinates of rigid motions: closed forms of exp and its derivative for motion vectors x = [ω; v].

With φ = [ω], ρ = [v] and θ = |ω|,

    exp x = (R, J v)           R = 1 + a₁ φ + a₂ φ²                                  Lynch & Park 2017, eqs. 3.51, 3.88
    J = 1 + a₂ φ + a₃ φ²       J⁻¹ = 1 − φ/2 + c φ²                                  Barfoot 2017, eqs. 7.77, 7.76
    Q = ρ/2 + a₃ (φρ + ρφ + φρφ) + a₄ (φφρ + ρφφ − 3 φρφ) + a₅ (φρφφ + φφρφ)         Barfoot 2017, eq. 7.86

    a₁ = sin θ / θ             a₂ = (1 − cos θ) / θ²                a₃ = (θ − sin θ) / θ³
    a₄ = (θ² + 2 cos θ − 2) / (2 θ⁴)                                a₅ = (2 θ − 3 sin θ + θ cos θ) / (2 θ⁵)
    c  = (2 (1 − cos θ) − θ sin θ) / (2 a₂ θ⁴)

E(x) = [[J, 0], [Q, J]] is the motion of exp x, in the frame before it, for a change of x; A(x) is the adjoint of exp x. All are
rational in x, θ, sin θ and cos θ. Below θ = 1, quotients whose numerators cancel are computed by their power series.

Coefficients need floating-point numbers, because of the norm θ; all else is + − × ÷. They are the same for x and −x. Vectors are
(3, batch) or (6, batch), matrices (n, n, batch).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import factorial
from typing import NamedTuple

import numpy as np

from implementations.field import Tensor
from implementations.spatial_algebra.spatial import mul

TERMS = 12
"""The terms of every power series; the first that is left out is below 2⁻⁸⁰ for θ < 1."""


class Coefficients(NamedTuple):
    """a₁ … a₅ and c (batch,)."""

    a1: Tensor
    a2: Tensor
    a3: Tensor
    a4: Tensor
    a5: Tensor
    c: Tensor


def coefficients(ω: Tensor) -> Coefficients:
    """Those of turns ω (3, batch)."""
    theta = np.sqrt((ω * ω).sum(0))
    is_small = theta < 1
    large = np.where(is_small, 1, theta)
    # 1 − cos θ = 2 sin²(θ/2) keeps all digits where the difference would not.
    closed = closed_forms(large, np.sin(large), 2 * np.sin(large / 2) ** 2)
    series = power_series(np.where(is_small, theta, 0))
    return Coefficients(*(np.where(is_small, few, many) for few, many in zip(series, closed, strict=True)))


def closed_forms(theta: Tensor, sine: Tensor, versine: Tensor) -> Coefficients:
    """Of θ, sin θ and 1 − cos θ, with + − × ÷ alone."""
    a2 = versine / theta**2
    return Coefficients(
        sine / theta,
        a2,
        (theta - sine) / theta**3,
        (theta**2 - 2 * versine) / (2 * theta**4),
        (2 * theta - 3 * sine + theta * (1 - versine)) / (2 * theta**5),
        (2 * versine - theta * sine) / (2 * a2 * theta**4),
    )


def power_series(theta: Tensor) -> Coefficients:
    """The same for θ below one."""
    a1, a2, a3, a4 = (_series(theta, partial(_over_factorial, 1, 0, n)) for n in (1, 2, 3, 4))
    c = _series(theta, partial(_over_factorial, 2, 2, 4)) / (2 * a2)
    return Coefficients(a1, a2, a3, a4, _series(theta, partial(_over_factorial, 1, 1, 5)), c)


def _over_factorial(constant: int, slope: int, n: int, k: int) -> Fraction:
    """(constant + slope k) / (2k + n)!."""
    return Fraction(constant + slope * k, factorial(2 * k + n))


def _series(theta: Tensor, term: Callable[[int], Fraction]) -> Tensor:
    """Σ (−1)ᵏ term(k) θ²ᵏ."""
    total = 0 * theta
    for k in reversed(range(TERMS)):
        total = float(term(k)) - theta**2 * total
    return total


def exponential(x: Tensor, a: Coefficients) -> tuple[Tensor, Tensor]:
    """R (3, 3, batch) and p (3, batch) of exp x."""
    φ = skew(x[:3])
    return one(φ) + a.a1 * φ + a.a2 * mul(φ, φ), mul(left_jacobian(x[:3], a), x[3:])


def left_jacobian(ω: Tensor, a: Coefficients) -> Tensor:
    """J (3, 3, batch)."""
    φ = skew(ω)
    return one(φ) + a.a2 * φ + a.a3 * mul(φ, φ)


def inverse_left_jacobian(ω: Tensor, a: Coefficients) -> Tensor:
    """J⁻¹ (3, 3, batch), for θ below 2π."""
    φ = skew(ω)
    return one(φ) - φ / 2 + a.c * mul(φ, φ)


def coupling(x: Tensor, a: Coefficients) -> Tensor:
    """Q (3, 3, batch)."""
    φ, ρ = skew(x[:3]), skew(x[3:])
    φρ, ρφ = mul(φ, ρ), mul(ρ, φ)
    φρφ = mul(φρ, φ)
    once, twice = mul(φ, φρ) + mul(ρφ, φ) - 3 * φρφ, mul(φρφ, φ) + mul(φ, φρφ)
    return ρ / 2 + a.a3 * (φρ + ρφ + φρφ) + a.a4 * once + a.a5 * twice


def adjoint(x: Tensor, a: Coefficients) -> Tensor:
    """A (6, 6, batch)."""
    R, p = exponential(x, a)
    return lower(R, mul(skew(p), R))


def trivialised(x: Tensor, a: Coefficients) -> Tensor:
    """E (6, 6, batch)."""
    return lower(left_jacobian(x[:3], a), coupling(x, a))


def inverse_trivialised(x: Tensor, a: Coefficients) -> Tensor:
    """E⁻¹ (6, 6, batch)."""
    inverse = inverse_left_jacobian(x[:3], a)
    return lower(inverse, -mul(inverse, mul(coupling(x, a), inverse)))


def lower(diagonal: Tensor, below: Tensor) -> Tensor:
    """[[D, 0], [B, D]] (6, 6, batch)."""
    return np.concatenate([np.concatenate([diagonal, 0 * diagonal], 1), np.concatenate([below, diagonal], 1)])


def skew(x: Tensor) -> Tensor:
    """[x] (3, 3, batch)."""
    zero = 0 * x[0]
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]])


def one(like: Tensor) -> Tensor:
    """The identity (3, 3, batch)."""
    return np.eye(3, dtype=like.dtype)[:, :, None] + 0 * like
