"""Lemma 0: the loops do what the lemmas suppose.

On every tree of up to four bodies, each algorithm is recorded as a whole. It is recorded again from its definition: every step is
cut from the same loop on one body and its parent alone, and gets from other bodies only what the theorem says. Both must be the
same program.

    x_i = step(x_λ(i))                       from the root to the leaves
    y_i = own_i + Σ step(y_j)                over the children j of i, the last one first

For larger trees the loops are to be read: a loop takes the bodies one after the other, and nothing in it depends on their number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np

from cross_check.prove.theorem.identities import Equations
from cross_check.prove.theorem.position import Array, Bodies, Position, transposed
from implementations.spatial_algebra.aba import aba
from implementations.spatial_algebra.crba import crba
from implementations.spatial_algebra.jcalc import joint_transform, transforms
from implementations.spatial_algebra.rnea import rnea
from implementations.spatial_algebra.spatial import mul
from mechanisms.joint_kinds import Kind
from oracle.by_jets import motions, variation
from oracle.by_jets import transforms as steps
from oracle.by_jets.jets import Jet, compose, outward
from oracle.by_jets.joint_jets import following
from oracle.fields import array

KINDS: tuple[Kind, ...] = ("revolute", "universal", "spherical", "prismatic")
"""Of the joints, in order. Parts of q and q̇ of neighbours have different lengths, and the compound joint is not on the root."""

MOST = 4
"""The number of bodies of the largest trees."""


def trees() -> Iterator[tuple[int, ...]]:
    """The parents of all bodies, for all trees of up to :data:`MOST` bodies in every order in which parents come first."""
    for n in range(1, MOST + 1):
        yield from product(*(range(-1, i) for i in range(n)))


class Tree(NamedTuple):
    """A tree of bodies on the root, and q̇, q̈, the forces on bodies, and τ. Every number is free."""

    parents: tuple[int, ...]
    bodies: Bodies
    state: tuple[Array, Array, Array, Array]
    replaced: Callable[..., list[Array]]

    def path(self, i: int) -> list[int]:
        """Body i, its parent, and so on to the root."""
        return [] if i < 0 else [i, *self.path(self.parents[i])]

    def inwards(self) -> list[tuple[int, int]]:
        """Every child and its parent, the last child first, as the loops take them."""
        return [(j, λ) for j, λ in reversed(list(enumerate(self.parents))) if λ >= 0]


class Loop:
    """The steps of an algorithm of the reference. ``run`` records them of every body and its parent, and of every body alone."""

    def __init__(self, tree: Tree, run: Callable[[Bodies, list[int]], Any]) -> None:
        self.tree = tree
        pairs = [tree.path(i)[1::-1] for i in range(len(tree.parents))]
        self.pairs = [run(tree.bodies.chain(*some), some) for some in pairs]
        self.single = [run(tree.bodies.chain(some[-1]), some[-1:]) for some in pairs]

    def outwards(self, *names: str, **of_body: list[Array]) -> list[list[Array]]:
        """x_i of all bodies for each variable, from the same variables of the parent and other variables of the body."""
        found: list[list[Array]] = []
        for run, λ in zip(self.pairs, self.tree.parents, strict=True):
            last = len(run.X) - 1
            given = [(getattr(run, name)[last], x[len(found)]) for name, x in of_body.items()]
            given += [(getattr(run, name)[0], x) for name, x in zip(names, found[λ], strict=True)] if last else []
            found.append(self.tree.replaced((getattr(run, name)[last] for name in names), *given))
        return [list(x) for x in zip(*found, strict=True)]

    def inwards(self, own: dict[str, list[Array]], **of_child: list[Array]) -> list[list[Array]]:
        """y_i of all bodies for each variable of ``own``, from the children's own, and from other variables of the child."""
        total = {name: list(y) for name, y in own.items()}
        for j, λ in self.tree.inwards():
            run, alone = self.pairs[j], self.single[λ]
            given = [(getattr(alone, name)[0], y[λ]) for name, y in total.items()]
            given += [(getattr(run, name)[1], x[j]) for name, x in (total | of_child).items()]
            added = self.tree.replaced((getattr(run, name)[0] for name in total), *given)
            for y, value in zip(total.values(), added, strict=True):
                y[λ] = value
        return list(total.values())


def loops(parents: tuple[int, ...], p: Position) -> Equations:
    """All algorithms of both sides, on the tree with these parents."""
    bodies = p.bodies(parents, KINDS[: len(parents)])
    state = p.numbers(bodies.model.nv), p.numbers(bodies.model.nv), p.numbers(len(parents), 6), p.numbers(bodies.model.nv)
    force, mass = oracle_by_definition(Tree(parents, bodies, state, p.replaced))
    yield "the oracle's equations", motions.inverse_dynamics_with_forces(bodies.system, bodies.q, *state[:3]), force
    yield "the oracle's mass matrix", variation.mass_matrix(bodies.system, bodies.q), mass

    pairs = zip(transforms(bodies.model, bodies.q)[0], transforms(bodies.model, bodies.q)[1], bodies.model.links, strict=True)
    for X, S, link in pairs:
        own_X, own_S = joint_transform(link, bodies.q, bodies.model.field)
        yield "transforms", np.concatenate([*X, S], None), np.concatenate([*own_X, own_S], None)

    tree = Tree(parents, bodies.with_inertias(p.symmetric(6) for _ in parents), state, p.replaced)
    q̇, q̈, f, τ = state
    yield "rnea", tree.bodies.run(rnea, q̇, q̈, f).answer, rnea_by_definition(tree)
    yield "crba", tree.bodies.run(crba).answer, crba_by_definition(tree, p)
    yield "aba", tree.bodies.run(aba, q̇, τ).answer, aba_by_definition(tree)


