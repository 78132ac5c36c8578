"""Text 000, §6.2: a floating base with a single link. The text omits this section; these equations are ours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cross_check.catalogue.floating_base import floating_base
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import block, cross, join, total, vector
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import moving, without_losses
from cross_check.catalogue.series import rate
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.bias import nonlinear_effects
from implementations.spatial_algebra.crba import crba
from mechanisms import Body, Inertia, Joint, Mechanism, Placement

SINGLE = Chapter("000", "§6.2 A floating base with a single link")

PLANE = [2, 3, 4, 6]
"""ω, v₁, v₂ of the base, and q̇."""


def base_and_link(p: Point) -> Mechanism:
    return without_losses(p.mechanism([-1, 0], ["free", "revolute"]))


@SINGLE.identity("6.2-mass", "§6.2")
def mass_matrix(p: Point) -> Equations:
    """Mass matrix: M = [Î_0 + Xᵀ Î_1 X, Xᵀ Î_1 ŝ; ŝᵀ Î_1 X, ŝᵀ Î_1 ŝ]"""
    m = moving(p, base_and_link(p))
    I0, I1 = (link.I[..., 0] for link in m.model.links)
    X, s = m.X[1], m.S[1]
    yield crba(m.model, m.q), block([I0 + X.T @ I1 @ X, X.T @ I1 @ s], [s.T @ I1 @ X, s.T @ I1 @ s])


@SINGLE.identity("6.2-vectors", "§6.2")
def last_column(p: Point) -> Equations:
    """Last column of the mass matrix:
    F = [I_c a + c × f; f], H = a · I_c a + m |a × d|², f = m a × d, with the axis a and the vector d from the axis to c
    """
    hinge, inertia = p.mechanism([-1], ["revolute"]).bodies[0].joint, p.inertia()
    bodies = (Body("base", "world", Joint("free", "free"), p.inertia()), Body("link", "base", hinge, inertia))
    m = moving(p, without_losses(Mechanism("base and link", bodies, (0, 0, 0))))
    system, m_1 = floating_base(m.model, m.q, m.qd), inertia.mass
    R, r = m.X[1][:3, :3].T, vector(*hinge.placement.translation)
    a, d = R @ vector(*hinge.axis), R @ vector(*inertia.com)
    I_c = R @ vector(*inertia.matrix).reshape(3, 3) @ R.T
    f = m_1 * cross(a, d)
    yield system.F, join(I_c @ a + cross(r + d, f), f)
    yield system.H, vector(a @ I_c @ a + m_1 * (cross(a, d) @ cross(a, d)))


@SINGLE.identity("6.2-momentum", "§6.2", order=2)
def momentum(p: Point) -> Equations:
    """Momentum: Î₀ᶜ â_0 + F q̈ + p̂₀ᶜ = [Σ ĥ]˙, the rate of the total momentum, which is constant without forces"""
    m = moving(p, replace(base_and_link(p), gravity=(0, 0, 0)))
    system = floating_base(m.model, m.q, m.qd)
    a0, qdd = m.qdd[:6], m.qdd[6:]
    taken = system.I0c[..., 0] @ a0 + system.F[..., 0] @ qdd + system.p0c
    to_root = [m.X[0].T, (m.X[1] @ m.X[0]).T]
    whole = total(Xt @ link.I[..., 0] @ v for Xt, link, v in zip(to_root, m.model.links, m.v, strict=True))
    yield m.X[0].T @ taken, rate(whole)


@SINGLE.identity("6.2-forward", "§6.2")
def forward_dynamics(p: Point) -> Equations:
    """Forward dynamics: [â_0; q̈] = [Î₀ᶜ F; Fᵀ H]⁻¹ ([0; τ] − [p̂₀ᶜ; C]), the result of the articulated-body algorithm"""
    m, tau = moving(p, base_and_link(p)), p.vector(1)[:, None]
    a0, qdd = floating_base(m.model, m.q, m.qd).forward(tau)
    reference = aba(m.model, m.q, m.qd, np.concatenate([0 * m.qd[:6], tau]))
    yield a0, reference[:6]
    yield qdd, reference[6:]


@SINGLE.identity("6.2-plane", "§6.2")
def in_the_plane(p: Point) -> Equations:
    """Plane motion:
    M and h of a base (m₀, J₀) and a link (m, J, centre of mass at l) with a revolute joint at (b, 0), in cos q and sin q
    """
    o, (m0, J0, m, J, b, l) = p.fraction(0), p.vector(6)
    base = Inertia(m0, (o, o, o), (p.number(), p.number(), J0, o, o, o))
    link = Inertia(m, (l, o, o), (p.number(), p.number(), J, o, o, o))
    hinge = Joint("hinge", "revolute", placement=Placement(translation=(b, o, o)))
    bodies = (Body("base", "world", Joint("free", "free"), base), Body("link", "base", hinge, link))
    model = p.model(Mechanism("plane", bodies, (0, 0, 0)))
    q, (ω, v1, v2, qd) = p.angle(), p.vector(4)
    position = join(p.vector(7), vector(q.t))[:, None]
    c, s = q.c, q.s
    lb = l * b * c
    M = [
        [J0 + J + m * (b * b + l * l + 2 * lb), -m * l * s, m * (b + l * c), J + m * (l * l + lb)],
        [-m * l * s, m0 + m, o, -m * l * s],
        [m * (b + l * c), o, m0 + m, m * l * c],
        [J + m * (l * l + lb), -m * l * s, m * l * c, J + m * l * l],
    ]
    yield crba(model, position)[np.ix_(PLANE, PLANE)], np.array(M, dtype=object)
    u1, u2 = v1 - l * s * (ω + qd), v2 + b * ω + l * c * (ω + qd)
    f1, f2 = m * (-l * c * qd * (ω + qd) - ω * u2), m * (-l * s * qd * (ω + qd) + ω * u1)
    h = vector((b + l * c) * f2 - l * s * f1, f1 - m0 * ω * v2, f2 + m0 * ω * v1, l * c * f2 - l * s * f1)
    yield nonlinear_effects(model, position, vector(o, o, ω, v1, v2, o, qd)[:, None])[PLANE], h
