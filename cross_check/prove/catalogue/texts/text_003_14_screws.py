"""Text 003, §§14–21, 30, 31, 35: screws, exponential coordinates, wrenches, points of a body, and Lie brackets.

Source of the closed forms of §17: T. Barfoot, "State Estimation for Robotics", 2017, §7.1.5.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial
from typing import NamedTuple

from cross_check.prove.catalogue.language import *
from cross_check.prove.catalogue.series import Series, now
from implementations.spatial_algebra.kinematics import classical_accelerations
from oracle.fields import each

SCREWS = Chapter("003", "§§14–16, 18 Screws and twists")
BAKER = Chapter("003", "§17 Jacobians of the exponential")
WRENCHES = Chapter("003", "§§19–21 Wrenches")
POINTS = Chapter("003", "§§30, 31 Points of a body")
BRACKETS = Chapter("003", "§35 Lie brackets")


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


@WRENCHES.identity("19", "§19")
def wrench(c: Vector, V: Spatial, forces: Forces) -> Equations:
    """A force system as a force at the centre of mass:
    a system of forces is equivalent to one couple and one force: both have the same power for every motion
    """
    force, couple = total(f for _, f in forces), total(cross(x - c, f) for x, f in forces)
    at_origin = plucker(one(3), c).T @ join(couple, force)[:, None]
    yield at_origin, sum(join(cross(x, f), f) for x, f in forces)
    yield at_origin[:, 0] @ V, sum(f @ (V[3:] + cross(V[:3], x)) for x, f in forces)


@WRENCHES.identity("20", "§20")
def wrench_in_both_frames(T: Pose, F: Spatial, V: Spatial) -> Equations:
    """Wrenches in both frames: F^b = [Ad_T]ᵀ F^s = [Rᵀ −Rᵀ[r]; 0 Rᵀ] [τ^s; f^s], so V^s · F^s = V^b · F^b"""
    R, r = T[:3, :3], T[:3, 3]
    F_b = plucker(R, -R.T @ r).T @ F[:, None]
    yield F_b, Ad(T).T @ F
    yield F_b, block([R.T, -R.T @ skew(r)], [zero(3, 3), R.T]) @ F
    yield F_b, join(R.T @ F[:3] - R.T @ skew(r) @ F[3:], R.T @ F[3:])
    yield V @ F_b[:, 0], (Ad(T) @ V) @ F


@WRENCHES.identity("21", "§21")
def stick(p: Point, r: Vector, w: Unit, weight: Vector, m: Number) -> Equations:
    """A stick held level: F^b = [0; −g] is F^s = [r × −g; −g], the force of the wall and the moment r × −g of the motor"""
    yield plucker(one(3), r).T @ join(zero(3), -weight)[:, None], join(cross(r, -weight), -weight)
    body = Joint("motor", "revolute", tuple(w)), Inertia(m, tuple(r), tuple(p.vector(6)))
    model = p.model(chain(body, gravity=weight / m))
    yield gravity(model, vector(p.fraction(0))[:, None]), vector(w @ cross(r, -weight))


@POINTS.identity("30", "§30", order=2)
def acceleration_of_a_point(B: Moving, r: Vector) -> Equations:
    """Acceleration of a point of a body: ṗ = ω^b × r + v^b, p̈ = v̇^b + [ω̇^b] r + [ω^b] v^b + [ω^b]² r, in {b}"""
    w, v = B.body_twist[:3], B.body_twist[3:]
    x = B.R @ r + B.r
    yield (hat(B.body_twist) @ point(r))[:3], B.R.T @ rate(x)
    yield cross(w, r) + v, B.R.T @ rate(x)
    yield rate(v) + skew(rate(w)) @ r + skew(w) @ v + skew(w) @ skew(w) @ r, B.R.T @ rate(rate(x))


@POINTS.identity("30-origin", "§30", order=2)
def acceleration_of_a_bodys_origin(m: Chain) -> Equations:
    """Acceleration of a body’s origin: p̈ = R (v̇^b + [ω^b] v^b), r = 0, for every body of a tree"""
    for ours, v, B in zip(classical_accelerations(*m.state, m.qdd), m.v, m.frames, strict=True):
        yield ours, join(B.R @ rate(v[:3]), B.R @ (rate(v[3:]) + cross(v[:3], v[3:])))
        yield ours[3:], rate(rate(B.r))


@POINTS.identity("31", "§31", order=2)
def angular_momentum(m: Number, r: Path) -> Equations:
    """Angular momentum of a point mass: L = r × p with p = m v, so L̇ = r × f"""
    yield rate(cross(r, m * rate(r))), cross(r, m * rate(rate(r)))


@BRACKETS.identity("35", "§35")
def lie_bracket(x: Spatial, y: Spatial) -> Equations:
    """Lie bracket: [[x], [y]] = [x][y] − [y][x] = [ad(x) y]; ad(x) = [ω] on so(3), [[ω] 0; [v] [ω]] on se(3)"""
    yield crm(x, y), unhat(commutator(hat(x), hat(y)))
    yield crm(x, y), ad(x) @ y
    yield adjoints.ad(x[:, None]), ad(x)
    yield adjoints.bracket(x[:, None]), hat(x)
    yield commutator(skew(x[:3]), skew(y[:3])), skew(cross(x[:3], y[:3]))


@BRACKETS.identity("35-derivative", "§35", order=1)
def bracket_by_conjugation(p: Point, x: Screw, y: Spatial, θ: Advancing) -> Equations:
    """Lie bracket as the derivative of conjugation:
    d/dθ e^{[x]θ} [y] e^{−[x]θ} = [x][y] − [y][x] at θ = 0, and d[Ad]/dθ = ad(x) [Ad]
    """
    T = exp_screw(x, θ)
    moved = T @ hat(y) @ undo(T)
    yield rate(moved), commutator(hat(x), moved)
    yield rate(Ad(T)), ad(x) @ Ad(T)
    T = exp_screw(x, Angle(p.time, p.fraction(1), p.time, p.time))  # to first order, as the angle is 0 now
    yield rate(T @ hat(y) @ undo(T)), commutator(hat(x), hat(y))


@BRACKETS.slip("35-printed", "§35", corrected="35-derivative")
def bracket_as_printed(x: Screw, y: Spatial, θ: AnyAngle) -> Equations:
    """Lie bracket by conjugation: Y′ = g Y g⁻¹ = X Y − Y X, g = e^{[x]θ}

    the bracket is not g Y g⁻¹ itself, but its derivative at θ = 0, as the preceding sentence of the text says
    """
    T = exp_screw(x, θ)
    yield T @ hat(y) @ undo(T), commutator(hat(x), hat(y))


@BRACKETS.slip("35-inverse", "§35", corrected="35-derivative")
def bracket_by_inverse(x: Spatial, y: Spatial) -> Equations:
    """Lie bracket by the algebra’s own elements: [x, y] = X Y X⁻¹ = ad(x) y, hence X Y = [ad(x) y] X

    X is an element of the algebra, not of the group; its matrix is singular and has no inverse
    """
    yield hat(x) @ hat(y), hat(ad(x) @ y) @ hat(x)
