"""Lemma 5: the mass matrix. With the composite pseudo-inertia 𝒥 of a subtree, for all motions s and s',

tr([s] J [s']ᵀ) = sᵀ I s'                                   of one body
𝒥_λ + A 𝒥 Aᵀ belongs to I_c,λ + Xᵀ I_c X in the same way     of a subtree; 𝒥 is symmetric
tr(T [s] W) = sᵀ F   for   W = 𝒥 Qᵀ, F = I_c S              and then for A W and Xᵀ F on the parent
tr(Qₗ W) = Sₗᵀ F     for   Qₗ = T [Sₗ]                       the entries of M, to which the armature is added on the diagonal
"""

from __future__ import annotations

import numpy as np

from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import UNITS, Array, Position, bracket, other_than, pairing, times, transposed
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets.jets import compose, outward
from oracle.by_jets.variation import mass_matrix_entries, unit_momenta, with_pseudo_inertia


def mass_matrix(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind and its parent, and then the same with this joint as the parent's."""
    bodies = p.pair(kind)
    own = bodies.system.links[1].J
    yield "tr([s] J [s']ᵀ) = sᵀ I s'", inertia(own), bodies.model.links[1].I
    yield "J = Jᵀ", own, transposed(own)

    J = [p.symmetric(4), p.symmetric(4)]
    bodies = bodies.with_inertias(map(inertia, J))
    whole = with_pseudo_inertia(J[0], bodies.A[1], J[1])
    yield "I_c,λ + Xᵀ I_c X", bodies.run(crba).Ic[0], inertia(whole)
    yield "𝒥_λ + A 𝒥 Aᵀ is symmetric", whole, transposed(whole)

    T = p.rigid().A
    W = unit_momenta(J[1], times(T, bracket(bodies.S[1])))
    yield "F = I_c S", bodies.chain(1).run(crba).F, pairing(T, W)

    for both in (bodies, p.bodies((-1, 0), (kind, other_than(kind)))):
        j, i = both.model.links
        A, S, T, W = both.A[1], both.S, p.numbers(3, 4), p.numbers(4, 3, i.joint.nv)
        # F is any force from here on.
        F = pairing(compose(T, A), W)
        (H,) = p.replaced((both.run(crba).H,), (both.chain(1).run(crba).F, F))
        armature = np.eye(i.joint.nv, dtype=int)[..., None] * both.system.armature[i.v]
        yield "H_ii = Sᵀ F + armature", H[i.v, i.v], mass_matrix_entries(times(compose(T, A), bracket(S[1])), W) + armature
        yield "Xᵀ F on the parent", both.X[1].T @ F, pairing(T, outward(A, W))
        entries = mass_matrix_entries(times(T, bracket(S[0])), outward(A, W))
        yield "H_ji = Sⱼᵀ F", H[j.v, i.v], entries
        yield "H_ij = H_jiᵀ", H[i.v, j.v], transposed(entries)
        W = p.numbers(4, 3, i.joint.nv)
        entries = mass_matrix_entries(times(T, bracket(S[0])), W)
        yield "Sⱼᵀ F of a body that is further outboard", mul(transposed(S[0]), pairing(T, W)), entries


def inertia(J: Array) -> Array:
    """The matrix I (6, 6, 1) with sᵀ I s' = tr([s] J [s']ᵀ)."""
    s = bracket(UNITS)
    return np.einsum("ijk...,jl...,ilm...->km...", s, J, s)
