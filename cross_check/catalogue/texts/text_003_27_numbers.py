"""Statements of text 003 about numbers, computed with rigorous error bounds."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb

from cross_check.catalogue.frames import pose_of
from cross_check.catalogue.identity import Chapter
from cross_check.catalogue.notation import *
from implementations.linear import solve
from implementations.spatial_algebra.jcalc import transforms, transforms_from_root
from implementations.spatial_algebra.model import Model, build
from mechanisms import random_mechanism
from mechanisms.rounded import precision
from oracle import Balls

DEFINITIONS = Chapter("003", "§1 Definitions")
INVERSE = Chapter("003", "§§27, 28 Inverse kinematics")

BITS = 4096
"""The precision of the midpoints of balls; errors down to 2^−BITS are visible."""

STEPS = 8
"""The number of steps of Newton–Raphson."""


class Numbers(Balls):
    """The balls of the oracle, which also accept the integers 0 and 1 of the reference's models."""

    def number(self, value: Any) -> Any:
        return super().number(Fraction(value) if isinstance(value, int) else value)


def logarithm(T: Tensor) -> Tensor:
    """ξ with e^{[ξ]} = T, for angles of rotation between 0 and π (text 003, §§7, 8)."""
    R, p = T[:3, :3], T[:3, 3]
    turn = unskew(R - R.T)
    # The sine determines a small angle more accurately than the cosine.
    squared: Any = turn @ turn
    double_sine, double_cosine = squared.sqrt(), R[0, 0] + R[1, 1] + R[2, 2] - 1
    θ = arb.atan2(double_sine, double_cosine)
    w = turn / double_sine
    W, half = skew(w), arb(1) / 2
    v = p - W @ p * (θ * half) + W @ (W @ p) * (1 - θ * half / (θ * half).tan())
    return np.concatenate((w * θ, v))


def tool(model: Model, q: Tensor) -> tuple[Tensor, Tensor]:
    """The pose of the last body, and its Jacobian in its own frame."""
    X, S = transforms(model, q)
    poses = [pose_of(X0) for X0 in transforms_from_root(model, X)]
    return poses[-1], np.stack([Ad(undo(poses[-1]) @ T) @ s[:, 0, 0] for T, s in zip(poses, S, strict=True)], axis=1)


def exponent(x: Tensor) -> int:
    """e with |x_i| < 2^e for every number in the balls x_i."""
    mantissas, exponents = zip(*(value.abs_upper().man_exp() for value in x), strict=True)
    return max(int(e) + int(m).bit_length() for m, e in zip(mantissas, exponents, strict=True))


@DEFINITIONS.computed("1-atan2", "§1")
def half_turn() -> tuple[bool, str]:
    """Range of atan2: atan2(y, x) ∈ (−π, π], as atan2(0, −1) = π

    the text prints (−π, π); then the point (−1, 0) has no angle
    """
    # The ball of the angle contains π, and differs from π by less than 2^−40.
    angle = arb.atan2(arb(0), arb(-1))
    difference = angle - arb.pi()
    return bool(difference.contains(0)) and exponent(vector(difference)) < -40, f"atan2(0, −1) = {angle.str(12)}"


@INVERSE.computed("28", "§§16, 28")
def newton_raphson() -> tuple[bool, str]:
    """Newton–Raphson: θ ← θ + J_b⁻¹ log(T(θ)⁻¹ X) converges quadratically to T(θ) = X

    for a chain of six revolute joints with skew axes; the start is off by up to 0.1 rad; computed with balls of 4096 bits
    """
    with precision(BITS):
        model = build(random_mechanism(1, 6, ("revolute",), shape="chain"), Numbers())
        wanted = vector(*(arb(k) / 5 for k in (1, -3, 4, 2, -5, 3)))
        X, _ = tool(model, wanted[:, None])
        q = wanted + vector(*(arb(k) / 100 for k in (8, -10, 6, 9, -7, 5)))
        exponents = [exponent(q - wanted)]
        for _ in range(STEPS):
            T, J = tool(model, q[:, None])
            q = q + solve(J[..., None], logarithm(undo(T) @ X)[:, None])[:, 0]
            exponents.append(exponent(q - wanted))
    # Quadratic convergence doubles the exponent, up to a constant. The first steps are too far away from the solution to show it.
    doubles = all(after <= 1.8 * now for now, after in pairwise(exponents[2:]))
    return doubles, "|θ_k − θ| below " + ", ".join(f"2^{e}" for e in exponents)
