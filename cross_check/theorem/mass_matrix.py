"""Lemma 5: the mass matrix. With the composite pseudo-inertia 𝒥 of a subtree, for all motions s and s',

tr([s] J [s']ᵀ) = sᵀ I s'                                   of one body
𝒥_λ + A 𝒥 Aᵀ belongs to I_c,λ + Xᵀ I_c X in the same way     of a subtree; 𝒥 is symmetric
tr(T [s] W) = sᵀ F   for   W = 𝒥 Qᵀ, F = I_c S              and then for A W and Xᵀ F on the parent
tr(Qₗ W) = Sₗᵀ F     for   Qₗ = T [Sₗ]                       the entries of M, to which the armature is added on the diagonal
"""

from __future__ import annotations

import numpy as np

from cross_check.theorem.identities import Equations
from cross_check.theorem.position import UNITS, Array, Position, bracket, pairing, times, transposed
from implementations.spatial_algebra import crba
from mechanisms.joint_kinds import Kind
from oracle.by_jets.transforms import compose, outward
from oracle.by_jets.variation import mass_matrix_entries, unit_momenta, with_pseudo_inertia


def mass_matrix(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, its parent, and another body on the way to the root."""
    model, system = p.pair(kind)
    link, n = model.links[1], model.links[1].joint.nv
    (A, X), S = p.rigid(), p.numbers(6, n)
    yield "tr([s] J [s']ᵀ) = sᵀ I s'", inertia(system.links[1].J), link.I
    yield "J = Jᵀ", system.links[1].J, transposed(system.links[1].J)

    J = [p.symmetric(4), p.symmetric(4)]
    Ic = list(map(inertia, J))
    own = Ic[1]
    Xs, Ss = p.of_both(model, X, S)
    crba.composite(model, 1, Xs, Ic)
    whole = with_pseudo_inertia(J[0], A, J[1])
    yield "I_c,λ + Xᵀ I_c X", Ic[0], inertia(whole)
    yield "𝒥_λ + A 𝒥 Aᵀ is symmetric", whole, transposed(whole)

    T, H = p.rigid().A, p.zeros(model.nv, model.nv)
    Q = times(T, bracket(S))
    F = crba.diagonal(model, 1, Ss, [*Ic[:1], own], H)
    W = unit_momenta(J[1], Q)
    armature = np.eye(n, dtype=int)[..., None] * system.armature[link.v]
    yield "F = I_c S", F, pairing(T, W)
    yield "H_ii = Sᵀ F + armature", H[link.v, link.v], mass_matrix_entries(Q, W) + armature

    T, W = p.numbers(3, 4), p.numbers(4, 3, n)
    F = pairing(compose(T, A), W)
    yield "Xᵀ F on the parent", X.T @ F, pairing(T, outward(A, W))

    T = p.numbers(3, 4)
    for i, j in ((1, 0), (0, 1)):
        H = p.zeros(model.nv, model.nv)
        rows, columns = model.links[j].v, model.links[i].v
        subspaces = [p.numbers(6, link.joint.nv) for link in model.links]
        Sj, W = subspaces[j], p.numbers(4, 3, model.links[i].joint.nv)
        crba.off_diagonal(model, i, j, subspaces, pairing(T, W), H)
        entries = mass_matrix_entries(times(T, bracket(Sj)), W)
        yield "H_ji = Sⱼᵀ F", H[rows, columns], entries
        yield "H_ij = H_jiᵀ", H[columns, rows], entries.swapaxes(0, 1)


def inertia(J: Array) -> Array:
    """The matrix I (6, 6, 1) with sᵀ I s' = tr([s] J [s']ᵀ)."""
    s = bracket(UNITS)
    return np.einsum("ijk...,jl...,ilm...->km...", s, J, s)
