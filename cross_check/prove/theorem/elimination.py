"""Lemma 6: the articulated-body algorithm is block elimination in the equations of RNEA.

Let f = I^A a + p^A for a body with the acceleration a = a' + S q̈, a' = X a_λ + c. Let I^A be symmetric, and D
invertible.

    I^A a + p^A = f of RNEA                                     one body alone, at the same v and c
    Sᵀ f + armature q̈ + damping q̇ − τ = D q̈ + Uᵀ a' − u          so that q̈ = D⁻¹ (u − Uᵀ a')
    Xᵀ f = (Xᵀ I^a X) a_λ + Xᵀ p^a                              so that the parent's force is I^A_λ a_λ + p^A_λ, too
    D solve(D, b) = b                                           wherever no pivot is zero
"""

from __future__ import annotations

from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import Array, Bodies, Position, times, transposed
from implementations.linear import solve
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind


class Inverses:
    """A free symmetric matrix in place of the inverse of every matrix D."""

    def __init__(self, p: Position) -> None:
        self._p = p
        self._known: dict[tuple[int, ...], Array] = {}

    def of(self, D: Array) -> Array:
        return self._known.setdefault(tuple(x.n for x in D.flat), self._p.symmetric(len(D)))

    def solve(self, D: Array, b: Array) -> Array:
        return mul(self.of(D), b)


def elimination(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, and its parent."""
    bodies = p.pair(kind)
    link, n = bodies.model.links[1], bodies.model.links[1].joint.nv
    X, S, q̇, q̈, τ = bodies.X[1], bodies.S[1], *(p.numbers(bodies.model.nv) for _ in range(3))
    yield from alone(p, bodies, q̇, q̈)

    IA, pA = [p.symmetric(6), p.symmetric(6)], [p.numbers(6), p.numbers(6)]
    bodies, inverses = bodies.with_inertias(IA), Inverses(p)
    run, parent = (x.run(aba, q̇, τ, solve=inverses.solve) for x in (bodies, bodies.chain(0)))
    moving, newton_euler = p.numbers(6), bodies.run(rnea, q̇, q̈)
    f = mul(IA[1], moving + mul(S, q̈[link.v])) + pA[1]
    (u,) = p.replaced((run.u[1],), (run.pA[1], pA[1]))
    (left,) = p.replaced((newton_euler.τ[0],), (newton_euler.f[1], f))
    U, D, N = run.U[1], run.D[1], inverses.of(run.D[1])
    yield "Sᵀ f + … − τ = D q̈ + Uᵀ a' − u", left - τ[link.v], mul(D, q̈[link.v]) + mul(transposed(U), moving) - u
    yield "U = I^A S", U, mul(IA[1], S)
    yield "D = Dᵀ", D, transposed(D)

    c, a, U, u = p.numbers(6), p.numbers(6), p.numbers(6, n), p.numbers(n)
    given = (run.U[1], U), (run.u[1], u), (run.c[1], c), (run.a[0], a), (parent.pA[0], pA[0]), (run.pA[1], pA[1])
    rate, moved, I_parent, p_parent = p.replaced((run.qdd[1], run.a[1], run.IA[0], run.pA[0]), *given)
    moving = X @ a + c
    expected = mul(N, u - mul(transposed(U), moving))
    yield "q̈ = D⁻¹ u − D⁻¹ Uᵀ a'", rate, expected
    yield "a = a' + S q̈", moved, moving + mul(S, expected)
    force = mul(IA[0], a) + pA[0] + X.T @ (mul(IA[1], moving) + pA[1] + mul(U, expected))
    yield "I^A_λ a_λ + p^A_λ = f_λ + Xᵀ f", mul(I_parent, a) + p_parent, force
    yield "I^A_λ is symmetric", I_parent, transposed(I_parent)

    D, b = p.symmetric(n), p.numbers(n, 1)
    yield "D solve(D, b) = b", times(D, solve(D, b)), b


def elimination_on_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root."""
    bodies, inverses = p.root(kind), Inverses(p)
    model = bodies.model
    q̇, q̈, τ, c, U, u = *(p.numbers(model.nv) for _ in range(3)), p.numbers(6), p.numbers(6, model.nv), p.numbers(model.nv)
    yield from alone(p, bodies, q̇, q̈)
    run = bodies.run(aba, q̇, τ, solve=inverses.solve)
    rate, moved = p.replaced((run.qdd[0], run.a[0]), (run.c[0], c), (run.U[0], U), (run.u[0], u))
    moving = bodies.X[0] @ -model.gravity + c
    expected = mul(inverses.of(run.D[0]), u - mul(transposed(U), moving))
    yield "q̈ = D⁻¹ u − D⁻¹ Uᵀ a'", rate, expected
    yield "a = a' + S q̈", moved, moving + mul(bodies.S[0], expected)


def alone(p: Position, bodies: Bodies, q̇: Array, q̈: Array) -> Equations:
    """The last body without its outboard bodies: what the first loops of ABA and RNEA compute."""
    link, X, S = bodies.model.links[-1], bodies.X[-1], bodies.S[-1]
    of_aba = bodies.run(aba, q̇, p.numbers(bodies.model.nv), solve=Inverses(p).solve)
    of_rnea = bodies.run(rnea, q̇, q̈)
    yield "v of ABA = v of RNEA", of_aba.v[-1], of_rnea.v[-1]
    v, a, parent = p.numbers(6), p.numbers(6), -bodies.model.gravity
    given = [(of_rnea.v[-1], v)]
    if len(bodies.model.links) > 1:
        parent = p.numbers(6)
        given += [(of_rnea.a[0], parent)]
    moved, c = p.replaced((of_rnea.a[-1], of_aba.c[-1]), *given)
    yield "a = X a_λ + c + S q̈", moved, X @ parent + c + mul(S, q̈[link.v])
    f, I, force = p.replaced((of_rnea.f[-1], of_aba.IA[-1], of_aba.pA[-1]), (of_rnea.v[-1], v), (of_rnea.a[-1], a))
    yield "I = Iᵀ", I, transposed(I)
    yield "I a + p = f", mul(I, a) + force, f
