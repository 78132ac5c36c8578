"""Lemma 2: velocity and acceleration pass from the parent to the body. With v_J = S q̇, and X and A of one joint,

    Ṫ_λ = T_λ [v_λ]   and   T̈_λ − ĝ = T_λ ([a_λ] + [v_λ]²),   ĝ = [[0, g], [0, 0]],
    imply the same for the body, with   v = X v_λ + v_J   and   a = X a_λ + S q̈ + c_J + v × v_J;   ∂ₖT = T [Sₖ]

On the root it holds with T_λ = 1, v_λ = 0 and a_λ = −a_g. T_λ is any matrix, v_λ, a_λ, S, q̇ and q̈ are any numbers, and A is any
rotation and translation. Of the joint only lemma 1 is supposed.
"""

from __future__ import annotations

from cross_check.theorem.identities import Equations
from cross_check.theorem.position import Array, Position, bracket, times
from implementations.spatial_algebra import rnea
from implementations.spatial_algebra.jcalc import velocity_product
from implementations.spatial_algebra.model import Link
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets.motion import body_acceleration, body_position, body_velocity


def motion(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on its parent."""
    model, system = p.pair(kind)
    (A, X), S, q̇, q̈ = p.rigid(), p.numbers(6, model.links[1].joint.nv), p.numbers(model.nv), p.numbers(model.nv)
    v, a = [p.numbers(6)], [p.numbers(6)]
    T, ĝ = p.numbers(3, 4), free_fall(system.gravity, p)
    orders = T, times(T, bracket(v[0])), (ĝ + times(T, acceleration(v[0], a[0]))) / 2

    rnea.outward(model, 1, q̇, q̈, None, *p.of_both(model, X, S), v, a, [p.zeros(6)])

    of_joint = joint_orders(model.links[1], A, S, q̇, q̈)
    BdD = times(A, bracket(S))
    T, Q = body_position(orders[0], A, BdD)
    T1, _ = body_velocity(*orders[:2], A, BdD, of_joint[1], p.numbers(*BdD.shape[:-1]))
    T2 = body_acceleration(*orders, *of_joint)
    yield "∂ₖT = T [Sₖ]", Q, times(T, bracket(S))
    yield "Ṫ = T [v]", T1, times(T, bracket(v[1]))
    yield "T̈ − ĝ = T ([a] + [v]²)", 2 * T2 - ĝ, times(T, acceleration(v[1], a[1]))


def motion_on_root(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind, on the root. There T, Ṫ and T̈ are A, Ȧ and Ä."""
    model, system = p.root(kind)
    (A, X), S, q̇, q̈ = p.rigid(), p.numbers(6, model.links[0].joint.nv), p.numbers(model.nv), p.numbers(model.nv)
    v: list[Array] = []
    a: list[Array] = []
    rnea.outward(model, 0, q̇, q̈, None, [X], [S], v, a, [])
    _, A1, A2 = joint_orders(model.links[0], A, S, q̇, q̈)
    yield "Ṫ = T [v]", A1, times(A, bracket(v[0]))
    yield "T̈ − ĝ = T ([a] + [v]²)", 2 * A2 - free_fall(system.gravity, p), times(A, acceleration(v[0], a[0]))


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
