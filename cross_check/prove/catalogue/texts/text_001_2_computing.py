"""Text 001, "Introduction" and "Computing": external forces, floating bases, and forward kinematics with ``jcalc``.

The equations of motion of a floating base (Featherstone 2008, §9.4, Tables 9.5, 9.6) are

    [I₀ᶜ F; Fᵀ H] [a₀; q̈] + [p₀ᶜ; C] = [0; τ]

The base is body 0. I₀ᶜ is the inertia of the whole mechanism. p₀ᶜ is the force on the base for which a₀ and q̈ are zero. H and C
are the mass matrix and the nonlinear effects of the joints for a base at rest. F_i is the force on the base that a unit q̈_i
needs. All are in the base's frame. The left sides are blocks of the reference's mass matrix and nonlinear effects.
"""

from __future__ import annotations

import numpy as np

from cross_check.prove.catalogue.language import *
from implementations.spatial_algebra.jcalc import velocity_product

MOTION = Chapter("001", "Inverse and forward dynamics")
FLOATING = Chapter("001", "Floating-base equations of motion")
KINEMATICS = Chapter("001", "Forward kinematics")
BASE = Chapter("001", "Dynamics of a floating base")


@MOTION.identity("jacobian", "Introduction", order=1)
def jacobian(p: Point, m: Fork) -> Equations:
    """Geometric Jacobian: v̂_i = J_i q̇, so JᵀF are the joint forces with the power of F: q̇ · Σ J_iᵀ F_i = Σ F_i · v̂_i"""
    F, twists = p.matrix(4, 6), m.space_twists
    for J, ours, v in zip(m.jacobians, kinematics.jacobians(m.model, m.q, "world"), twists, strict=True):
        yield J @ m.qd[:, 0], v
        yield ours, J
    taken = generalised_forces(m.model, m.q, in_bodies(m.model, m.q, F[..., None]))
    yield (taken * m.qd).sum(axis=0), vector(sum(f @ v for f, v in zip(F, twists, strict=True)))


@MOTION.identity("inverse", "Inverse dynamics")
def inverse_dynamics(m: Two, F: Wrenches, qdd: TwoForces) -> Equations:
    """Inverse dynamics: ID(q, q̇, q̈, F_ext) = M q̈ + C q̇ + G − Jᵀ F_ext"""
    right = m.M @ qdd + nonlinear_effects(*m.state) - m.taken(F)
    yield rnea_with_external_forces(*m.state, qdd, F[..., None]), right


@MOTION.identity("bias", "Forward dynamics")
def bias(m: Two, F: Wrenches) -> Equations:
    """Bias forces: C q̇ + G = ID(q, q̇, 0, 0) and C q̇ + G − Jᵀ F_ext = ID(q, q̇, 0, F_ext)"""
    yield rnea_with_external_forces(*m.state, 0 * m.qd, 0 * F[..., None]), nonlinear_effects(*m.state)
    yield rnea_with_external_forces(*m.state, 0 * m.qd, F[..., None]), nonlinear_effects(*m.state) - m.taken(F)


@MOTION.slip("bias-printed", "Forward dynamics", corrected="bias")
def bias_as_printed(m: Two, F: Wrenches) -> Equations:
    """Bias forces: C q̇ + G = ID(q, q̇, 0, F_ext)

    by the text’s definition of ID the right side also contains −Jᵀ F_ext; F_ext must be 0 there
    """
    yield nonlinear_effects(*m.state), rnea_with_external_forces(*m.state, 0 * m.qd, F[..., None])


def pushed(m: Motion, F: Tensor, tau: Tensor) -> Tensor:
    """q̈ by the reference, for joint forces τ and external forces F (bodies, 6) in the root's frame."""
    return aba(*m.state, tau + generalised_forces(m.model, m.q, in_bodies(m.model, m.q, F[..., None])))


