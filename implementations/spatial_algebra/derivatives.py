"""Derivatives of inverse dynamics, and the Coriolis matrix, in the frame of the root.

S. Singh, R. Russell, P. Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra"
(RA-L 2022). docs/notes/derivatives.md derives the equations and numbers them.

    Ψ̇_k = v_λ × s_k,    Ψ̈_k = a_λ × s_k + v_λ × Ψ̇_k,    ṡ_k = v_k × s_k                          eqs. 11, 13, 5
    2 B m = v ×* I m − I (v × m) + m ×* I v                                                     eqs. 16, 16a
    ∂τ_i/∂q_k = s_iᵀ (Iᶜ Ψ̈_k + 2 Bᶜ Ψ̇_k)  + s_iᵀ (s_k ×* F_k) if i precedes k  + stiffness       eqs. 17, 18
    ∂τ_i/∂v_k = s_iᵀ (Iᶜ (Ψ̇_k + ṡ_k) + 2 Bᶜ s_k) + damping                                      eq. 21
    C_ik      = s_iᵀ (Iᶜ ṡ_k + Bᶜ s_k)                                                          eq. 22

s_k is the screw of component k of q̇. v_λ and a_λ are the velocity and the acceleration of what coordinate k is mounted on, v_k
is the velocity after it; accelerations contain gravity. I and B belong to one body; Iᶜ and Bᶜ are their sums over the bodies
that both i and k move. F_k is the force on all bodies that k moves. i precedes k if coordinate i is on the path from the root
to coordinate k. A joint with several angles counts as several coordinates, one after the other. The components of a spherical,
planar or free joint are a group that acts in one frame, and none of them precedes another.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from implementations.algorithms import by_name
from implementations.field import Tensor, constant
from implementations.spatial_algebra.jcalc import joint_transform, transforms, transforms_from_root
from implementations.spatial_algebra.joint_forces import diagonal
from implementations.spatial_algebra.model import Link, Model
from implementations.spatial_algebra.spatial import Plucker, crf, crm, cross, mul


class JointMotion(NamedTuple):
    """One joint and its body, in the root's frame.

    s, ṡ, Ψ̇, Ψ̈ of the joint are (6, nv of the joint, batch). v, a, f of the body are (6, batch); its I and 2 B are
    (6, 6, batch).
    """

    s: Tensor
    ds: Tensor
    dΨ: Tensor
    ddΨ: Tensor
    v: Tensor
    a: Tensor
    f: Tensor
    I: Tensor
    B2: Tensor


def inverse_dynamics_dq(model: Model, q: Tensor, qd: Tensor, qdd: Tensor, fx: Tensor | None = None) -> Tensor:
    """∂τ/∂q (nv, nv, batch) along the components of q̇; the components of q̇ and q̈ are held fixed.

    The external forces fx (bodies, 6, batch) are held fixed in the frames of their bodies, so that they turn as f does (eq. 18).
    """
    joints = forward_pass(model, q, qd, qdd)
    F = transmitted_forces(model, q, joints, fx)
    turned = [crf(joint.s, force) for joint, force in zip(joints, F, strict=True)]
    dτ = project_on_screws(model, joints, [(joint.ddΨ, joint.dΨ) for joint in joints], turned)
    for link, joint, sF in zip(model.links, joints, turned, strict=True):
        # Eq. 18 holds only if i precedes k: within one joint, for earlier angles or distances and later ones.
        earlier = np.triu(np.full((link.joint.nv, link.joint.nv), int(link.compound)), 1)[..., None]
        dτ[link.v, link.v] = dτ[link.v, link.v] + earlier * mul(joint.s.swapaxes(0, 1), sF)
    if model.lifted:
        rest = 0 * qd
        dτ = dτ - inverse_dynamics_dq(model.lifted, q, rest, rest)
    return dτ + diagonal(model, "stiffness")


def inverse_dynamics_dv(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """∂τ/∂v (nv, nv, batch), damping included. It is the same for every q̈."""
    joints = forward_pass(model, q, qd, 0 * qd)
    dτ = project_on_screws(model, joints, [(joint.dΨ + joint.ds, joint.s) for joint in joints])
    return dτ + diagonal(model, "damping")


def coriolis_matrix(model: Model, q: Tensor, qd: Tensor) -> Tensor:
    """C (nv, nv, batch), with C q̇ = h − g − D q̇ and C + Cᵀ = Ṁ."""
    joints = forward_pass(model, q, qd, 0 * qd)
    return project_on_screws(model, joints, [(joint.ds, joint.s / 2) for joint in joints])


def forward_pass(model: Model, q: Tensor, qd: Tensor, qdd: Tensor) -> list[JointMotion]:
    """The motion of every joint and its body, from the root outwards."""
    one = constant(model.field, np.eye(3, dtype=int))[..., None]
    joints: list[JointMotion] = []
    X: list[Plucker] = []
    for λ, link in zip(model.parents, model.links, strict=True):
        Xi, S = joint_transform(link, q, model.field)
        X.append(Xi if λ < 0 else Xi.after(X[λ]))
        v, a = (0 * model.gravity, -model.gravity) if λ < 0 else (joints[λ].v, joints[λ].a)
        S, rates, accelerations = to_root_frame(X[-1], S), qd[link.v], qdd[link.v]
        columns = []
        for k in coordinate_groups(link):
            s = S[:, k]
            dΨ = crm(v, s)
            ddΨ = crm(a, s) + crm(v, dΨ)
            v = v + mul(s, rates[k])
            # s × s = 0, so that a screw alone in its group does not change its own rate.
            ds = dΨ if s.shape[1] == 1 else crm(v, s)
            a = a + mul(s, accelerations[k]) + mul(ds, rates[k])
            columns.append((s, ds, dΨ, ddΨ))
        I = inertia_in_root_frame(link, X[-1])
        h, vI = mul(I, v), crf(v, I[:, :3])[:3]
        # Eq. 16a; −I v× is the transpose of v ×* I.
        K = vI + vI.swapaxes(0, 1) - cross(h[:3], one)
        B2 = np.concatenate((np.concatenate((K, 0 * K), 1), np.concatenate((-2 * cross(h[3:], one), 0 * K), 1)))
        s, ds, dΨ, ddΨ = (np.concatenate(part, axis=1) for part in zip(*columns, strict=True))
        joints.append(JointMotion(s, ds, dΨ, ddΨ, v, a, mul(I, a) + crf(v, h), I, B2))
    return joints


def transmitted_forces(model: Model, q: Tensor, joints: list[JointMotion], fx: Tensor | None = None) -> list[Tensor]:
    """F (6, batch) of every joint, eq. 8: what the bodies of its subtree need, less the external forces fx in their frames."""
    f = [joint.f for joint in joints]
    if fx is not None:
        X0 = transforms_from_root(model, transforms(model, q)[0])
        f = [fi - X.T @ force for fi, X, force in zip(f, X0, fx, strict=True)]
    return subtree_sums(model, f)


def coordinate_groups(link: Link) -> list[slice]:
    """The joint's components of q̇, in groups that act together in one frame; a group precedes those after it."""
    return [slice(k, k + 1) for k in range(link.joint.nv)] if link.compound else [slice(link.joint.nv)]


