"""Lemma 3: the force on one body. With Ṫ = T [v] and T̈ − ĝ = T ([a] + [v]²), for every motion s,

    tr(T [s] J (T̈ − ĝ)ᵀ) = tr([s] J ([a] + [v]²)ᵀ) = sᵀ (I a + v ×* I v)

and the work of an external force f^x for the step T [s] is sᵀ f^x. T is any rotation and translation, v, a and s are any numbers,
and so are mass, centre of mass and moments of inertia.
"""

from __future__ import annotations

from cross_check.theorem.identities import Equations
from cross_check.theorem.motion import acceleration, free_fall
from cross_check.theorem.position import UNITS, Position, bracket, pairing, times
from implementations.spatial_algebra import rnea
from mechanisms.joint_kinds import Kind
from oracle.by_jets.body_motions import work
from oracle.by_jets.jets import Jet
from oracle.by_jets.variation import momentum, weight


def body(kind: Kind, p: Position) -> Equations:
    """A body outboard of a joint of this kind."""
    model, system = p.pair(kind)
    (T, X), S, q̇, q̈ = p.rigid(), p.numbers(6, model.links[1].joint.nv), p.numbers(model.nv), p.numbers(model.nv)
    v, a, f, fx = [p.numbers(6)], [p.numbers(6)], [p.numbers(6)], p.numbers(2, 6)
    rnea.outward(model, 1, q̇, q̈, fx, *p.of_both(model, X, S), v, a, f)
    p.freed(v[1], a[1])

    ĝ = free_fall(system.gravity, p)
    series = Jet(T, times(T, bracket(v[1])), (ĝ + times(T, acceleration(v[1], a[1]))) / 2)
    link = system.links[1]
    Z = momentum(link, series).terms[1] - weight(link, system)
    yield "tr(T [s] J (T̈ − ĝ)ᵀ) = sᵀ (f + f^x)", pairing(T, Z), f[1] + fx[1]
    yield "the work of f^x for T [s] is sᵀ f^x", work(T, times(T, bracket(UNITS)), fx[1]), fx[1]
