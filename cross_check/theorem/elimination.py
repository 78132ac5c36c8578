"""Lemma 6: the articulated-body algorithm is block elimination in the equations of RNEA.

Let f = I^A a + p^A for a body with the acceleration a = a' + S q̈, a' = X a_λ + c. Let I^A be symmetric, and D
invertible.

    I^A a + p^A = f of RNEA                                     one body alone, at the same v and c
    Sᵀ f + armature q̈ + damping q̇ − τ = D q̈ + Uᵀ a' − u          so that q̈ = D⁻¹ (u − Uᵀ a')
    Xᵀ f = (Xᵀ I^a X) a_λ + Xᵀ p^a                              so that the parent's force is I^A_λ a_λ + p^A_λ, too
    D solve(D, b) = b                                           wherever no pivot is zero
"""

from __future__ import annotations

from cross_check.theorem.identities import Equations
from cross_check.theorem.position import Array, Position, times, transposed
from implementations.linear import solve
from implementations.spatial_algebra import aba, rnea
from implementations.spatial_algebra.model import Model
from implementations.spatial_algebra.spatial import Plucker, mul
from mechanisms.joint_kinds import Kind


def elimination(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, and its parent."""
    model, _ = p.pair(kind)
    link, n = model.links[1], model.links[1].joint.nv
    X, S, q̇, q̈ = p.rigid().X, p.numbers(6, n), p.numbers(model.nv), p.numbers(model.nv)
    Xs, Ss = p.of_both(model, X, S)
    yield from alone(p, model, 1, Xs, Ss, q̇, q̈)

    IA, pA = [p.symmetric(6), p.symmetric(6)], [p.numbers(6), p.numbers(6)]
    τ, moving = p.numbers(model.nv), p.numbers(6)
    U, D, u = aba.joint_equation(model, 1, q̇, τ, Ss, IA, pA)
    forces = [p.numbers(6), mul(IA[1], moving + mul(S, q̈[link.v])) + pA[1]]
    left: list[Array] = []
    rnea.inward(model, 1, q̇, q̈, Xs, Ss, forces, left)
    yield "Sᵀ f + … − τ = D q̈ + Uᵀ a' − u", left[0] - τ[link.v], mul(D, q̈[link.v]) + mul(transposed(U), moving) - u
    yield "U = I^A S", U, mul(IA[1], S)
    yield "D = Dᵀ", D, transposed(D)

    c, a, U, Du = p.numbers(6), p.numbers(6), p.numbers(6, n), p.numbers(n)
    UD, cs = times(p.symmetric(n), transposed(U)), [p.numbers(6), c]
    moving = X @ a + c
    expected = Du - mul(UD, moving)
    bodies, rates = [a], [p.numbers(n)]
    aba.accelerate(model, 1, Xs, Ss, cs, {1: UD}, {1: Du}, bodies, rates)
    yield "q̈ = D⁻¹ u − D⁻¹ Uᵀ a'", rates[1], expected
    yield "a = a' + S q̈", bodies[1], moving + mul(S, expected)

    force = mul(IA[0], a) + pA[0] + X.T @ (mul(IA[1], moving) + pA[1] + mul(U, expected))
    aba.inward(model, 1, Xs, cs, U, {1: UD}, {1: Du}, IA, pA)
    yield "I^A_λ a_λ + p^A_λ = f_λ + Xᵀ f", mul(IA[0], a) + pA[0], force
    yield "I^A_λ is symmetric", IA[0], transposed(IA[0])

    D, b = p.symmetric(n), p.numbers(n, 1)
    yield "D solve(D, b) = b", times(D, solve(D, b)), b


def elimination_on_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root."""
    model, _ = p.root(kind)
    X, S, q̇, q̈ = p.rigid().X, p.numbers(6, model.nv), p.numbers(model.nv), p.numbers(model.nv)
    yield from alone(p, model, 0, [X], [S], q̇, q̈)
    c, UD, Du = p.numbers(6), p.numbers(model.nv, 6), p.numbers(model.nv)
    a: list[Array] = []
    rates: list[Array] = []
    aba.accelerate(model, 0, [X], [S], [c], {0: UD}, {0: Du}, a, rates)
    moving = X @ -model.gravity + c
    expected = Du - mul(UD, moving)
    yield "q̈ = D⁻¹ u − D⁻¹ Uᵀ a'", rates[0], expected
    yield "a = a' + S q̈", a[0], moving + mul(S, expected)


def alone(p: Position, model: Model, i: int, X: list[Plucker], S: list[Array], q̇: Array, q̈: Array) -> Equations:
    """The body i without those behind it: what the first loops of ABA and RNEA compute."""
    link = model.links[i]
    v, a, f = ([p.numbers(6) for _ in range(i)] for _ in range(3))
    parent = a[0] if i else -model.gravity
    v_aba, c, IA, pA = list(v), *([p.numbers(6) for _ in range(i)] for _ in range(3))
    rnea.outward(model, i, q̇, q̈, None, X, S, v, a, f)
    aba.outward(model, i, q̇, X, S, v_aba, c, IA, pA)
    p.freed(v[i])
    yield "v of ABA = v of RNEA", v_aba[i], v[i]
    yield "a = X a_λ + c + S q̈", a[i], X[i] @ parent + c[i] + mul(S[i], q̈[link.v])
    p.freed(a[i])
    yield "I = Iᵀ", IA[i], transposed(IA[i])
    yield "I a + p = f", mul(IA[i], a[i]) + pA[i], f[i]
