"""Text 003, §§16, 24–29: Jacobians, and the forces of an arm."""

from __future__ import annotations

import numpy as np

from cross_check.catalogue.arm import Arm, arm, in_tool, product
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import (
    Ad,
    block,
    columns,
    hat,
    join,
    one,
    point,
    skew,
    undo,
    unhat,
    unskew,
    vector,
    zero,
)
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import moving
from cross_check.catalogue.series import rate
from cross_check.catalogue.texts.text_002_bases import inverse
from implementations.field import Tensor
from implementations.spatial_algebra import kinematics
from implementations.spatial_algebra.external_forces import generalised_forces, in_bodies

JACOBIANS = Chapter("003", "§§16, 24–26 Jacobians")
FORCES = Chapter("003", "§§29, 33, 34 Forces")


@JACOBIANS.identity("25-matrix", "§25", order=1)
def twist_by_matrices(p: Point) -> Equations:
    """Twist of the tool, as matrices: [V^s] = Ṫ T⁻¹ = [ξ_1] θ̇_1 + e^{[ξ_1]θ_1} [ξ_2] e^{−[ξ_1]θ_1} θ̇_2 + …"""
    a = arm(p)
    before = [product(a.e[:i]) for i in range(3)]
    parts = (T @ hat(ξ) @ undo(T) * speed for T, ξ, speed in zip(before, a.screws, a.speeds, strict=True))
    yield rate(a.T) @ undo(a.T), sum(parts)


def space_jacobian(a: Arm) -> Tensor:
    """J_s, with the columns Ad_{e^{[ξ_1]θ_1} …}(ξ_i)."""
    return columns(*(Ad(product(a.e[:i])) @ ξ for i, ξ in enumerate(a.screws)))


def tool_jacobian(a: Arm) -> Tensor:
    """J_t, with the columns Ad_{e^{−[ξ_n]θ_n} … e^{−[ξ_{i+1}]θ_{i+1}}}(ξ_i), all in the tool’s frame."""
    screws, e = in_tool(a)
    return columns(*(Ad(undo(product(e[i + 1 :]))) @ ξ for i, ξ in enumerate(screws)))


@JACOBIANS.identity("25", "§§24, 25", order=1)
def jacobian_in_base(p: Point) -> Equations:
    """Geometric Jacobian in the base frame: V^s = ξ_1 θ̇_1 + Ad_{e^{[ξ_1]θ_1}}(ξ_2) θ̇_2 + … = J_s θ̇, with the ω of the tool"""
    a = arm(p)
    V = space_jacobian(a) @ a.speeds
    yield kinematics.jacobians(a.m.model, a.m.q, "world")[-1], space_jacobian(a)
    yield unhat(rate(a.T) @ undo(a.T)), V
    yield unskew(rate(a.T[:3, :3]) @ a.T[:3, :3].T), V[:3]


@JACOBIANS.identity("25-tool", "§25", order=1)
def jacobian_in_tool(p: Point) -> Equations:
    """Geometric Jacobian in the tool frame:
    V^t = ξ_n θ̇_n + Ad_{e^{−[ξ_n]θ_n}}(ξ_{n−1}) θ̇_{n−1} + … = J_t θ̇, all ξ in the tool’s frame
    """
    a = arm(p)
    ours = kinematics.jacobians(a.m.model, a.m.q, "local")[-1][..., 0]
    yield Ad(undo(a.tool)) @ ours, tool_jacobian(a)
    yield unhat(undo(a.T) @ rate(a.T)), tool_jacobian(a) @ a.speeds
    yield tool_jacobian(a), Ad(undo(a.T)) @ space_jacobian(a)


@JACOBIANS.slip("25-printed", "§25", corrected="25-tool", order=1)
def jacobian_in_tool_as_printed(p: Point) -> Equations:
    """Geometric Jacobian in the tool frame: V^t = ξ_n^t θ̇_n + ξ′_{n−1}^t θ̇_{n−1} + … + ξ_1^t θ̇_1

    the prime on the last axis is missing: ξ_1^t is the axis of joint 1 at θ = 0, ξ′_1^t is its axis at θ
    """
    a = arm(p)
    J = tool_jacobian(a)
    J[:, 0] = in_tool(a)[0][0]
    yield unhat(undo(a.T) @ rate(a.T)), J @ a.speeds


@JACOBIANS.identity("24", "§24", order=1)
def analytic_jacobian(p: Point) -> Equations:
    """Analytic and geometric Jacobian: ẋ = ∂f/∂θ θ̇ with ∂f/∂θ = [−[x] 1] J_s = R [0 1] J_t for the tool’s origin x"""
    a = arm(p)
    x = a.T[:3, 3]
    J = block([-skew(x), one(3)]) @ space_jacobian(a)
    yield rate(x), J @ a.speeds
    yield J, a.T[:3, :3] @ tool_jacobian(a)[3:]


@JACOBIANS.identity("26", "§26", order=1)
def velocity_of_the_tool(p: Point) -> Equations:
    """Velocity of the tool’s centre: [v_tcp; 0] = [V^s] [P; 1], V^s = J_s θ̇"""
    a, centre = arm(p), p.vector()
    P = (a.T @ point(centre))[:3]
    yield join(rate(P), vector(0)), hat(space_jacobian(a) @ a.speeds) @ point(P)


@JACOBIANS.identity("16-joints", "§§16, 28", order=1)
def newton_step(p: Point) -> Equations:
    """A small change of the joints:
    log(δT) = J_b(θ) δθ for δT = T(θ)⁻¹ T(θ + δθ), to first order, the step of Newton–Raphson; so J_r δξ = J_b δθ
    """
    a = arm(p)
    yield undo(a.T) @ rate(a.T), hat(tool_jacobian(a) @ a.speeds)


@FORCES.identity("29", "§29", order=1)
def joint_forces(p: Point) -> Equations:
    """Joint forces of a wrench at the tool: τ = J_tᵀ F^t = J_sᵀ F^s, as θ̇ᵀ τ = V^t · F^t"""
    a, F = arm(p), p.vector(6)
    in_base = Ad(undo(a.T)).T @ F
    acting = np.stack((zero(6), zero(6), in_base))[..., None]
    tau = generalised_forces(a.m.model, a.m.q, in_bodies(a.m.model, a.m.q, acting))
    yield tau, tool_jacobian(a).T @ F
    yield tau, space_jacobian(a).T @ in_base
    yield tau[:, 0] @ a.speeds, unhat(undo(a.T) @ rate(a.T)) @ F


@FORCES.identity("34", "§§33, 34")
def constraint_force(p: Point) -> Equations:
    """Constraint force:
    f̂_c · Ŝ δq = 0 for every virtual displacement δq, where f̂_c is the part of the joint’s force besides τ = Ŝᵀ f̂
    """
    m, f, δq = moving(p, p.mechanism([-1], ["universal"])), p.vector(6), p.vector(2)
    S = m.S[0]
    tau = S.T @ f
    made = S @ (inverse(S.T @ S) @ tau)
    yield S.T @ made, tau
    yield (f - made) @ (S @ δq), 0
