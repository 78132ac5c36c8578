"""Text 001, "Introduction" and "Computing": inverse and forward dynamics with external forces, floating bases."""

from __future__ import annotations

import numpy as np

from cross_check.catalogue.floating_base import floating_base, selection
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import Ad, block, join, one, undo, unhat, vector, zero
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import FORK, Motion, moving
from cross_check.catalogue.series import rate
from implementations.field import Tensor
from implementations.linear import solve
from implementations.spatial_algebra import kinematics
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import nonlinear_effects
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.external_forces import generalised_forces, in_bodies, rnea_with_external_forces

MOTION = Chapter("001", "Inverse and forward dynamics")
FLOATING = Chapter("001", "Floating-base equations of motion")


def jacobians(m: Motion) -> list[Tensor]:
    """Geometric Jacobians (6, nv) of all bodies in the root's frame; the columns are [Ad_T] ŝ of the joints on the path to the body."""
    jacobians = [zero(6, m.model.nv)] * len(m.T)
    for i, λ in enumerate(m.model.parents):
        J = zero(6, m.model.nv) if λ < 0 else jacobians[λ].copy()
        J[:, m.model.links[i].v] = Ad(m.T[i]) @ m.S[i]
        jacobians[i] = J
    return jacobians


@MOTION.identity("jacobian", "Introduction", order=1)
def jacobian(p: Point) -> Equations:
    """Geometric Jacobian: v̂_i = J_i q̇, so JᵀF are the joint forces with the power of F: q̇ · Σ J_iᵀ F_i = Σ F_i · v̂_i"""
    m = moving(p, p.mechanism(*FORK))
    F = p.matrix(4, 6)
    twists = [unhat(rate(T) @ undo(T)) for T in m.T]
    for J, ours, v in zip(jacobians(m), kinematics.jacobians(m.model, m.q, "world"), twists, strict=True):
        yield J @ m.qd[:, 0], v
        yield ours, J
    taken = generalised_forces(m.model, m.q, in_bodies(m.model, m.q, F[..., None]))
    yield (taken * m.qd).sum(axis=0), vector(sum(f @ v for f, v in zip(F, twists, strict=True)))


def pushed(p: Point) -> tuple[Motion, Tensor, Tensor]:
    """A mechanism of two bodies, external forces on it (2, 6, 1) in the root's frame, and Σ Jᵀ F."""
    m = moving(p, p.mechanism([-1, 0], ["revolute", "prismatic"]))
    F = p.matrix(2, 6)
    return m, F[..., None], sum(J.T @ f for J, f in zip(jacobians(m), F, strict=True))[:, None]


@MOTION.identity("inverse", "Inverse dynamics")
def inverse_dynamics(p: Point) -> Equations:
    """Inverse dynamics: ID(q, q̇, q̈, F_ext) = M q̈ + C q̇ + G − Jᵀ F_ext"""
    (m, F, pushes), qdd = pushed(p), p.vector(2)[:, None]
    right = crba(m.model, m.q)[..., 0] @ qdd + nonlinear_effects(m.model, m.q, m.qd) - pushes
    yield rnea_with_external_forces(m.model, m.q, m.qd, qdd, F), right


@MOTION.identity("bias", "Forward dynamics")
def bias(p: Point) -> Equations:
    """Bias forces: C q̇ + G = ID(q, q̇, 0, 0) and C q̇ + G − Jᵀ F_ext = ID(q, q̇, 0, F_ext)"""
    m, F, pushes = pushed(p)
    rest = 0 * m.qd
    yield rnea_with_external_forces(m.model, m.q, m.qd, rest, 0 * F), nonlinear_effects(m.model, m.q, m.qd)
    yield rnea_with_external_forces(m.model, m.q, m.qd, rest, F), nonlinear_effects(m.model, m.q, m.qd) - pushes


@MOTION.slip("bias-printed", "Forward dynamics", corrected="bias")
def bias_as_printed(p: Point) -> Equations:
    """Bias forces: C q̇ + G = ID(q, q̇, 0, F_ext)

    by the text’s definition of ID the right side also contains −Jᵀ F_ext; F_ext must be 0 there
    """
    m, F, _ = pushed(p)
    yield nonlinear_effects(m.model, m.q, m.qd), rnea_with_external_forces(m.model, m.q, m.qd, 0 * m.qd, F)