def rnea_by_definition(tree: Tree) -> Array:
    q̇, q̈, fx, _ = tree.state
    loop = Loop(tree, lambda bodies, some: bodies.run(rnea, q̇, q̈, fx[some]))
    _, _, own = loop.outwards("v", "a", "f")
    (f,) = loop.inwards({"f": own})
    return np.concatenate([tree.replaced((run.τ[0],), (run.f[-1], fi))[0] for run, fi in zip(loop.pairs, f, strict=True)])


def crba_by_definition(tree: Tree, p: Position) -> Array:
    X, S, links = tree.bodies.X, tree.bodies.S, tree.bodies.model.links
    (Ic,) = Loop(tree, lambda bodies, some: bodies.run(crba)).inwards({"Ic": [link.I for link in links]})
    H = p.zeros(tree.bodies.model.nv, tree.bodies.model.nv)
    for i, link in enumerate(links):
        F = mul(Ic[i], S[i])
        H[link.v, link.v] = mul(transposed(S[i]), F) + np.eye(link.joint.nv, dtype=int)[..., None] * link.armature
        for outboard, j in pairwise(tree.path(i)):
            F = X[outboard].T @ F
            H[links[j].v, link.v] = mul(transposed(S[j]), F)
            H[link.v, links[j].v] = transposed(H[links[j].v, link.v])
    return H


def aba_by_definition(tree: Tree) -> Array:
    q̇, _, _, τ = tree.state
    loop = Loop(tree, lambda bodies, some: bodies.run(aba, q̇, τ))
    _, c, own_I, own_p = loop.outwards("v", "c", "IA", "pA")
    IA, pA = loop.inwards({"IA": own_I, "pA": own_p}, c=c)
    UD, Du = loop.outwards("UD", "Du", IA=IA, pA=pA)
    _, q̈ = loop.outwards("a", "qdd", c=c, UD=UD, Du=Du)
    return np.concatenate(q̈)


def oracle_by_definition(tree: Tree) -> tuple[Array, Array]:
    """τ with external forces, and M."""
    system, bodies = tree.bodies.system, range(len(tree.parents))
    q, (v, a, f, _) = tree.bodies.q, tree.state
    own = [link.v for link in system.links]
    joints = [following(link.joint, link.mimic, q[link.q], system.field) for link in system.links]
    at = [steps.joint_position(*joint) for joint in joints]
    first = [steps.joint_velocity(*joint, v[k]) for joint, k in zip(joints, own, strict=True)]
    second = [steps.joint_acceleration(*joints[i], first[i][2], v[own[i]], a[own[i]]) for i in bodies]
    A = [Jet(at[i][0], first[i][0], second[i]) for i in bodies]

    T, Q = list[Jet](), list[Jet]()
    for i, λ in enumerate(tree.parents):
        if λ < 0:
            T0, Q0 = steps.body_position(array(system.field, np.eye(3, 4, dtype=int))[..., None], *at[i])
            T.append(Jet(T0, *A[i].terms[1:]))
            Q.append(Jet(Q0, first[i][1]))
            continue
        of_parent, rate_of_parent, _ = T[λ].terms
        T0, Q0 = steps.body_position(of_parent, *at[i])
        rate, Q1 = steps.body_velocity(of_parent, rate_of_parent, *at[i], *first[i][:2])
        T.append(Jet(T0, rate, steps.body_acceleration(*T[λ].terms, *A[i].terms)))
        Q.append(Jet(Q0, Q1))

    whole = [(variation.momentum(link, Ti), variation.weight(link, system)) for link, Ti in zip(system.links, T, strict=True)]
    J = [link.J for link in system.links]
    for j, λ in tree.inwards():
        whole[λ] = variation.with_subtree(*whole[λ], A[j], *whole[j])
        J[λ] = variation.with_pseudo_inertia(J[λ], A[j].now, J[j])

    τ, M = system.armature * a + system.damping * v, 0 * system.armature * system.armature[:, None]
    for i in bodies:
        τ[own[i]] = variation.with_joint_force(τ[own[i]], Q[i], *whole[i])
        W = variation.unit_momenta(J[i], Q[i].now)
        M[own[i], own[i]] = variation.mass_matrix_entries(Q[i].now, W)
        for outboard, j in pairwise(tree.path(i)):
            W = outward(A[outboard].now, W)
            M[own[j], own[i]] = variation.mass_matrix_entries(Q[j].now, W)
            M[own[i], own[j]] = transposed(M[own[j], own[i]])
    for k, armature in enumerate(system.armature):
        M[k, k] = M[k, k] + armature
    for i in bodies:
        for k, j in enumerate(tree.path(i)):
            dT = reduce(compose, (A[outboard].now for outboard in reversed(tree.path(i)[:k])), Q[j].now)
            τ[own[j]] = τ[own[j]] - motions.work(T[i].now, dT, f[i])
    return τ, M
