"""Derivatives of inverse dynamics, and the Coriolis matrix: S. Singh, R. Russell, P. Wensing, "Efficient analytical
derivatives of rigid-body dynamics using spatial vector algebra" (RA-L 2022), in the root's frame.

To move on by dq_k turns and shifts whatever is beyond coordinate k along with its screw s_k. To those bodies it is as if
the world before k had moved the other way, with its velocity v_λ and its acceleration a_λ, gravity in it (a_0 = −a_g):

    δv = s_k × v + Ψ̇_k                      Ψ̇_k = v_λ × s_k
    δa = s_k × a + Ψ̈_k + Ψ̇_k × v               Ψ̈_k = a_λ × s_k + v_λ × Ψ̇_k
    δf = s_k ×* f + I Ψ̈_k + 2 B Ψ̇_k              f = I a + v ×* I v,    2 B m = v ×* I m − I (v × m) + m ×* I v

A screw s_i beyond k, or k's own, moves along, δs_i = s_k × s_i, which cancels s_k ×* f. With I, B and f summed over the
bodies that lie beyond both coordinates, and none where there is none,

    ∂τ_i/∂q_k = s_iᵀ (I Ψ̈_k + 2 B Ψ̇_k)  + s_iᵀ (s_k ×* f) where i is before k
    ∂τ_i/∂v_k = s_iᵀ (I (Ψ̇_k + ṡ_k) + 2 B s_k) + damping             ṡ_k = v × s_k, as k's own body takes it along
    C_ik      = s_iᵀ (I ṡ_k + B s_k)

With C q̇ = h − g − D q̇ and, as İ = B + Bᵀ, Ṁ = C + Cᵀ (S. Echeandia, P. Wensing, "Numerical methods to compute the Coriolis
matrix and Christoffel symbols for rigid-body systems", 2021). A joint of several angles and distances counts as so many
joints, all but the last without a body: its screws depend on q by just that, and each has its own v_λ and a_λ. The
components of a spherical, planar or free joint move together, and none of them is before another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from implementations.field import Tensor, constant
from implementations.spatial_algebra.jcalc import joint_transform
from implementations.spatial_algebra.model import Link, Model
from implementations.spatial_algebra.spatial import Plucker, crf, crm, cross, mul


class Moving(NamedTuple):
    """Root's frame. A joint's s, ṡ, Ψ̇, Ψ̈ (6, nv of the joint, batch); its body's v, a, f (6, batch), I, 2 B (6, 6, batch)."""

    s: Tensor
    ds: Tensor
    dΨ: Tensor
    ddΨ: Tensor
    v: Tensor
    a: Tensor
    f: Tensor
    I: Tensor
    B2: Tensor


def inverse_dynamics_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> Tensor:
    """∂τ/∂q (nv, nv, batch) along the components of q̇, those of q̇ and q̈ held fixed."""
    at = motion(model, q, qd, qdd)
    dτ = projected(model, at, [(joint.ddΨ, joint.dΨ) for joint in at])
    f = beyond(model, [joint.f for joint in at])
    for k, link in enumerate(model.links):
        F = crf(at[k].s, f[k])
        for i in towards_root(model, k):
            rows, turned = model.links[i].v, mul(at[i].s.swapaxes(0, 1), F)
            if i == k:
                # Within a joint only the earlier of its angles and distances are before the later ones.
                turned = turned * np.triu(np.full(turned.shape[:2], int(link.compound)), 1)[..., None]
            dτ[rows, link.v] = dτ[rows, link.v] + turned
    return dτ