@MOTION.identity("forward", "Forward dynamics")
def forward_dynamics(p: Point) -> Equations:
    """Forward dynamics: q̈ = M⁻¹ (τ − ID(q, q̇, 0, F_ext)) = M⁻¹ (τ + Jᵀ F_ext − ID(q, q̇, 0, 0))"""
    (m, F, pushes), tau = pushed(p), p.vector(2)[:, None]
    M = crba(m.model, m.q)
    qdd = aba(m.model, m.q, m.qd, tau + generalised_forces(m.model, m.q, in_bodies(m.model, m.q, F)))
    yield qdd, solve(M, tau - rnea_with_external_forces(m.model, m.q, m.qd, 0 * tau, F))
    yield qdd, solve(M, tau + pushes - nonlinear_effects(m.model, m.q, m.qd))


@MOTION.slip("forward-printed", "Forward dynamics", corrected="forward")
def forward_dynamics_as_printed(p: Point) -> Equations:
    """Forward dynamics: q̈ = M⁻¹ (τ + Jᵀ F_ext − ID(q, q̇, 0, F_ext))

    the right side contains Jᵀ F_ext twice
    """
    (m, F, pushes), tau = pushed(p), p.vector(2)[:, None]
    qdd = aba(m.model, m.q, m.qd, tau + generalised_forces(m.model, m.q, in_bodies(m.model, m.q, F)))
    yield qdd, solve(crba(m.model, m.q), tau + pushes - rnea_with_external_forces(m.model, m.q, m.qd, 0 * tau, F))


def on_a_free_base(p: Point) -> Motion:
    return moving(p, p.mechanism([-1, 0], ["free", "revolute"]))


@FLOATING.identity("selection", "Floating base")
def driven_joints(p: Point) -> Equations:
    """Selection of driven joints: u_j = S u with S = [0 1], and Sᵀ τ = [0; τ]

    the text gives S the size 6 × (6 + n); the correct size is n × (6 + n), one row for each driven joint
    """
    model = p.model(p.mechanism([-1, 0, 1], ["free", "revolute", "spherical"]))
    u_b, u_j, tau = p.vector(6), p.vector(4), p.vector(4)
    yield selection(model) @ join(u_b, u_j), u_j
    yield selection(model).T @ tau, join(0 * u_b, tau)


@FLOATING.identity("floating", "Floating base")
def floating(p: Point) -> Equations:
    """Equations of motion of a floating base:
    M u̇ + b + g = Sᵀ τ + Jᵀ F_ext; with F_c = −F_ext on the environment M u̇ + b + g + Jᵀ F_c = Sᵀ τ
    """
    m, tau, F = on_a_free_base(p), p.vector(1)[:, None], p.matrix(2, 6)
    fx = in_bodies(m.model, m.q, F[..., None])
    acceleration = np.concatenate(floating_base(m.model, m.q, m.qd, fx).forward(tau))
    pushes = sum(J.T @ f for J, f in zip(jacobians(m), F, strict=True))[:, None]
    left = crba(m.model, m.q)[..., 0] @ acceleration + nonlinear_effects(m.model, m.q, m.qd)
    yield left, selection(m.model).T @ tau + pushes
    yield left - pushes, selection(m.model).T @ tau


@FLOATING.identity("symmetric", "Floating base")
def symmetric(p: Point) -> Equations:
    """Mass matrix of a floating base: M = [I₀ᶜ F; Fᵀ H] = Mᵀ"""
    m = on_a_free_base(p)
    system, M = floating_base(m.model, m.q, m.qd), crba(m.model, m.q)[..., 0]
    yield block([system.I0c[..., 0], system.F[..., 0]], [system.F[..., 0].T, system.H[..., 0]]), M
    yield M, M.T


@FLOATING.slip("symmetric-printed", "Floating base", corrected="symmetric")
def orthogonal(p: Point) -> Equations:
    """Mass matrix of a floating base: M is orthogonal: Mᵀ M = 1

    the text prints “orthogonal” but means “symmetric”, as for the fixed base
    """
    m = on_a_free_base(p)
    M = crba(m.model, m.q)[..., 0]
    yield M.T @ M, one(7)
