"""Text 001, "Spatial Vector" and "Introduction": velocity and force of a body, and Lagrange's equations of motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cross_check.prove.catalogue.language import *
from cross_check.prove.proof.generic import generic_state
from implementations.classical import link_frames, newton_euler
from implementations.screws import product_of_exponentials
from implementations.spatial_algebra.energy import kinetic_energy, potential_energy
from oracle import EulerLagrange

VECTORS = Chapter("001", "Spatial vectors")
LAGRANGE = Chapter("001", "Lagrange’s equations")


def shift(r: Tensor) -> Tensor:
    """[1 0; r× 1]"""
    return block([one(3), zero(3, 3)], [skew(r), one(3)])


@VECTORS.identity("velocity", "Spatial Velocity", order=1)
def velocity_of_a_point(B: Moving, P_B: Vector) -> Equations:
    """Velocity of a point of a body: v_P = v_O + ω × OP"""
    P, v = B.R @ P_B + B.r, times(B.X_inverse, B.body_twist)
    yield v[3:] + cross(v[:3], P), rate(P)


@VECTORS.identity("force", "Spatial Force")
def moment_about_another_point(P: Vector, forces: Forces) -> Equations:
    """Moment about another point: n_P = n_O + f × OP"""
    n_O, f = total(cross(x, k) for x, k in forces), total(k for _, k in forces)
    about_P = plucker(one(3), -P).T @ join(n_O, f)[:, None]
    yield about_P[:3], n_O + cross(f, P)
    yield about_P[:3], sum(cross(x - P, k) for x, k in forces)


@VECTORS.identity("X", "Operations")
def transform(E: Turn, r: Vector) -> Equations:
    """Transform of motion vectors: ᴮX_A = [E 0; 0 E][1 0; −r× 1] = [E 0; −E r× E]"""
    product = block([E, zero(3, 3)], [zero(3, 3), E]) @ shift(-r)
    yield matrix(plucker(E, r)), product
    yield product, X_motion(E, r)


@VECTORS.identity("X-star", "Operations")
def transform_of_forces(E: Turn, r: Vector) -> Equations:
    """Transform of force vectors: ᴮX*_A = [E 0; 0 E][1 −r×; 0 1] = [E −E r×; 0 E] = X⁻ᵀ"""
    product = block([E, zero(3, 3)], [zero(3, 3), E]) @ block([one(3), -skew(r)], [zero(3, 3), one(3)])
    yield product, X_force(E, r)
    yield matrix(plucker(E, r).T) @ product, one(6)


@VECTORS.identity("power", "Operations")
def power(E: Turn, r: Vector, m: Spatial, f: Spatial) -> Equations:
    """Power is the same in every frame: mᵀ f = (X m)ᵀ (X* f)"""
    yield times(plucker(E, r), m) @ (X_force(E, r) @ f), m @ f


@VECTORS.identity("carried", "Operations", order=1)
def carried_along(B: Moving, r: Vector, m: Spatial, f: Spatial) -> Equations:
    """Vectors fixed in a body: ṙ = ω × r, ṁ = v̂ × m̂ and ḟ = v̂ ×* f̂"""
    yield cross(B.w, B.R @ r), rate(B.R @ r)
    m_A, f_A = times(B.X_inverse, m), (B.X.T @ f[:, None])[:, 0]
    yield rate(m_A), crm(B.space_twist, m_A)
    yield rate(f_A), crf(B.space_twist, f_A)


@VECTORS.identity("crm", "Operations")
def motion_cross(v: Spatial) -> Equations:
    """Motion cross product as a matrix: v̂× = [ω× 0; v_O× ω×]"""
    yield across(v), ad(v)


@VECTORS.identity("crf", "Operations")
def force_cross(v: Spatial) -> Equations:
    """Force cross product as a matrix: v̂×* = [ω× v_O×; 0 ω×] = −(v̂×)ᵀ"""
    yield across_star(v), ad_star(v)
    yield ad_star(v), -ad(v).T


@VECTORS.identity("inertia", "Operations")
def inertia_about_O(body: AnyBody) -> Equations:
    """Spatial inertia about O: I_O = [1 c×; 0 1] I_C [1 0; c×ᵀ 1] = [Ī_C + m c× c×ᵀ, m c×; m c×ᵀ, m 1]"""
    I_C = block([body.J, zero(3, 3)], [zero(3, 3), body.m * one(3)])
    I_O = shift(-body.c).T @ I_C @ shift(-body.c)
    yield body.I, I_O
    yield I_O, body.printed


@VECTORS.identity("momentum", "Operations")
def momentum_about_O(body: AnyBody, v_O: Spatial) -> Equations:
    """Momentum about O: h_O = [1 c×; 0 1] I_C v_C, with v_C = [1 0; c×ᵀ 1] v_O the velocity about C"""
    w, v_C = v_O[:3], v_O[3:] + cross(v_O[:3], body.c)
    yield shift(-body.c) @ v_O, join(w, v_C)
    spin, linear = body.J @ w, body.m * v_C
    yield body.I @ v_O, join(spin + cross(body.c, linear), linear)


@LAGRANGE.identity("kinetic", "Lagrange", order=1)
def kinetic(m: LosslessFork) -> Equations:
    """Kinetic energy of links: T = Σ ½ m_i v_cᵀ v_c + ½ ω_iᵀ I_i^c ω_i"""
    twice: Any = 0
    for frame, c, body in zip(m.frames, m.centres, m.mechanism.bodies, strict=True):
        R, inertia = frame.R, body.inertia
        w, v_c = unskew(rate(R) @ R.T), rate(c)
        I_c = R @ vector(*inertia.matrix).reshape(3, 3) @ R.T
        twice = twice + inertia.mass * (v_c @ v_c) + w @ I_c @ w
    yield 2 * kinetic_energy(*m.state), vector(twice)


@LAGRANGE.identity("potential", "Lagrange")
def potential(m: LosslessFork) -> Equations:
    """Potential energy of links: V = Σ −m_i gᵀ p_i, p_i the centre of mass in the root’s frame"""
    weights = (link.mass[()] * (m.g @ c) for link, c in zip(m.model.links, m.centres, strict=True))
    yield potential_energy(m.model, m.q), vector(-sum(weights))


@LAGRANGE.identity("quadratic", "Lagrange")
def quadratic(m: LosslessFork) -> Equations:
    """Kinetic energy by the mass matrix: T = ½ q̇ᵀ M q̇, and M = Mᵀ"""
    yield 2 * kinetic_energy(*m.state), vector(m.qd[:, 0] @ m.M @ m.qd[:, 0])
    yield m.M, m.M.T


@LAGRANGE.identity("gravity", "Lagrange", order=1)
def gravity_by_potential(m: LosslessFork) -> Equations:
    """Gravity by the potential energy: g = ∂V/∂q: g · q̇ = dV/dt for all q̇"""
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
def linear_in_the_acceleration(p: Point, m: LosslessFork) -> Equations:
    """Linear in q̈: M q̈ + C(q, q̇) = τ"""
    qdd = p.vector(4)[:, None]
    yield rnea(*m.state, qdd), m.M @ qdd + nonlinear_effects(*m.state)
