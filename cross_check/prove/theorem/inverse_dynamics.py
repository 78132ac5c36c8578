"""Lemmas 2, 3 and 4: RNEA, step by step. X and A belong to one joint, of which only lemma 1 is supposed.

**Motion.** With v_J = S q̇ and ĝ = [[0, g], [0, 0]],

    Ṫ_λ = T_λ [v_λ]   and   T̈_λ − ĝ = T_λ ([a_λ] + [v_λ]²)
    imply the same for the body, with   v = X v_λ + v_J   and   a = X a_λ + S q̈ + c_J + v × v_J;   ∂ₖT = T [Sₖ]

On the root it holds with T_λ = 1, v_λ = 0 and a_λ = −a_g. T_λ is any matrix, v_λ, a_λ, S, q̇ and q̈ are any numbers, and A is any
rotation and translation.

**Body.** With Ṫ = T [v] and T̈ − ĝ = T ([a] + [v]²), for every motion s,

    tr(T [s] J (T̈ − ĝ)ᵀ) = tr([s] J ([a] + [v]²)ᵀ) = sᵀ (I a + v ×* I v)

and the work of an external force f^x for the step T [s] is sᵀ f^x. T is any rotation and translation, v, a and s are any numbers,
and so are mass, centre of mass and moments of inertia.

**Transmission.** Let Z = Ẋ − Y be what the oracle has summed over a subtree (docs/notes/variation.md, eqs. 8, 9), and f the force
with sᵀ f = tr(T [s] Z) for every motion s. Then

    what the child adds to X_λ and Y_λ adds Xᵀ f to f_λ,        (X s)ᵀ f = sᵀ (Xᵀ f)
    d/dt tr(Qₖ X) − tr(Q̇ₖ X) − tr(Qₖ Y) = Sₖᵀ f                 for Qₖ = T [Sₖ] and any Q̇ₖ
    T_λ [s] A = T [X s]                                         so that ∂ₖT_j = T_j [X_{j←i} Sₖ] for all j of the subtree of i

T_λ is any matrix, A is any rotation and translation, and X, Ẋ, Y, Ȧ, Q̇ and S are any numbers.
"""

from __future__ import annotations

from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import UNITS, Array, Position, bracket, pairing, times
from implementations.spatial_algebra.jcalc import velocity_product
from implementations.spatial_algebra.model import Link
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets.jets import Jet, compose
from oracle.by_jets.motions import work
from oracle.by_jets.transforms import body_acceleration, body_position, body_velocity
from oracle.by_jets.variation import momentum, weight, with_joint_force, with_subtree