@MOTION.identity("forward", "Forward dynamics")
def forward_dynamics(m: Two, F: Wrenches, tau: TwoForces) -> Equations:
    """Forward dynamics: q̈ = M⁻¹ (τ − ID(q, q̇, 0, F_ext)) = M⁻¹ (τ + Jᵀ F_ext − ID(q, q̇, 0, 0))"""
    M = crba(m.model, m.q)
    yield pushed(m, F, tau), solve(M, tau - rnea_with_external_forces(*m.state, 0 * tau, F[..., None]))
    yield pushed(m, F, tau), solve(M, tau + m.taken(F) - nonlinear_effects(*m.state))


@MOTION.slip("forward-printed", "Forward dynamics", corrected="forward")
def forward_dynamics_as_printed(m: Two, F: Wrenches, tau: TwoForces) -> Equations:
    """Forward dynamics: q̈ = M⁻¹ (τ + Jᵀ F_ext − ID(q, q̇, 0, F_ext))

    the right side contains Jᵀ F_ext twice
    """
    force = tau + m.taken(F) - rnea_with_external_forces(*m.state, 0 * tau, F[..., None])
    yield pushed(m, F, tau), solve(crba(m.model, m.q), force)


def selection(n: int) -> Tensor:
    """S (n, 6 + n) in M u̇ + h = Sᵀ τ and q̇ = S u: forces act on the joints, but not on the base."""
    return np.eye(6 + n, dtype=int)[6:]


@FLOATING.identity("selection", "Floating base")
def driven_joints(p: Point, u_b: Spatial) -> Equations:
    """Selection of driven joints: u_j = S u with S = [0 1], and Sᵀ τ = [0; τ]

    the text gives S the size 6 × (6 + n); the correct size is n × (6 + n), one row for each driven joint
    """
    u_j, tau = p.vector(4), p.vector(4)
    yield selection(4) @ join(u_b, u_j), u_j
    yield selection(4).T @ tau, join(0 * u_b, tau)


@FLOATING.identity("floating", "Floating base")
def floating(m: Hinged, tau: Number, F: Wrenches) -> Equations:
    """Equations of motion of a floating base:
    M u̇ + b + g = Sᵀ τ + Jᵀ F_ext; with F_c = −F_ext on the environment M u̇ + b + g + Jᵀ F_c = Sᵀ τ
    """
    driven = selection(1).T @ vector(tau)[:, None]
    left = m.M @ pushed(m, F, driven) + nonlinear_effects(*m.state)
    yield left, driven + m.taken(F)
    yield left - m.taken(F), driven


def from_base(m: Motion) -> list[Tensor]:
    """ⁱX_0 (6, 6) for every body i; the base is body 0."""
    X0 = [one(6)]
    for X, λ in zip(m.X[1:], m.model.parents[1:], strict=True):
        X0.append(X @ X0[λ])
    return X0


def base_inertias(m: Motion) -> tuple[Tensor, Tensor, Tensor]:
    """I₀ᶜ (6, 6), F (6, n) and H (n, n) by the text.

    They are Σ ⁱX_0ᵀ I_i ⁱX_0 over all bodies, F_i = ⁱX_0ᵀ I_iᶜ S_i and H_ij = F_iᵀ S_j; every joint has one coordinate.
    """
    X0, n = from_base(m), m.model.nv - 6
    Ic = [X.T @ I @ X for X, I in zip(X0, m.inertias, strict=True)]
    axes = [block([X[:3, :3].T, zero(3, 3)], [X[3:, :3].T, X[3:, 3:].T]) @ S for X, S in zip(X0, m.S, strict=True)]
    F: list[Tensor] = []
    H = zero(n, n)
    for j in range(n, 0, -1):
        F.insert(0, Ic[j] @ axes[j])
        Ic[m.model.parents[j]] = Ic[m.model.parents[j]] + Ic[j]
        i = j
        while i:
            H[i - 1, j - 1] = H[j - 1, i - 1] = (F[0].T @ axes[i])[0, 0]
            i = m.model.parents[i]
    return Ic[0], np.concatenate(F, axis=1), H