def inverse_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂τ/∂v (nv, nv, batch), whatever q̈."""
    at = motion(model, q, qd, 0 * qd)
    damping = np.concatenate([link.damping for link in model.links])
    dτ = projected(model, at, [(joint.dΨ + joint.ds, joint.s) for joint in at])
    return dτ + np.eye(model.nv, dtype=int)[..., None] * damping


def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """C (nv, nv, batch)."""
    at = motion(model, q, qd, 0 * qd)
    return projected(model, at, [(joint.ds, joint.s / 2) for joint in at])


def motion(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> list[Moving]:
    """What the derivatives are made of, from the root outwards."""
    one = constant(model.field, np.eye(6, dtype=int))[..., None]
    at: list[Moving] = []
    X: list[Plucker] = []
    for λ, link in zip(model.parents, model.links, strict=True):
        Xi, S = joint_transform(link, q, model.field)
        X.append(Xi if λ < 0 else Xi.after(X[λ]))
        v, a = (0 * model.gravity, -model.gravity) if λ < 0 else (at[λ].v, at[λ].a)
        S, rate, rise = to_root(X[-1], S), qd[link.v], qdd[link.v]
        columns = []
        for k in one_by_one(link):
            s = S[:, k]
            dΨ = crm(v, s)
            ddΨ = crm(a, s) + crm(v, dΨ)
            v = v + mul(s, rate[k])
            ds = crm(v, s)
            a = a + mul(s, rise[k]) + mul(ds, rate[k])
            columns.append((s, ds, dΨ, ddΨ))
        I = inertia(link, X[-1])
        h, vI = mul(I, v), crf(v, I)
        B2 = vI + vI.swapaxes(0, 1) + crf(one, h)
        s, ds, dΨ, ddΨ = (np.concatenate(part, axis=1) for part in zip(*columns, strict=True))
        at.append(Moving(s, ds, dΨ, ddΨ, v, a, mul(I, a) + crf(v, h), I, B2))
    return at


def one_by_one(link: Link) -> list[slice]:
    """Which of a joint's coordinates move together, first those that are before the others."""
    return [slice(k, k + 1) for k in range(link.joint.nv)] if link.compound else [slice(link.joint.nv)]


def inertia(link: Link, X: Plucker) -> Tensor:
    """The body's spatial inertia (6, 6, batch) in the root's frame, which Xᵀ I X is too, but for a mass that is rounded."""
    m, r, back = link.mass, X.r, X.E.swapaxes(0, 1)
    c, one = mul(back, link.com), np.eye(3, dtype=int)[..., None]
    moved = cross(r, cross(r, one)) + cross(r, cross(c, one)) + cross(c, cross(r, one))
    I_o = mul(back, mul(link.I[:3, :3], X.E)) - m * moved
    mcx, m1 = cross(m * (r + c), one), m * one + 0 * I_o
    return np.concatenate((np.concatenate((I_o, mcx), 1), np.concatenate((mcx.swapaxes(0, 1), m1), 1)))


def to_root(X: Plucker, m: Tensor) -> Tensor:
    """Motion vectors (6, n, batch) from a body's frame to the root's; X is ^iX_0."""
    back = X.E.swapaxes(0, 1)
    ω = mul(back, m[:3])
    return np.concatenate((ω, mul(back, m[3:]) + cross(X.r, ω)))


def projected(model: Model, at: list[Moving], columns: list[tuple[Tensor, Tensor]]) -> Tensor:
    """A (nv, nv, batch) with A_ik = s_iᵀ (I m_k + 2 B n_k); every joint's m and n are (6, nv of the joint, batch)."""
    I, B2 = beyond(model, [joint.I for joint in at]), beyond(model, [joint.B2 for joint in at])
    A = np.broadcast_to(constant(model.field, 0), (model.nv, model.nv, I[0].shape[-1])).copy()
    for last in range(len(at)):
        for other in towards_root(model, last):
            for i, k in {(last, other), (other, last)}:
                m, n = columns[k]
                A[model.links[i].v, model.links[k].v] = mul(at[i].s.swapaxes(0, 1), mul(I[last], m) + mul(B2[last], n))
    return A


def beyond(model: Model, own: list[Tensor]) -> list[Tensor]:
    """For every joint the sum over the bodies beyond it."""
    total = list(own)
    for i, λ in reversed(list(enumerate(model.parents))):
        if λ >= 0:
            total[λ] = total[λ] + total[i]
    return total


def towards_root(model: Model, i: int) -> Iterator[int]:
    """i, λ(i), … as long as there are joints."""
    while i >= 0:
        yield i
        i = model.parents[i]