def inertia_in_root_frame(link: Link, X: Plucker) -> Tensor:
    """The body's spatial inertia Xᵀ I X (6, 6, batch); X is ^iX_0.

    It is built from mass, centre of mass and rotational inertia, so that the mass is not rounded.
    """
    m, r, back = link.mass, X.r, X.E.swapaxes(0, 1)
    c, one = mul(back, link.com), np.eye(3, dtype=int)[..., None]
    moved = cross(r, cross(r, one)) + cross(r, cross(c, one)) + cross(c, cross(r, one))
    I_o = mul(back, mul(link.I[:3, :3], X.E)) - m * moved
    I_o[1, 0], I_o[2, 0], I_o[2, 1] = I_o[0, 1], I_o[0, 2], I_o[1, 2]
    mcx, m1 = cross(m * (r + c), one), m * one + 0 * I_o
    return np.concatenate((np.concatenate((I_o, mcx), 1), np.concatenate((mcx.swapaxes(0, 1), m1), 1)))


def to_root_frame(X: Plucker, m: Tensor) -> Tensor:
    """Motion vectors (6, n, batch) of a body's frame in the root's frame; X is ^iX_0."""
    back = X.E.swapaxes(0, 1)
    ω = mul(back, m[:3])
    return np.concatenate((ω, mul(back, m[3:]) + cross(X.r, ω)))


def project_on_screws(
    model: Model, joints: list[JointMotion], columns: list[tuple[Tensor, Tensor]], turned: list[Tensor] | None = None
) -> Tensor:
    """A (nv, nv, batch) with A_ik = s_iᵀ (Iᶜ m_k + 2 Bᶜ n_k); Iᶜ and Bᶜ are sums over the bodies that both i and k move.

    ``columns`` has m and n of every joint, (6, nv of the joint, batch) each. For joints i that precede that of k, s_iᵀ f_k is
    added, with the columns f of ``turned``.
    """
    I, B2 = subtree_sums(model, [joint.I for joint in joints]), subtree_sums(model, [joint.B2 for joint in joints])
    A = np.broadcast_to(constant(model.field, 0), (model.nv, model.nv, I[0].shape[-1])).copy()
    # Two joints on one path both move exactly the subtree of the outer one, so that its products serve all of the path.
    for outer, (m, n) in enumerate(columns):
        s, own = joints[outer].s, model.links[outer].v
        force = mul(I[outer], m) + mul(B2[outer], n)
        A[own, own] = mul(s.swapaxes(0, 1), force)
        if turned is not None:
            force = force + turned[outer]
        Is, Bs = (mul(matrix[outer].swapaxes(0, 1), s).swapaxes(0, 1) for matrix in (I, B2))
        for inner in path_to_root(model, model.parents[outer]):
            m, n = columns[inner]
            A[model.links[inner].v, own] = mul(joints[inner].s.swapaxes(0, 1), force)
            A[own, model.links[inner].v] = mul(Is, m) + mul(Bs, n)
    return A


def subtree_sums(model: Model, terms: list[Tensor]) -> list[Tensor]:
    """For every joint the sum of the bodies' ``terms`` over its subtree: its own body and all outboard of it."""
    sums = list(terms)
    for i, λ in reversed(list(enumerate(model.parents))):
        if λ >= 0:
            sums[λ] = sums[λ] + sums[i]
    return sums


def path_to_root(model: Model, i: int) -> Iterator[int]:
    """The joints i, λ(i), λ(λ(i)), … down to the one on the root."""
    while i >= 0:
        yield i
        i = model.parents[i]


DERIVATIVES = by_name(inverse_dynamics_dq, inverse_dynamics_dv, coriolis_matrix)
"""The algorithms of this module, by name."""