@FLOATING.identity("symmetric", "Floating base")
def symmetric(m: LosslessHinged) -> Equations:
    """Mass matrix of a floating base: M = [I₀ᶜ F; Fᵀ H] = Mᵀ"""
    I0c, F, H = base_inertias(m)
    yield block([I0c, F], [F.T, H]), m.M
    yield m.M, m.M.T


@FLOATING.slip("symmetric-printed", "Floating base", corrected="symmetric")
def orthogonal(m: Hinged) -> Equations:
    """Mass matrix of a floating base: M is orthogonal: Mᵀ M = 1

    the text prints “orthogonal” but means “symmetric”, as for the fixed base
    """
    yield m.M.T @ m.M, one(7)


@KINEMATICS.identity("jcalc", "jointCalc, rot")
def revolute_joints(p: Point) -> Equations:
    """Joints about x, y and z: X_J = [Rᵀ 0; 0 Rᵀ] and S = e_k for RotX, RotY, RotZ"""
    for k, axis in enumerate(basis()):
        θ = p.angle()
        X, S = jcalc(p.link(Joint("joint", "revolute", axis)), vector(θ.t)[:, None], p.field)
        c, s = θ.c, θ.s
        R = [[[1, 0, 0], [0, c, -s], [0, s, c]], [[c, 0, s], [0, 1, 0], [-s, 0, c]], [[c, -s, 0], [s, c, 0], [0, 0, 1]]][k]
        Rt = np.array(R, dtype=object).T
        yield X @ one(6), block([Rt, zero(3, 3)], [zero(3, 3), Rt])
        yield S[..., 0], one(6)[:, [k]]


@KINEMATICS.identity("c_J", "jcalc", order=1)
def velocity_products(p: Point) -> Equations:
    """Joints with constant axes in the body: c_J = S̊ q̇, which is 0 for revolute joints"""
    kinds: list[Kind] = ["revolute", "cylindrical", "universal", "euler-zyx"]
    for kind in kinds:
        m = motion_of(p, p.mechanism([-1], [kind]))
        S = jcalc(m.model.links[0], m.q, p.field)[1]
        c = velocity_product(S, m.qd)
        yield c, rate(S[..., 0]) @ m.qd[:, 0] + zero(6)
        if kind in ("revolute", "cylindrical"):
            yield c, zero(6)


@KINEMATICS.identity("kinematics", "Forward kinematics", order=1)
def forward_kinematics(m: WithUniversal) -> Equations:
    """Forward kinematics: ⁱX_0 = X_J X_T ^{λ(i)}X_0 and ⁰v_i = ⁰v_λ(i) + ⁰X_i v_J with ⁰v_0 = 0"""
    X0: list[Tensor] = []
    v0: list[Tensor] = []
    for i, (λ, body) in enumerate(zip(m.model.parents, m.frames, strict=True)):
        X0.append(m.X[i] @ X0[λ] if λ >= 0 else m.X[i])
        yield X0[i], body.into
        v0.append((v0[λ] if λ >= 0 else zero(6)) + body.out_of @ m.joint(i))
        yield m.space_twists[i], v0[i]


@BASE.identity("base-system", "Floating-base dynamics")
def system(m: FloatingUniversal, tau: Vector) -> Equations:
    """Dynamics of a floating base: [I₀ᶜ F; Fᵀ H][a_0; q̈] + [p₀ᶜ; C] = [0; τ]"""
    force = join(zero(6), tau)[:, None]
    yield m.M @ aba(*m.state, force) + nonlinear_effects(*m.state), force


@BASE.identity("base-hybrid", "Floating-base dynamics")
def hybrid(m: Hinged, qdd: Number) -> Equations:
    """Given joint accelerations: a_0 = −(I₀ᶜ)⁻¹ (F q̈ + p₀ᶜ), τ = Fᵀ a_0 + H q̈ + C"""
    (I0c, F, H), h = (m.M[:6, :6], m.M[:6, 6:], m.M[6:, 6:]), nonlinear_effects(*m.state)
    acceleration = vector(qdd)[:, None]
    a0 = -solve(I0c[..., None], F @ acceleration + h[:6])
    yield rnea(*m.state, join(a0, acceleration)), join(zero(6, 1), F.T @ a0 + H @ acceleration + h[6:])


