"""Text 001, "Computing": forward kinematics with ``jcalc``, and the algorithms of a floating base."""

from __future__ import annotations

import numpy as np

from cross_check.catalogue.floating_base import floating_base
from cross_check.catalogue.identity import Chapter, Equations
from cross_check.catalogue.notation import X_motion, ad, ad_star, block, join, one, undo, unhat, vector, zero
from cross_check.catalogue.point import Point
from cross_check.catalogue.recursion import Motion, moving, without_losses
from cross_check.catalogue.series import rate
from cross_check.catalogue.travel import travel
from implementations.field import Tensor
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.external_forces import in_bodies
from implementations.spatial_algebra.jcalc import jcalc, velocity_product
from implementations.spatial_algebra.rnea import rnea
from mechanisms import Body, Inertia, Joint, Mechanism
from mechanisms.geometry import basis
from mechanisms.joint import Kind

KINEMATICS = Chapter("001", "Forward kinematics")
BASE = Chapter("001", "Dynamics of a floating base")


@KINEMATICS.identity("jcalc", "jointCalc, rot")
def revolute_joints(p: Point) -> Equations:
    """Joints about x, y and z: X_J = [Rᵀ 0; 0 Rᵀ] and S = e_k for RotX, RotY, RotZ"""
    for k, axis in enumerate(basis()):
        θ = p.angle()
        body = Body("body", "world", Joint("joint", "revolute", axis), Inertia.massless())
        X, S = jcalc(p.model(Mechanism("one", (body,))).links[0], vector(θ.t)[:, None], p.field)
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
        mechanism = p.mechanism([-1], [kind])
        (link,), (q, qd) = p.model(mechanism).links, travel(p, mechanism)
        S = jcalc(link, q, p.field)[1]
        c = velocity_product(S, qd)
        yield c, rate(S[..., 0]) @ qd[:, 0] + zero(6)
        if not link.compound or kind == "cylindrical":
            yield c, zero(6)


@KINEMATICS.identity("kinematics", "Forward kinematics", order=1)
def forward_kinematics(p: Point) -> Equations:
    """Forward kinematics: ⁱX_0 = X_J X_T ^{λ(i)}X_0 and ⁰v_i = ⁰v_λ(i) + ⁰X_i v_J with ⁰v_0 = 0"""
    m = moving(p, p.mechanism([-1, 0, 1, 0], ["revolute", "universal", "prismatic", "spherical"]))
    X0: list[Tensor] = []
    v0: list[Tensor] = []
    for i, λ in enumerate(m.model.parents):
        R, r = m.T[i][:3, :3], m.T[i][:3, 3]
        X0.append(m.X[i] @ X0[λ] if λ >= 0 else m.X[i])
        yield X0[i], X_motion(R.T, r)
        v0.append((v0[λ] if λ >= 0 else zero(6)) + X_motion(R, -R.T @ r) @ m.joint(i))
        yield unhat(rate(m.T[i]) @ undo(m.T[i])), v0[i]


def carried(p: Point) -> Motion:
    """A random motion of a floating base that carries two arms, one of them with two links."""
    return moving(p, without_losses(p.mechanism([-1, 0, 1, 0], ["free", "revolute", "prismatic", "revolute"])))


def from_base(m: Motion) -> list[Tensor]:
    """ⁱX_0 (6, 6) for every body i; the base is body 0."""
    X0 = [one(6)]
    for i, λ in list(enumerate(m.model.parents))[1:]:
        X0.append(m.X[i] @ X0[λ])
    return X0


@BASE.identity("base-system", "Floating-base dynamics")
def system(p: Point) -> Equations:
    """Dynamics of a floating base: [I₀ᶜ F; Fᵀ H][a_0; q̈] + [p₀ᶜ; C] = [0; τ]"""
    m, tau = moving(p, p.mechanism([-1, 0, 1], ["free", "universal", "prismatic"])), p.vector(3)
    I0c, F, H, p0c, C = (x[..., 0] for x in floating_base(m.model, m.q, m.qd))
    x = aba(m.model, m.q, m.qd, join(zero(6), tau)[:, None])[:, 0]
    yield I0c @ x[:6] + F @ x[6:] + p0c, zero(6)
    yield F.T @ x[:6] + H @ x[6:] + C, tau


@BASE.identity("base-hybrid", "Floating-base dynamics")
def hybrid(p: Point) -> Equations:
    """Given joint accelerations: a_0 = −(I₀ᶜ)⁻¹ (F q̈ + p₀ᶜ), τ = Fᵀ a_0 + H q̈ + C"""
    m, qdd = moving(p, p.mechanism([-1, 0], ["free", "revolute"])), p.vector(1)[:, None]
    a0, tau = floating_base(m.model, m.q, m.qd).inverse(qdd)
    yield rnea(m.model, m.q, m.qd, join(a0, qdd)), join(zero(6, 1), tau)


