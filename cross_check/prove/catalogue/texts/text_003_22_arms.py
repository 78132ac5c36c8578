"""Text 003, §§16, 22–29, 33, 34: a robot arm: products of exponentials, Jacobians, and forces.

Statements about numbers, among them the convergence of inverse kinematics, are computed with rigorous error bounds.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import matmul
from typing import NamedTuple

import numpy as np
from flint import arb

from cross_check.prove.catalogue.language import *
from implementations.spatial_algebra.model import Model, build
from mechanisms import random_mechanism
from mechanisms.numbers.rounded import precision
from oracle import Balls
from oracle.fields import half_angle

EXPONENTIALS = Chapter("003", "§§22, 23 Products of exponentials")
JACOBIANS = Chapter("003", "§§16, 24–26 Jacobians")
FORCES = Chapter("003", "§§29, 33, 34 Forces")
DEFINITIONS = Chapter("003", "§1 Definitions")
INVERSE = Chapter("003", "§§27, 28 Inverse kinematics")


class Arm(NamedTuple):
    """A moving arm; ``screws`` are the ξ_i and ``M`` is the tool’s pose, both where all θ are 0."""

    m: Motion
    tool: Tensor
    """The tool’s pose in the last body."""
    screws: list[Tensor]
    M: Tensor
    e: list[Tensor]
    """e^{[ξ_i]θ_i}"""

    @property
    def T(self) -> Tensor:
        """The tool’s pose in the root’s frame, by the reference’s transforms."""
        return self.m.T[-1] @ self.tool

    @property
    def speeds(self) -> Tensor:
        return self.m.qd[:, 0]

    @property
    def screws_in_tool(self) -> list[Tensor]:
        """ξ_i^t, in the tool’s frame where all θ are 0."""
        return [Ad(undo(self.M)) @ ξ for ξ in self.screws]

    @property
    def e_in_tool(self) -> list[Tensor]:
        """e^{[ξ_i^t]θ_i}"""
        return [undo(self.M) @ e @ self.M for e in self.e]

    @property
    def J_s(self) -> Tensor:
        """The columns Ad_{e^{[ξ_1]θ_1} …}(ξ_i)."""
        return columns(*(Ad(product(self.e[:i])) @ ξ for i, ξ in enumerate(self.screws)))

    @property
    def J_t(self) -> Tensor:
        """The columns Ad_{e^{−[ξ_n]θ_n} … e^{−[ξ_{i+1}]θ_{i+1}}}(ξ_i), all in the tool’s frame."""
        return columns(*(Ad(undo(product(self.e_in_tool[i + 1 :]))) @ ξ for i, ξ in enumerate(self.screws_in_tool)))


def arm(p: Point) -> Arm:
    """A random arm with a revolute, a prismatic and a helical joint."""
    mechanism, tool = p.mechanism(*CHAIN), p.pose()
    m = motion_of(p, mechanism)
    home, screws, e = one(4), [], []
    for body, link, (q,) in zip(mechanism.bodies, m.model.links, m.q, strict=True):
        home = home @ placed_at(body.joint)
        ξ = Ad(home) @ link.S[:, 0, 0]
        screws.append(ξ)
        e.append(exp_slide(ξ, q) if body.joint.kind == "prismatic" else exp_screw(ξ, angle_of(p, q)))
    return Arm(m, tool, screws, home @ tool, e)


def placed_at(joint: Joint) -> Tensor:
    """The pose of a joint's frame in the parent body's frame."""
    rotation, translation = joint.placement.rotation, joint.placement.translation
    return pose(vector(*rotation.matrix).reshape(3, 3), vector(*translation))


def angle_of(p: Point, t: Any) -> Angle:
    """The angle that was drawn together with t = tan(θ/2)."""
    return Angle(p.field.angle(vector(t))[0], *half_angle(t), t)


def product(factors: list[Tensor]) -> Tensor:
    """The product of 4×4 matrices in this order."""
    return reduce(matmul, factors, one(4))


AnyArm = Annotated[Arm, arm]


@EXPONENTIALS.identity("22", "§22")
def pose_in_base(a: AnyArm) -> Equations:
    """Pose in the base frame: T(θ) = e^{[ξ_1]θ_1} … e^{[ξ_n]θ_n} M"""
    yield a.T, product(a.e) @ a.M


@EXPONENTIALS.slip("22-printed", "§22", corrected="22")
def pose_without_M(p: Point) -> Equations:
    """Pose after the outermost joint alone: T = e^{[ξ_n]θ_n}

    M is missing here; the equations that follow contain it
    """
    mechanism, tool = p.mechanism([-1], ["revolute"]), p.pose()
    m = motion_of(p, mechanism)
    ξ = Ad(placed_at(mechanism.bodies[0].joint)) @ m.model.links[0].S[:, 0, 0]
    yield m.T[0] @ tool, exp_screw(ξ, angle_of(p, m.q[0, 0]))


@EXPONENTIALS.identity("23-screws", "§23")
def screws_in_tool(M: Pose, ξ: Screw, θ: AnyAngle) -> Equations:
    """Screws in the tool frame: [ξ^t] = M⁻¹ [ξ^s] M, ξ^t = [Ad_{M⁻¹}] ξ^s, e^{[ξ^t]θ} = M⁻¹ e^{[ξ^s]θ} M"""
    yield hat(Ad(undo(M)) @ ξ), undo(M) @ hat(ξ) @ M
    yield exp_screw(Ad(undo(M)) @ ξ, θ), undo(M) @ exp_screw(ξ, θ) @ M


@EXPONENTIALS.identity("23", "§23")
def pose_in_tool(a: AnyArm) -> Equations:
    """Pose in the tool frame: T(θ) = M e^{[ξ_1^t]θ_1} … e^{[ξ_n^t]θ_n}"""
    yield a.T, a.M @ product(a.e_in_tool)


def multiple(p: Point, k: Angle, n: int) -> Angle:
    """The angle n k."""
    c, s = k.c, k.s
    for _ in range(n - 1):
        c, s = c * k.c - s * k.s, c * k.s + s * k.c
    t = s / (1 + c)
    p.field.angles.append((t, k.size * n))
    return Angle(k.size * n, c, s, t)


@EXPONENTIALS.slip("23-printed", "§23", corrected="23")
def pose_by_a_sum(p: Point, k: AnyAngle, r: Vector, s: Vector) -> Equations:
    """Pose in the tool frame: T(θ) = M e^{[ξ_1^t]θ_1 + … + [ξ_n^t]θ_n}

    the exponential of a sum is not the product of exponentials; joints about x and y with the angles 3k and 4k refute it
    """
    θ = [multiple(p, k, n) for n in (3, 4, 5)]
    joints = [Joint(f"joint{i}", "revolute", basis()[i], Placement(translation=tuple(x))) for i, x in enumerate((r, s))]
    model = p.model(chain(*((joint, Inertia.massless()) for joint in joints)))
    T = pose_of(transforms_from_root(model, transforms(model, vector(θ[0].t, θ[1].t)[:, None])[0])[1])
    M = pose(one(3), r + s)
    ξ = [Ad(undo(M) @ home) @ one(6)[i] for i, home in enumerate((pose(one(3), r), M))]
    # |φ| = 5 k, as 3² + 4² = 5²
    total = ξ[0] * θ[0].size + ξ[1] * θ[1].size
    axis = total[:3] * (1 / θ[2].size)
    yield T, M @ pose(exp_rotation(axis, θ[2]), left_of_rotation(total[:3], θ[2]) @ total[3:])


@EXPONENTIALS.identity("23-difference", "§23", order=2)
def product_against_sum(p: Point, x: Spatial, y: Spatial) -> Equations:
    """Sum and product of exponentials:
    e^{[a]t} e^{[b]t} − e^{([a] + [b])t} = ½ t² [[a], [b]] + O(t³), so both are equal only for screws that commute
    """
    a, b = hat(x), hat(y)

    def exp(A: Tensor) -> Tensor:
        """e^{At} to t², from Ṫ = A T"""
        return flow(one(4) + 0 * A, lambda T: (A @ T.reshape(4, 4)).ravel(), p.order).reshape(4, 4)

    difference = exp(a) @ exp(b) - exp(a + b)
    yield difference, zero(4, 4)
    yield rate(difference), zero(4, 4)
    yield rate(rate(difference)), commutator(a, b)


@EXPONENTIALS.identity("23-commuting", "§23")
def product_of_commuting(p: Point, w: Unit, θ: AnyAngle, d: Number) -> Equations:
    """Screws that commute:
    e^{[a]θ} e^{[b]d} = e^{[a]θ + [b]d} for a rotation about an axis and a translation along it, because [[a], [b]] = 0
    """
    a, b = join(w, p.vector()), join(zero(3), w)
    total = a * θ.size + b * d
    yield hat(a) @ hat(b), hat(b) @ hat(a)
    yield exp_screw(a, θ) @ exp_slide(b, d), pose(exp_rotation(w, θ), left_of_rotation(total[:3], θ) @ total[3:])


@JACOBIANS.identity("25-matrix", "§25", order=1)
def twist_by_matrices(a: AnyArm) -> Equations:
    """Twist of the tool, as matrices: [V^s] = Ṫ T⁻¹ = [ξ_1] θ̇_1 + e^{[ξ_1]θ_1} [ξ_2] e^{−[ξ_1]θ_1} θ̇_2 + …"""
    before = [product(a.e[:i]) for i in range(3)]
    parts = (T @ hat(ξ) @ undo(T) * speed for T, ξ, speed in zip(before, a.screws, a.speeds, strict=True))
    yield rate(a.T) @ undo(a.T), sum(parts)


@JACOBIANS.identity("25", "§§24, 25", order=1)
def jacobian_in_base(a: AnyArm) -> Equations:
    """Geometric Jacobian in the base frame: V^s = ξ_1 θ̇_1 + Ad_{e^{[ξ_1]θ_1}}(ξ_2) θ̇_2 + … = J_s θ̇, with the ω of the tool"""
    V = a.J_s @ a.speeds
    yield kinematics.jacobians(a.m.model, a.m.q, "world")[-1], a.J_s
    yield space_twist(a.T), V
    yield unskew(rate(a.T[:3, :3]) @ a.T[:3, :3].T), V[:3]


@JACOBIANS.identity("25-tool", "§25", order=1)
def jacobian_in_tool(a: AnyArm) -> Equations:
    """Geometric Jacobian in the tool frame:
    V^t = ξ_n θ̇_n + Ad_{e^{−[ξ_n]θ_n}}(ξ_{n−1}) θ̇_{n−1} + … = J_t θ̇, all ξ in the tool’s frame
    """
    ours = kinematics.jacobians(a.m.model, a.m.q, "local")[-1][..., 0]
    yield Ad(undo(a.tool)) @ ours, a.J_t
    yield body_twist(a.T), a.J_t @ a.speeds
    yield a.J_t, Ad(undo(a.T)) @ a.J_s


@JACOBIANS.slip("25-printed", "§25", corrected="25-tool", order=1)
def jacobian_in_tool_as_printed(a: AnyArm) -> Equations:
    """Geometric Jacobian in the tool frame: V^t = ξ_n^t θ̇_n + ξ′_{n−1}^t θ̇_{n−1} + … + ξ_1^t θ̇_1

    the prime on the last axis is missing: ξ_1^t is the axis of joint 1 at θ = 0, ξ′_1^t is its axis at θ
    """
    J = a.J_t
    J[:, 0] = a.screws_in_tool[0]
    yield body_twist(a.T), J @ a.speeds


@JACOBIANS.identity("24", "§24", order=1)
def analytic_jacobian(a: AnyArm) -> Equations:
    """Analytic and geometric Jacobian: ẋ = ∂f/∂θ θ̇ with ∂f/∂θ = [−[x] 1] J_s = R [0 1] J_t for the tool’s origin x"""
    x = a.T[:3, 3]
    J = block([-skew(x), one(3)]) @ a.J_s
    yield rate(x), J @ a.speeds
    yield J, a.T[:3, :3] @ a.J_t[3:]


@JACOBIANS.identity("26", "§26", order=1)
def velocity_of_the_tool(a: AnyArm, centre: Vector) -> Equations:
    """Velocity of the tool’s centre: [v_tcp; 0] = [V^s] [P; 1], V^s = J_s θ̇"""
    P = (a.T @ point(centre))[:3]
    yield join(rate(P), vector(0)), hat(a.J_s @ a.speeds) @ point(P)


@JACOBIANS.identity("16-joints", "§§16, 28", order=1)
def newton_step(a: AnyArm) -> Equations:
    """A small change of the joints:
    log(δT) = J_b(θ) δθ for δT = T(θ)⁻¹ T(θ + δθ), to first order, the step of Newton–Raphson; so J_r δξ = J_b δθ
    """
    yield undo(a.T) @ rate(a.T), hat(a.J_t @ a.speeds)


@FORCES.identity("29", "§29", order=1)
def joint_forces(a: AnyArm, F: Spatial) -> Equations:
    """Joint forces of a wrench at the tool: τ = J_tᵀ F^t = J_sᵀ F^s, as θ̇ᵀ τ = V^t · F^t"""
    in_base = Ad(undo(a.T)).T @ F
    acting = np.stack((zero(6), zero(6), in_base))[..., None]
    tau = generalised_forces(a.m.model, a.m.q, in_bodies(a.m.model, a.m.q, acting))
    yield tau, a.J_t.T @ F
    yield tau, a.J_s.T @ in_base
    yield tau[:, 0] @ a.speeds, body_twist(a.T) @ F


@FORCES.identity("34", "§§33, 34")
def constraint_force(m: Universal, f: Spatial, δq: TwoNumbers) -> Equations:
    """Constraint force:
    f̂_c · Ŝ δq = 0 for every virtual displacement δq, where f̂_c is the part of the joint’s force besides τ = Ŝᵀ f̂
    """
    S = m.S[0]
    tau = S.T @ f
    made = S @ (inverse(S.T @ S) @ tau)
    yield S.T @ made, tau
    yield (f - made) @ (S @ δq), 0


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