def motion(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on its parent."""
    bodies = p.pair(kind)
    model, A, S = bodies.model, bodies.A[1], bodies.S[1]
    q̇, q̈ = p.numbers(model.nv), p.numbers(model.nv)
    v0, a0 = p.numbers(6), p.numbers(6)
    run = bodies.run(rnea, q̇, q̈)
    v, a = p.replaced((run.v[1], run.a[1]), (run.v[0], v0), (run.a[0], a0))

    T, ĝ = p.numbers(3, 4), free_fall(bodies.system.gravity, p)
    orders = T, times(T, bracket(v0)), (ĝ + times(T, acceleration(v0, a0))) / 2
    of_joint = joint_orders(model.links[1], A, S, q̇, q̈)
    BdD = times(A, bracket(S))
    T, Q = body_position(orders[0], A, BdD)
    T1, _ = body_velocity(*orders[:2], A, BdD, of_joint[1], p.numbers(*BdD.shape[:-1]))
    T2 = body_acceleration(*orders, *of_joint)
    yield "∂ₖT = T [Sₖ]", Q, times(T, bracket(S))
    yield "Ṫ = T [v]", T1, times(T, bracket(v))
    yield "T̈ − ĝ = T ([a] + [v]²)", 2 * T2 - ĝ, times(T, acceleration(v, a))


def motion_on_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root. There T, Ṫ and T̈ are A, Ȧ and Ä."""
    bodies = p.root(kind)
    model, A = bodies.model, bodies.A[0]
    q̇, q̈ = p.numbers(model.nv), p.numbers(model.nv)
    run = bodies.run(rnea, q̇, q̈)
    _, A1, A2 = joint_orders(model.links[0], A, bodies.S[0], q̇, q̈)
    yield "Ṫ = T [v]", A1, times(A, bracket(run.v[0]))
    yield "T̈ − ĝ = T ([a] + [v]²)", 2 * A2 - free_fall(bodies.system.gravity, p), times(A, acceleration(run.v[0], run.a[0]))


def body(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind."""
    bodies = p.pair(kind)
    model, system, T = bodies.model, bodies.system, p.rigid().A
    v, a, fx = p.numbers(6), p.numbers(6), p.numbers(2, 6)
    run = bodies.run(rnea, p.numbers(model.nv), p.numbers(model.nv), fx)
    (f,) = p.replaced((run.f[1],), (run.v[1], v), (run.a[1], a))

    ĝ = free_fall(system.gravity, p)
    series = Jet(T, times(T, bracket(v)), (ĝ + times(T, acceleration(v, a))) / 2)
    link = system.links[1]
    Z = momentum(link, series).terms[1] - weight(link, system)
    yield "tr(T [s] J (T̈ − ĝ)ᵀ) = sᵀ (f + f^x)", pairing(T, Z), f + fx[1]
    yield "the work of f^x for T [s] is sᵀ f^x", work(T, times(T, bracket(UNITS)), fx[1]), fx[1]


def transmission(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, and its parent."""
    bodies = p.pair(kind)
    model, system, link = bodies.model, bodies.system, bodies.model.links[1]
    A, X, S, q̇, q̈ = bodies.A[1], bodies.X[1], bodies.S[1], p.numbers(model.nv), p.numbers(model.nv)
    T = [p.numbers(3, 4)]
    T.append(compose(T[0], A))
    Xs, Ys = [Jet(p.numbers(4, 3), p.numbers(4, 3)) for _ in T], [p.numbers(4, 3) for _ in T]
    f = [pairing(Ti, Xi.terms[1] - Yi) for Ti, Xi, Yi in zip(T, Xs, Ys, strict=True)]
    run, parent = bodies.run(rnea, q̇, q̈), bodies.chain(0).run(rnea, q̇, q̈)
    total, τ = p.replaced((run.f[0], run.τ[0]), (parent.f[0], f[0]), (run.f[1], f[1]))

    Q = Jet(times(T[1], bracket(S)), p.numbers(3, 4, link.joint.nv))
    given = (system.armature * q̈ + system.damping * q̇)[link.v]
    X_parent, Y_parent = with_subtree(Xs[0], Ys[0], Jet(A, p.numbers(3, 4)), Xs[1], Ys[1])
    yield "f_λ + Xᵀ f", total, pairing(T[0], X_parent.terms[1] - Y_parent)
    yield "τ = Sᵀ f + armature q̈ + damping q̇", τ, with_joint_force(given, Q, Xs[1], Ys[1])
    yield "T_λ [s] A = T [X s]", compose(times(T[0], bracket(UNITS)), A), times(T[1], bracket(X @ UNITS))


def transmission_to_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root, which takes every force."""
    bodies = p.root(kind)
    system, T, S = bodies.system, p.rigid().A, bodies.S[0]
    q̇, q̈ = p.numbers(bodies.model.nv), p.numbers(bodies.model.nv)
    P, Y = Jet(p.numbers(4, 3), p.numbers(4, 3)), p.numbers(4, 3)
    run = bodies.run(rnea, q̇, q̈)
    (τ,) = p.replaced((run.τ[0],), (run.f[0], pairing(T, P.terms[1] - Y)))
    Q = Jet(times(T, bracket(S)), p.numbers(3, 4, bodies.model.nv))
    expected = with_joint_force(system.armature * q̈ + system.damping * q̇, Q, P, Y)
    yield "τ = Sᵀ f + armature q̈ + damping q̇", τ, expected


def joint_orders(link: Link, A: Array, S: Array, q̇: Array, q̈: Array) -> tuple[Array, Array, Array]:
    """A, Ȧ and ½ Ä, as lemma 1 has them."""
    vJ, aJ = mul(S, q̇[link.v]), mul(S, q̈[link.v])
    if link.compound:
        aJ = aJ + velocity_product(S, q̇[link.v])
    return A, times(A, bracket(vJ)), times(A, acceleration(vJ, aJ)) / 2


def acceleration(v: Array, a: Array) -> Array:
    """[a] + [v]² (4, 4, 1)."""
    return bracket(a) + times(bracket(v), bracket(v))


def free_fall(gravity: Array, p: Position) -> Array:
    """ĝ (3, 4, 1), without its last row."""
    ĝ = p.zeros(3, 4)
    ĝ[:, 3] = gravity
    return ĝ
