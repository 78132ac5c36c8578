"""Text 003, §§14–18: screws as coordinates of poses, and the Jacobians that map their rates to twists.

Source of the closed forms: T. Barfoot, "State Estimation for Robotics", 2017, §7.1.5.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import NamedTuple

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import *
from cross_check.catalogue.quantities import *
from cross_check.catalogue.series import Series, now, rate
from cross_check.proof.exact import each
from implementations.spatial_algebra.spatial import crm

SCREWS = Chapter("003", "§§14–16, 18 Screws and twists")
BAKER = Chapter("003", "§17 Jacobians of the exponential")


class LongScrew(NamedTuple):
    """ξ = [φ; ρ] of any length, θ = |φ|."""

    ξ: Tensor
    θ: Angle

    @property
    def B(self) -> Tensor:
        """ξ̇, a constant."""
        return each(lambda s: Series(s.terms[1], 0 * s.terms[1]), self.ξ)

    @property
    def T(self) -> Tensor:
        """e^{[ξ]} = [1 + sin θ/θ [φ] + (1 − cos θ)/θ² [φ]², J_l(φ) ρ; 0, 1]"""
        W, θ = skew(self.ξ[:3]), self.θ
        n = θ.size * θ.size
        return pose(one(3) + W * (θ.s / θ.size) + W @ W * ((1 - θ.c) / n), left_of_rotation(self.ξ[:3], θ) @ self.ξ[3:])


def left(ξ: Tensor, θ: Angle) -> Tensor:
    """J_l(ξ), a polynomial in ad(ξ)."""
    A, (x, c, s, _) = ad(ξ), θ
    n = x * x
    coefficients = (
        (4 - x * s - 4 * c) / (2 * n),
        (4 * x - 5 * s + x * c) / (2 * n * x),
        (2 - x * s - 2 * c) / (2 * n * n),
        (2 * x - 3 * s + x * c) / (2 * n * n * x),
    )
    J, power = one(6), one(6)
    for coefficient in coefficients:
        power = power @ A
        J = J + power * coefficient
    return J


def right(ξ: Tensor, θ: Angle) -> Tensor:
    """J_r(ξ) = J_l(−ξ)"""
    return left(-ξ, θ)


def screw(p: Point) -> LongScrew:
    """A random moving screw, to first order in time: θ̇ = φ · φ̇/θ."""
    w, changes = p.unit(), p.vector(6)
    θ = p.angle(w @ changes[:3])
    start = join(w * now(θ.size), p.vector())
    return LongScrew(vector(*(Series(now(x), now(dx)) for x, dx in zip(start, changes, strict=True))), θ)


MovingScrew = Annotated[LongScrew, screw]


def held(x: Tensor) -> Tensor:
    """x at t = 0, as a constant."""
    return each(lambda s: Series(now(s), 0 * now(s)), x)


@SCREWS.identity("16-exp", "§§14, 16", order=1)
def exponential_of_any_screw(s: MovingScrew) -> Equations:
    """Exponential of any screw: e^{[ξ]} of ξ = θ [ω; v] is e^{[ω; v]θ}, and |φ| = θ holds while ξ changes"""
    ξ, θ = s
    yield ξ[:3] @ ξ[:3], θ.size * θ.size
    yield rate(vector(ξ[:3] @ ξ[:3])), rate(vector(θ.size * θ.size))
    yield s.T, exp_screw(ξ * (1 / θ.size), θ)


@SCREWS.identity("16-body", "§16", order=1)
def rate_and_body_twist(s: MovingScrew) -> Equations:
    """Rate of a screw and body twist: V^b = J_r(ξ) ξ̇ for T = e^{[ξ]}"""
    yield body_twist(s.T), right(*s) @ rate(s.ξ)


@SCREWS.identity("16-space", "§16", order=1)
def rate_and_space_twist(s: MovingScrew) -> Equations:
    """Rate of a screw and space twist: V^s = J_l(ξ) ξ̇ for T = e^{[ξ]}"""
    yield space_twist(s.T), left(*s) @ rate(s.ξ)


@SCREWS.identity("16-log", "§16", order=1)
def small_change(s: MovingScrew) -> Equations:
    """A small change of a pose: log(δT) = J_r δξ for δT = e^{−[ξ]} e^{[ξ + δξ]}, to first order"""
    change = undo(held(s.T)) @ s.T
    yield change, one(4)
    yield rate(change), hat(right(*s) @ rate(s.ξ))


@SCREWS.warning("15", "§§15, 18", order=1)
def rate_as_a_twist(s: MovingScrew) -> Equations:
    """Rate of a screw as a twist: V^b = ξ̇ for T = e^{[ξ]}

    J_r is missing between both sides; they agree only if the axis is constant
    """
    yield body_twist(s.T), rate(s.ξ)


@SCREWS.identity("18", "§18", order=1)
def fixed_axis(p: Point, s: Screw) -> Equations:
    """Screws about a constant axis: ξ = s θ, s constant: V = ξ̇ = s θ̇ in both frames, for J_l ξ = J_r ξ = ξ"""
    θ = p.angle(p.number())
    T = exp_screw(s, θ)
    yield body_twist(T), rate(s * θ.size)
    yield space_twist(T), rate(s * θ.size)
    yield left(s * θ.size, θ) @ s, s
    yield right(s * θ.size, θ) @ s, s


@BAKER.identity("17-ad", "§17")
def adjoint(a: Spatial, b: Spatial) -> Equations:
    """Adjoint of the algebra: [ad_{φ_1}(φ_2)] = [φ_1][φ_2] − [φ_2][φ_1]"""
    yield hat(crm(a, b)), commutator(hat(a), hat(b))


@BAKER.identity("17-integral", "§17", order=1)
def left_jacobian(s: Screw, θ: Advancing) -> Equations:
    """Left Jacobian: J_l(ξ) = Σ ad(ξ)^k/(k+1)! = 1 + a_1 ad + a_2 ad² + a_3 ad³ + a_4 ad⁴

    this is the series of ∫ [Ad_{e^{[s]θ}}] dθ/θ; θ J_l(θ s) has the same derivative by θ as the integral, and both are 0 at θ = 0
    """
    yield rate(left(s * θ.size, θ) * θ.size), Ad(exp_screw(s, θ))
    yield rate(left_of_rotation(s[:3] * θ.size, θ) * θ.size), exp_screw(s, θ)[:3, :3]


@BAKER.identity("17-both", "§§16, 17", order=1)
def left_and_right(s: MovingScrew) -> Equations:
    """Left and right: J_l(ξ) = [Ad_{e^{[ξ]}}] J_r(ξ), J_r(ξ) = J_l(−ξ)"""
    yield left(*s), Ad(s.T) @ right(*s)
    yield left_of_rotation(s.ξ[:3], s.θ), s.T[:3, :3] @ left_of_rotation(-s.ξ[:3], s.θ)


@BAKER.identity("17-blocks", "§17", order=1)
def left_jacobian_by_blocks(p: Point, s: MovingScrew) -> Equations:
    """Left Jacobian by blocks: J_l(ξ) = [J_l(φ) 0; Q J_l(φ)] with Barfoot’s Q (7.86)"""
    ξ, θ = s
    W, P, x, c, sin = skew(ξ[:3]), skew(ξ[3:]), θ.size, θ.c, θ.s
    n = x * x
    Q = (
        P * p.fraction(1, 2)
        + (W @ P + P @ W + W @ P @ W) * ((x - sin) / (n * x))
        + (W @ W @ P + P @ W @ W - 3 * (W @ P @ W)) * ((n + 2 * c - 2) / (2 * n * n))
        + (W @ P @ W @ W + W @ W @ P @ W) * ((2 * x - 3 * sin + x * c) / (2 * n * n * x))
    )
    J = left_of_rotation(ξ[:3], θ)
    yield left(ξ, θ), block([J, zero(3, 3)], [Q, J])


@BAKER.identity("17-inverse", "§§16, 17", order=1)
def inverse_left_jacobian(p: Point, s: MovingScrew) -> Equations:
    """Inverse of the left Jacobian: J_l(φ)⁻¹ = 1 − ½ [φ] + (1/θ² − cot ½θ/(2θ)) [φ]²"""
    ξ, θ = s
    W, half = skew(ξ[:3]), p.fraction(1, 2)
    J_inverse = one(3) - W * half + W @ W * ((1 / θ.size - half / θ.t) / θ.size)
    yield J_inverse @ left_of_rotation(ξ[:3], θ), one(3)


def bernoulli(n: int) -> Fraction:
    """B_n = Σ_k Σ_v (−1)^v C(k, v) vⁿ/(k + 1), with B_1 = −½."""
    return sum((Fraction((-1) ** v * comb(k, v) * v**n, k + 1) for k in range(n + 1) for v in range(k + 1)), Fraction(0))


@BAKER.identity("17-bernoulli", "§16")
def both_series(p: Point) -> Equations:
    """Both series: Σ adᵏ/(k+1)! · Σ B_k adᵏ/k! = 1, which makes J_l J_l⁻¹ = 1, to order 24"""
    terms = [(Fraction(1, factorial(k + 1)), bernoulli(k) / factorial(k)) for k in range(25)]
    for n in range(25):
        product = sum((terms[k][0] * terms[n - k][1] for k in range(n + 1)), Fraction(0))
        yield p.field.number(product), p.fraction(int(n == 0))


@BAKER.identity("17-derivative", "§17", order=1)
def derivative_of_the_exponential(s: MovingScrew) -> Equations:
    """Derivative of the exponential: d/dt e^{A + tB} = [J_l(A) B] e^A at t = 0, for A = [ξ], B = [ξ̇]"""
    yield rate(s.T), hat(left(*s) @ rate(s.ξ)) @ s.T


@BAKER.identity("17-first-order", "§17", order=1)
def first_order(p: Point, s: MovingScrew) -> Equations:
    """Baker–Campbell–Hausdorff, to first order:
    e^{A + tB} = (1 + t [C]) e^A = e^{t [C]} e^A up to t², C = J_l(A) B: ln(e^{t [C]} e^A) = A + t J_l(A)⁻¹ C
    """
    e_tC = one(4) + hat(left(*s) @ s.B) * p.time
    yield s.T, e_tC @ held(s.T)
    yield rate(s.T), rate(e_tC @ held(s.T))
