"""Lemma 4: forces pass to the parent.

Let Z = Ẋ − Y be what the oracle has summed over a subtree (docs/notes/variation.md, eqs. 8, 9), and f the force with
sᵀ f = tr(T [s] Z) for every motion s. Then

    what the child adds to X_λ and Y_λ adds Xᵀ f to f_λ,        (X s)ᵀ f = sᵀ (Xᵀ f)
    d/dt tr(Qₖ X) − tr(Q̇ₖ X) − tr(Qₖ Y) = Sₖᵀ f                 for Qₖ = T [Sₖ] and any Q̇ₖ
    T_λ [s] A = T [X s]                                         so that ∂ₖT_j = T_j [X_{j←i} Sₖ] for all j of the subtree of i

T_λ is any matrix, A is any rotation and translation, and X, Ẋ, Y, Ȧ, Q̇ and S are any numbers.
"""

from __future__ import annotations

from cross_check.theorem.identities import Equations
from cross_check.theorem.position import UNITS, Array, Position, bracket, pairing, times
from implementations.spatial_algebra import rnea
from mechanisms.joint_kinds import Kind
from oracle.by_jets.jets import Jet
from oracle.by_jets.transforms import compose
from oracle.by_jets.variation import with_joint_force, with_subtree


def transmission(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, and its parent."""
    model, system = p.pair(kind)
    link = model.links[1]
    (A, X), S, q̇, q̈ = p.rigid(), p.numbers(6, link.joint.nv), p.numbers(model.nv), p.numbers(model.nv)
    T = [p.numbers(3, 4)]
    T.append(compose(T[0], A))
    Xs, Ys = [Jet(p.numbers(4, 3), p.numbers(4, 3)) for _ in T], [p.numbers(4, 3) for _ in T]
    f = [pairing(Ti, Xi.terms[1] - Yi) for Ti, Xi, Yi in zip(T, Xs, Ys, strict=True)]
    Q = Jet(times(T[1], bracket(S)), p.numbers(3, 4, link.joint.nv))
    given = (system.armature * q̈ + system.damping * q̇)[link.v]
    expected = with_joint_force(given, Q, Xs[1], Ys[1])
    X_parent, Y_parent = with_subtree(Xs[0], Ys[0], Jet(A, p.numbers(3, 4)), Xs[1], Ys[1])

    τ: list[Array] = []
    rnea.inward(model, 1, q̇, q̈, *p.of_both(model, X, S), f, τ)
    yield "f_λ + Xᵀ f", f[0], pairing(T[0], X_parent.terms[1] - Y_parent)
    yield "τ = Sᵀ f + armature q̈ + damping q̇", τ[0], expected
    yield "T_λ [s] A = T [X s]", compose(times(T[0], bracket(UNITS)), A), times(T[1], bracket(X @ UNITS))


def transmission_to_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root, which takes every force."""
    model, system = p.root(kind)
    (T, X), S, q̇, q̈ = p.rigid(), p.numbers(6, model.nv), p.numbers(model.nv), p.numbers(model.nv)
    momentum, Y = Jet(p.numbers(4, 3), p.numbers(4, 3)), p.numbers(4, 3)
    f = [pairing(T, momentum.terms[1] - Y)]
    τ: list[Array] = []
    rnea.inward(model, 0, q̇, q̈, [X], [S], f, τ)
    Q = Jet(times(T, bracket(S)), p.numbers(3, 4, model.nv))
    expected = with_joint_force(system.armature * q̈ + system.damping * q̇, Q, momentum, Y)
    yield "τ = Sᵀ f + armature q̈ + damping q̇", τ[0], expected
