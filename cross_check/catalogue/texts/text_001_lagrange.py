"""Text 001, "Introduction": Lagrange's equations of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import point, unskew, vector
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import FORK, Motion, moving, without_losses
from cross_check.catalogue.series import flow, rate
from cross_check.proof.generic import generic_state
from implementations.classical import link_frames, newton_euler
from implementations.field import Tensor
from implementations.screws import adjoints, product_of_exponentials
from implementations.spatial_algebra.bias import gravity, nonlinear_effects
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.energy import kinetic_energy, potential_energy
from implementations.spatial_algebra.rnea import rnea
from mechanisms.joint import Kind
from oracle import EulerLagrange

LAGRANGE = Chapter("001", "Lagrange’s equations")


def lossless(p: Point) -> Motion:
    return moving(p, without_losses(p.mechanism(*FORK)))


def centres(m: Motion) -> list[Tensor]:
    """Centres of mass in the root's frame."""
    return [(T @ point(link.com[:, 0]))[:3] for T, link in zip(m.T, m.model.links, strict=True)]


@LAGRANGE.identity("kinetic", "Lagrange", order=1)
def kinetic(p: Point) -> Equations:
    """Kinetic energy of links: T = Σ ½ m_i v_cᵀ v_c + ½ ω_iᵀ I_i^c ω_i"""
    mechanism = without_losses(p.mechanism(*FORK))
    m = moving(p, mechanism)
    twice = p.fraction(0)
    for T, c, body in zip(m.T, centres(m), mechanism.bodies, strict=True):
        R, inertia = T[:3, :3], body.inertia
        w, v_c = unskew(rate(R) @ R.T), rate(c)
        I_c = R @ vector(*inertia.matrix).reshape(3, 3) @ R.T
        twice = twice + inertia.mass * (v_c @ v_c) + w @ I_c @ w
    yield 2 * kinetic_energy(m.model, m.q, m.qd), vector(twice)


@LAGRANGE.identity("potential", "Lagrange")
def potential(p: Point) -> Equations:
    """Potential energy of links: V = Σ −m_i gᵀ p_i, p_i the centre of mass in the root’s frame"""
    m = lossless(p)
    g = m.model.gravity[3:, 0]
    weights = (link.mass[()] * (g @ c) for link, c in zip(m.model.links, centres(m), strict=True))
    yield potential_energy(m.model, m.q), vector(-sum(weights))


@LAGRANGE.identity("quadratic", "Lagrange")
def quadratic(p: Point) -> Equations:
    """Kinetic energy by the mass matrix: T = ½ q̇ᵀ M q̇, and M = Mᵀ"""
    m = lossless(p)
    M = crba(m.model, m.q)[..., 0]
    yield 2 * kinetic_energy(m.model, m.q, m.qd), vector(m.qd[:, 0] @ M @ m.qd[:, 0])
    yield M, M.T


@LAGRANGE.identity("gravity", "Lagrange", order=1)
def gravity_by_potential(p: Point) -> Equations:
    """Gravity by the potential energy: g = ∂V/∂q: g · q̇ = dV/dt for all q̇"""
    m = lossless(p)
    yield (gravity(m.model, m.q) * m.qd).sum(axis=0), rate(potential_energy(m.model, m.q))


@LAGRANGE.identity("coriolis", "Lagrange", order=1)
def coriolis(p: Point) -> Equations:
    """Coriolis forces by the mass matrix: b = Ṁ q̇ − ½ ∂(q̇ᵀ M q̇)/∂q, which is d/dt ∂T/∂q̇ − ∂T/∂q at q̈ = 0"""
    kinds: list[Kind] = ["revolute", "prismatic", "revolute"]
    model = p.model(replace(without_losses(p.mechanism([-1, 0, 1], kinds)), gravity=(0, 0, 0)))
    start, qd, other = p.vector(3), p.vector(3), p.vector(3)

    def mass(velocity: Tensor) -> Tensor:
        """M along the path that starts with this velocity; ṫ = ½ (1 + t²) θ̇."""
        turns = vector(*(int(kind == "revolute") for kind in kinds))
        return crba(model, flow(start, lambda q: velocity * (turns * (1 + q * q) / 2 + 1 - turns), 1)[:, None])[..., 0]

    b = nonlinear_effects(model, start[:, None], qd[:, None])[:, 0]
    yield 2 * (other @ b), 2 * (other @ rate(mass(qd)) @ qd) - qd @ rate(mass(other)) @ qd


@LAGRANGE.identity("equation", "Lagrange")
def lagranges_equation(p: Point) -> Equations:
    """Lagrange’s equation: d/dt ∂L/∂q̇ − ∂L/∂q = τ with L = T − V; RNEA, screws and Newton–Euler by 3-vectors give the same τ"""
    mechanism = p.mechanism([-1, 0, 0], ["revolute", "prismatic", "revolute"])
    state = [np.array(x, dtype=object) for x in generic_state(mechanism, p.number).values()]
    truth = EulerLagrange(mechanism, p.field).inverse_dynamics(*(x[None] for x in state))[0]
    q, v, a = (x[:, None] for x in state)
    yield rnea(p.model(mechanism), q, v, a), truth
    yield product_of_exponentials.inverse_dynamics(adjoints.build(mechanism, p.field), q, v, a), truth
    yield newton_euler.inverse_dynamics(link_frames.build(mechanism, p.field), q, v, a), truth


@LAGRANGE.identity("linear", "Lagrange")
def linear_in_the_acceleration(p: Point) -> Equations:
    """Linear in q̈: M q̈ + C(q, q̇) = τ"""
    m, qdd = lossless(p), p.vector(4)[:, None]
    yield rnea(m.model, m.q, m.qd, qdd), crba(m.model, m.q)[..., 0] @ qdd + nonlinear_effects(m.model, m.q, m.qd)