def bias(m: Motion, external: list[Tensor], moved: bool = True) -> tuple[Tensor, Tensor]:
    """p₀ᶜ and C of the text’s first algorithm. ``external`` is ⁰f_i^x; ``moved`` transforms it to body i."""
    links, X0 = m.model.links, from_base(m)
    v = [m.qd[links[0].v, 0]]
    a = [m.X[0] @ -m.model.gravity[:, 0]]
    for i, λ in list(enumerate(m.model.parents))[1:]:
        v.append(m.X[i] @ v[λ] + m.joint(i))
        a.append(m.X[i] @ a[λ] + ad(v[i]) @ m.joint(i))
    f = []
    for i, link in enumerate(links):
        I, X = link.I[..., 0], X0[i]
        X_star = block([X[:3, :3], X[3:, :3]], [zero(3, 3), X[:3, :3]])
        f.append(I @ a[i] + ad_star(v[i]) @ I @ v[i] - (X_star @ external[i] if moved else external[i]))
    C = {}
    for i in reversed(range(1, len(links))):
        C[i] = m.S[i].T @ f[i]
        f[m.model.parents[i]] = f[m.model.parents[i]] + m.X[i].T @ f[i]
    return f[0], join(*(C[i] for i in sorted(C)))


def pushed(p: Point) -> tuple[Motion, list[Tensor], Tensor]:
    """A moving base with links, ⁰f_i^x on each body in the base's frame, and the same forces in the bodies' frames."""
    m = carried(p)
    external = [p.vector(6) for _ in m.T]
    in_root = np.stack([m.X[0].T @ f for f in external])[..., None]
    return m, external, in_bodies(m.model, m.q, in_root)


@BASE.identity("base-bias", "Calculate C and p₀ᶜ")
def bias_forces(p: Point) -> Equations:
    """C and p₀ᶜ: f_i = I_i a_i + v_i ×* I_i v_i − ⁱX*_0 ⁰f_i^x, C_i = S_iᵀ f_i, f_λ(i) += f_i, p₀ᶜ = f_0"""
    m, external, fx = pushed(p)
    system_by_reference = floating_base(m.model, m.q, m.qd, fx)
    p0c, C = bias(m, external)
    yield system_by_reference.p0c, p0c
    yield system_by_reference.C, C


@BASE.slip("base-bias-printed", "Calculate C and p₀ᶜ", corrected="base-bias")
def bias_forces_as_printed(p: Point) -> Equations:
    """External forces in C and p₀ᶜ: f_i = I_i a_i + v_i ×* I_i v_i − ⁰f_i^x

    ⁰f_i^x is in the base’s frame and f_i in the frame of body i; ⁱX*_0 must transform ⁰f_i^x before it is subtracted
    """
    m, external, fx = pushed(p)
    system_by_reference = floating_base(m.model, m.q, m.qd, fx)
    p0c, C = bias(m, external, moved=False)
    yield system_by_reference.p0c, p0c
    yield system_by_reference.C, C


@BASE.identity("base-inertia", "Calculate H, F and I₀ᶜ")
def inertia(p: Point) -> Equations:
    """H, F and I₀ᶜ: I₀ᶜ = Σ ⁱX_0ᵀ I_i ⁱX_0 over all bodies, F_i = ⁱX_0ᵀ I_iᶜ S_i, H_ij = F_iᵀ S_j in j’s frame"""
    m = carried(p)
    system_by_reference, X0 = floating_base(m.model, m.q, m.qd), from_base(m)
    I0 = [X.T @ link.I[..., 0] @ X for X, link in zip(X0, m.model.links, strict=True)]
    axes = [zero(6, 1), *(_inverse(X0[i]) @ m.S[i] for i in (1, 2, 3))]
    subtree = {1: I0[1] + I0[2], 2: I0[2], 3: I0[3]}
    F = np.concatenate([subtree[i] @ axes[i] for i in (1, 2, 3)], axis=1)
    H = [[_coupling(i, j, subtree, axes) for j in (1, 2, 3)] for i in (1, 2, 3)]
    yield system_by_reference.I0c, I0[0] + I0[1] + I0[2] + I0[3]
    yield system_by_reference.F, F
    yield system_by_reference.H, np.array(H, dtype=object)


def _inverse(X: Tensor) -> Tensor:
    """X⁻¹: each block is transposed."""
    return block([X[:3, :3].T, zero(3, 3)], [X[3:, :3].T, X[3:, 3:].T])


def _coupling(i: int, j: int, subtree: dict[int, Tensor], axes: list[Tensor]) -> Tensor:
    """H_ij: the inertia of the outer joint’s subtree between both axes, or 0 if neither joint carries the other."""
    if i != j and {i, j} != {1, 2}:
        return 0 * axes[1][0, 0]
    return (axes[i].T @ subtree[max(i, j)] @ axes[j])[0, 0]


@BASE.slip("base-inertia-printed", "Calculate H, F and I₀ᶜ", corrected="base-inertia")
def inertia_as_printed(p: Point) -> Equations:
    """Inertia of the whole: I_iᶜ = I_i for i = 1 to N_B, so I₀ᶜ = Σ ⁱX_0ᵀ I_i ⁱX_0 without I_0

    the loop must start at i = 0; as printed, the base’s own inertia is missing
    """
    m = carried(p)
    X0 = from_base(m)
    I0 = [X.T @ link.I[..., 0] @ X for X, link in zip(X0, m.model.links, strict=True)]
    yield floating_base(m.model, m.q, m.qd).I0c, I0[1] + I0[2] + I0[3]