def bias_of(m: Motion, external: Tensor, moved: bool = True) -> Tensor:
    """p₀ᶜ and C of the text’s first algorithm. ``external`` is ⁰f_i^x; ``moved`` transforms it to body i."""
    v, a = [m.qd[:6, 0]], [m.X[0] @ -m.model.gravity[:, 0]]
    for i, λ in list(enumerate(m.model.parents))[1:]:
        v.append(m.X[i] @ v[λ] + m.joint(i))
        a.append(m.X[i] @ a[λ] + ad(v[i]) @ m.joint(i))
    f = []
    for i, (I, X) in enumerate(zip(m.inertias, from_base(m), strict=True)):
        X_star = block([X[:3, :3], X[3:, :3]], [zero(3, 3), X[:3, :3]])
        f.append(I @ a[i] + ad_star(v[i]) @ I @ v[i] - (X_star @ external[i] if moved else external[i]))
    C: list[Tensor] = []
    for i in reversed(range(1, len(f))):
        C.insert(0, m.S[i].T @ f[i])
        f[m.model.parents[i]] = f[m.model.parents[i]] + m.X[i].T @ f[i]
    return join(f[0], *C)


def bias_with(m: Motion, external: Tensor) -> Tensor:
    """p₀ᶜ and C by the reference, for ⁰f_i^x on each body in the base's frame."""
    in_root = np.stack([m.X[0].T @ f for f in external])[..., None]
    return nonlinear_effects(*m.state) - generalised_forces(m.model, m.q, in_bodies(m.model, m.q, in_root))


@BASE.identity("base-bias", "Calculate C and p₀ᶜ")
def bias_forces(p: Point, m: Carrying) -> Equations:
    """C and p₀ᶜ: f_i = I_i a_i + v_i ×* I_i v_i − ⁱX*_0 ⁰f_i^x, C_i = S_iᵀ f_i, f_λ(i) += f_i, p₀ᶜ = f_0"""
    external = p.matrix(4, 6)
    by_reference, by_text = bias_with(m, external), bias_of(m, external)
    yield by_reference[:6], by_text[:6]
    yield by_reference[6:], by_text[6:]


@BASE.slip("base-bias-printed", "Calculate C and p₀ᶜ", corrected="base-bias")
def bias_forces_as_printed(p: Point, m: Carrying) -> Equations:
    """External forces in C and p₀ᶜ: f_i = I_i a_i + v_i ×* I_i v_i − ⁰f_i^x

    ⁰f_i^x is in the base’s frame and f_i in the frame of body i; ⁱX*_0 must transform ⁰f_i^x before it is subtracted
    """
    external = p.matrix(4, 6)
    by_reference, printed = bias_with(m, external), bias_of(m, external, moved=False)
    yield by_reference[:6], printed[:6]
    yield by_reference[6:], printed[6:]


@BASE.identity("base-inertia", "Calculate H, F and I₀ᶜ")
def inertia(m: Carrying) -> Equations:
    """H, F and I₀ᶜ: I₀ᶜ = Σ ⁱX_0ᵀ I_i ⁱX_0 over all bodies, F_i = ⁱX_0ᵀ I_iᶜ S_i, H_ij = F_iᵀ S_j in j’s frame"""
    I0c, F, H = base_inertias(m)
    yield m.M[:6, :6], I0c
    yield m.M[:6, 6:], F
    yield m.M[6:, 6:], H


@BASE.slip("base-inertia-printed", "Calculate H, F and I₀ᶜ", corrected="base-inertia")
def inertia_as_printed(m: Carrying) -> Equations:
    """Inertia of the whole: I_iᶜ = I_i for i = 1 to N_B, so I₀ᶜ = Σ ⁱX_0ᵀ I_i ⁱX_0 without I_0

    the loop must start at i = 0; as printed, the base’s own inertia is missing
    """
    yield m.M[:6, :6], base_inertias(m)[0] - m.inertias[0]
